package reconcile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/spill"
)

// Rows are the rows of a file. They are kept in a temporary file until the file is closed.
type Rows struct{ records spill.Records }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.records.Len() }

// All iterates over the rows in order, and can be called repeatedly.
func (r *Rows) All() iter.Seq2[*Row, error] { return unpacked(&r.records, (*unpacker).row) }

func (r *Rows) add(row *Row) error {
	var p packer
	p.row(row)
	_, err := r.records.Add(p)
	return err
}

// items are the items of a result, kept likewise.
type items struct{ records spill.Records }

func (l *items) all() iter.Seq2[*Item, error] { return unpacked(&l.records, (*unpacker).item) }

// add adds an item, and returns its position.
func (l *items) add(i *Item) (at int64, err error) {
	var p packer
	p.item(i)
	return l.records.Add(p)
}

// get returns the item at a position.
func (l *items) get(at int64) (*Item, error) {
	record, err := l.records.At(at)
	u := unpacker{left: record}
	item := u.item()
	return &item, cmp.Or(err, u.err)
}

// unpacked decodes the values of records.
func unpacked[T any](records *spill.Records, read func(*unpacker) T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for record, err := range records.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			u := unpacker{left: record}
			value := read(&u)
			if !yield(&value, u.err) || u.err != nil {
				return
			}
		}
	}
}

// packer builds a record: its values one after another.
type packer []byte

func (p *packer) number(n uint64) { *p = binary.AppendUvarint(*p, n) }

func (p *packer) text(text string) {
	p.number(uint64(len(text)))
	*p = append(*p, text...)
}

// maybe packs an optional value.
func maybe[T any](p *packer, o chain.Optional[T], pack func(T)) {
	v, known := o.Get()
	if !known {
		p.number(0)
		return
	}
	p.number(1)
	pack(v)
}

func (p *packer) flag(is bool) {
	if is {
		p.number(1)
	} else {
		p.number(0)
	}
}

func (p *packer) hash(h chain.Hash)           { *p = append(*p, h[:]...) }
func (p *packer) address(a chain.Address)     { p.text(string(a.Bytes())) }
func (p *packer) time(t chain.Time)           { p.number(uint64(t.Std().UnixMilli())) }
func (p *packer) wei(w chain.Wei)             { p.text(w.String()) }
func (p *packer) signedWei(w chain.SignedWei) { p.text(w.String()) }

func (p *packer) place(at ledger.Place) {
	p.number(at.Height)
	p.number(uint64(at.Row))
}

func (p *packer) row(r *Row) {
	p.text(r.File)
	p.number(uint64(r.Line))
	maybe(p, r.Hash, p.hash)
	maybe(p, r.EVMHash, p.hash)
	maybe(p, r.ExtrinsicHash, p.hash)
	maybe(p, r.Place, p.place)
	p.wei(r.Fee)
	p.number(uint64(r.Digits))
	p.text(string(r.Binary))
	p.text(string(r.Written))
	maybe(p, r.Account, p.address)
	p.text(r.Payer)
	maybe(p, r.Date, p.time)
	p.text(r.Other.Name)
	if r.Other.Name != "" {
		p.text(r.Other.Chain)
		p.text(r.Other.Unread)
	}
	p.text(r.LeftOut)
	*p = append(*p, r.Listing[:]...)
	maybe(p, r.Above, p.wei)
}

func (p *packer) item(i *Item) {
	p.text(string(i.Outcome))
	var row chain.Optional[*Row]
	if i.Row != nil {
		row = chain.Some(i.Row)
	}
	maybe(p, row, p.row)
	maybe(p, i.Transaction, p.transaction)
	maybe(p, i.Chain, p.wei)
	maybe(p, i.Difference, p.signedWei)
	p.number(uint64(len(i.Notes)))
	for _, note := range i.Notes {
		p.text(note)
	}
	p.flag(i.mayBeNamed)
	p.number(uint64(i.cut))
}

func (p *packer) transaction(t Transaction) {
	p.place(t.Place)
	maybe(p, t.Time, p.time)
	p.hash(t.Hash)
	maybe(p, t.EVMHash, p.hash)
	maybe(p, t.Payer, p.address)
	p.text(string(t.Layer))
	p.text(t.Call)
}

// unpacker reads what packer wrote. It keeps the first error, which means that another program changed the file.
type unpacker struct {
	left []byte
	err  error
}

var errKept = errors.New("the temporary file was altered")

func (u *unpacker) fail() {
	if u.err == nil {
		u.err = errKept
	}
}

func (u *unpacker) number() uint64 {
	n, length := binary.Uvarint(u.left)
	if length <= 0 {
		u.fail()
		return 0
	}
	u.left = u.left[length:]
	return n
}

func (u *unpacker) fill(into []byte) {
	if copy(into, u.left) < len(into) {
		u.fail()
		return
	}
	u.left = u.left[len(into):]
}

func (u *unpacker) text() string {
	n := u.number()
	if n > uint64(len(u.left)) {
		u.fail()
		return ""
	}
	text := string(u.left[:n])
	u.left = u.left[n:]
	return text
}

// maybeRead reads an optional value.
func maybeRead[T any](u *unpacker, read func() T) (none chain.Optional[T]) {
	if u.number() == 0 {
		return none
	}
	return chain.Some(read())
}

func (u *unpacker) hash() (h chain.Hash) {
	u.fill(h[:])
	return h
}

func (u *unpacker) address() (a chain.Address) {
	if u.number() == chain.AddressSize {
		var bytes [chain.AddressSize]byte
		u.fill(bytes[:])
		return chain.Address20(bytes)
	}
	var bytes [chain.LongAddressSize]byte
	u.fill(bytes[:])
	return chain.Address32(bytes)
}

func (u *unpacker) place() ledger.Place {
	return ledger.Place{Height: u.number(), Row: int(u.number())}
}

func (u *unpacker) time() chain.Time           { return parsed(u, chain.TimeAt, u.number()) }
func (u *unpacker) wei() chain.Wei             { return parsed(u, chain.ParseWei, u.text()) }
func (u *unpacker) signedWei() chain.SignedWei { return parsed(u, chain.ParseSignedWei, u.text()) }

func parsed[From, To any](u *unpacker, parse func(From) (To, error), from From) To {
	v, err := parse(from)
	if err != nil {
		u.fail()
	}
	return v
}

func (u *unpacker) row() (r Row) {
	r.File = u.text()
	r.Line = int(u.number())
	r.Hash = maybeRead(u, u.hash)
	r.EVMHash = maybeRead(u, u.hash)
	r.ExtrinsicHash = maybeRead(u, u.hash)
	r.Place = maybeRead(u, u.place)
	r.Fee = u.wei()
	r.Digits = int(u.number())
	r.Binary, r.Written = Unit(u.text()), Unit(u.text())
	r.Account = maybeRead(u, u.address)
	r.Payer = u.text()
	r.Date = maybeRead(u, u.time)
	if r.Other.Name = u.text(); r.Other.Name != "" {
		r.Other.Chain, r.Other.Unread = u.text(), u.text()
	}
	r.LeftOut = u.text()
	u.fill(r.Listing[:])
	r.Above = maybeRead(u, u.wei)
	return r
}

func (u *unpacker) item() (i Item) {
	i.Outcome = Outcome(u.text())
	if row, ok := maybeRead(u, u.row).Get(); ok {
		if i.Row = &row; row.hasFee() {
			i.Books = chain.Some(row.Fee)
		}
	}
	i.Transaction = maybeRead(u, u.transaction)
	i.Chain = maybeRead(u, u.wei)
	i.Difference = maybeRead(u, u.signedWei)
	for range u.number() {
		if i.Notes = append(i.Notes, u.text()); u.err != nil {
			break
		}
	}
	i.mayBeNamed = u.number() == 1
	i.cut = int(u.number())
	return i
}

func (u *unpacker) transaction() (t Transaction) {
	t.Place = u.place()
	t.Time = maybeRead(u, u.time)
	t.Hash = u.hash()
	t.EVMHash = maybeRead(u, u.hash)
	t.Payer = maybeRead(u, u.address)
	t.Layer = fee.Layer(u.text())
	t.Call = u.text()
	return t
}
