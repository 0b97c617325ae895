package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// coder encodes values, or decodes them: one description of a row serves both.
//
// The distinct texts, accounts and amounts come first, as lists. The values follow. For a text, account or
// amount, a value is its list index plus one, or 0 if unknown; an optional number is the number plus one, or
// 0. All are unsigned varints (LEB128). Hashes and seals are stored verbatim; an optional one follows a 1,
// and a 0 stands for none.
type coder struct {
	reading  bool
	values   []byte
	texts    places[string]
	accounts places[chain.Address]
	amounts  places[[32]byte]
	packed   [][]byte          // the amounts to read, as appendAmount writes them
	known    map[string]string // interned texts
	room     Content           // rows that are reused; see trimmed
	wanted   []int             // indexes of rows; see someRows
	err      error
}

// usualTexts start every list of texts. The list is part of the format and never changes.
var usualTexts = []string{
	"evm", "native", "legacy", "eip2930", "eip1559", "eip7702", "ethereum.transact", "rule", "cash", "succeeded", "reverted", "out_of_gas", "failed",
	"match", "drift", "cash_only", "no_evidence", "Stopped", "Returned", "Reverted", "OutOfGas", "Suicided",
	"balances.Withdraw", "balances.Deposit", "balances.Transfer", "balances.Reserved", "balances.Unreserved", "balances.Endowed", "balances.Issued",
	"deposit", "withdrawal", "transfer-out", "transfer-in", "reserve", "unreserve", "mint", "burn",
}

var usualPlaces = func() map[string]uint64 {
	places := map[string]uint64{}
	for i, text := range usualTexts {
		places[text] = uint64(i)
	}
	return places
}()

// places maps values to their list indexes.
type places[K comparable] struct {
	list []K
	of   map[K]uint64
}

func (p *places[K]) clear() {
	p.list = p.list[:0]
	clear(p.of)
}

// place returns the index of a value, and adds it if it is new.
func (p *places[K]) place(k K) uint64 {
	n, ok := p.of[k]
	if !ok {
		if p.of == nil {
			p.of = map[K]uint64{}
		}
		n = uint64(len(p.list))
		p.list, p.of[k] = append(p.list, k), n
	}
	return n
}

// encoded appends the encoding of everything that code codes to out.
func (c *coder) encoded(out []byte, code func()) []byte {
	c.reading, c.values = false, c.values[:0]
	c.texts.clear()
	c.accounts.clear()
	c.amounts.clear()
	code()
	out = binary.AppendUvarint(out, uint64(len(c.texts.list)))
	for _, text := range c.texts.list {
		out = append(binary.AppendUvarint(out, uint64(len(text))), text...)
	}
	sized := slices.ContainsFunc(c.accounts.list, isLong)
	out = binary.AppendUvarint(out, uint64(len(c.accounts.list))|flag(sized)*sizedBit)
	for i := range c.accounts.list {
		if sized {
			out = append(out, byte(c.accounts.list[i].Size()))
		}
		out = append(out, c.accounts.list[i].Bytes()...)
	}
	out = binary.AppendUvarint(out, uint64(len(c.amounts.list)))
	for i := range c.amounts.list {
		out = appendAmount(out, &c.amounts.list[i])
	}
	return append(out, c.values...)
}

// errCoded reports bytes that encoded cannot have written.
var errCoded = errors.New("not what was written")

// decode reads everything that code codes.
func (c *coder) decode(text []byte, code func()) error {
	c.reading, c.values, c.err = true, text, nil
	c.texts.list, c.accounts.list, c.packed = c.texts.list[:0], c.accounts.list[:0], c.packed[:0]
	for n := c.count(); n > 0; n-- {
		c.texts.list = append(c.texts.list, c.once(c.bytes(c.count())))
	}
	n, sized := c.accountCount()
	for ; n > 0; n-- {
		size := chain.AddressSize
		if sized {
			size = int(c.bytes(1)[0])
		}
		a, err := chain.AddressOf(c.bytes(size))
		if err != nil {
			c.fail()
		}
		c.accounts.list = append(c.accounts.list, a)
	}
	for n := c.count(); n > 0; n-- {
		c.packed = append(c.packed, c.packedAmount())
	}
	code()
	return c.err
}

// maxTexts limits the interned texts. A chain has a few hundred calls.
const maxTexts = 10_000

// once interns a text; the same ones recur all the time.
func (c *coder) once(text []byte) string {
	s, ok := c.known[string(text)]
	if !ok {
		if c.known == nil || len(c.known) == maxTexts {
			c.known = map[string]string{}
		}
		s = string(text)
		c.known[s] = s
	}
	return s
}

// fail stops reading.
func (c *coder) fail() {
	c.values = nil
	if c.err == nil {
		c.err = errCoded
	}
}

// bytes returns the next n bytes, or zeros if there are fewer.
func (c *coder) bytes(n int) []byte {
	if n > len(c.values) {
		c.fail()
		return make([]byte, min(n, len(chain.Hash{})))
	}
	b := c.values[:n:n]
	c.values = c.values[n:]
	return b
}

// number codes a number.
func (c *coder) number(n uint64) uint64 {
	if !c.reading {
		c.values = binary.AppendUvarint(c.values, n)
		return n
	}
	n, size := binary.Uvarint(c.values)
	if size <= 0 {
		c.fail()
		return 0
	}
	c.values = c.values[size:]
	return n
}

// upTo codes a number that must not exceed limit.
func (c *coder) upTo(limit, n uint64) uint64 {
	if n = c.number(n); c.reading && n > limit {
		c.fail()
		return 0
	}
	return n
}

// count reads a number of items that take at least one byte each.
func (c *coder) count() int {
	n := c.number(0)
	if n > uint64(len(c.values)) {
		c.fail()
		return 0
	}
	return int(n)
}

// sizedBit marks the number of accounts in a list with one of 32 bytes: each account's size precedes it.
const sizedBit = 1 << 32

func isLong(a chain.Address) bool { return a.Size() != chain.AddressSize }

// accountCount reads the number of accounts, and whether their sizes precede them.
func (c *coder) accountCount() (n uint64, sized bool) {
	n = c.number(0)
	sized = n&sizedBit != 0
	if n &^= sizedBit; n > uint64(len(c.values)) {
		c.fail()
		return 0, false
	}
	return n, sized
}

// roundBit marks the length of an amount that is stored in billions: most amounts are round.
const (
	roundBit = 1 << 7
	billion  = 1_000_000_000
)

// appendAmount writes a length and that many bytes, big-endian.
func appendAmount(out []byte, word *[32]byte) []byte {
	short, round := *word, byte(0)
	high, low := binary.BigEndian.Uint64(word[16:]), binary.BigEndian.Uint64(word[24:])
	if [16]byte(word[:16]) == [16]byte{} && low&511 == 0 && high|low != 0 { // else it is not a multiple of a billion
		top, rest := bits.Div64(0, high, billion)
		bottom, rest := bits.Div64(rest, low, billion)
		if rest == 0 {
			round = roundBit
			binary.BigEndian.PutUint64(short[16:], top)
			binary.BigEndian.PutUint64(short[24:], bottom)
		}
	}
	zeros := 0
	for zeros < len(short) && short[zeros] == 0 {
		zeros++
	}
	return append(append(out, byte(len(short)-zeros)|round), short[zeros:]...)
}

// packedAmount reads what appendAmount wrote.
func (c *coder) packedAmount() []byte {
	size := 0
	if len(c.values) > 0 {
		size = int(c.values[0] &^ roundBit)
	}
	return c.bytes(1 + size)
}

// checkAmounts checks the amounts to read, also those that no row refers to.
func (c *coder) checkAmounts() {
	for _, packed := range c.packed {
		c.amount(packed)
	}
}

// amount returns the amount that appendAmount wrote.
func (c *coder) amount(packed []byte) (word [32]byte) {
	size, round := len(packed)-1, packed[0]&roundBit != 0
	if size > len(word) || round && size > 16 {
		c.fail()
		return word
	}
	copy(word[len(word)-size:], packed[1:])
	if !round {
		return word
	}
	top, overflow := bits.Mul64(binary.BigEndian.Uint64(word[16:]), billion)
	carry, low := bits.Mul64(binary.BigEndian.Uint64(word[24:]), billion)
	high, more := bits.Add64(overflow, carry, 0)
	if top != 0 || more != 0 {
		c.fail()
	}
	binary.BigEndian.PutUint64(word[16:], high)
	binary.BigEndian.PutUint64(word[24:], low)
	return word
}

// account codes the list index of an account, or none.
func (c *coder) account(a *chain.Address, none bool) (known bool) {
	n := uint64(0)
	if !c.reading && !none {
		n = c.accounts.place(*a) + 1
	}
	if n = c.upTo(uint64(len(c.accounts.list)), n); n > 0 && c.reading {
		*a = c.accounts.list[n-1]
	}
	return n > 0
}

// text codes a text; "" stands for none.
func (c *coder) text(s *string) {
	usual := uint64(len(usualTexts))
	if c.reading {
		switch n := c.number(0); {
		case n == 0:
			*s = ""
		case n <= usual:
			*s = usualTexts[n-1]
		case n-usual <= uint64(len(c.texts.list)):
			*s = c.texts.list[n-usual-1]
		default:
			c.fail()
		}
		return
	}
	if *s == "" {
		c.number(0)
	} else if n, ok := usualPlaces[*s]; ok {
		c.number(n + 1)
	} else {
		c.number(usual + c.texts.place(clean(*s)) + 1)
	}
}

// raw codes bytes of a fixed length verbatim.
func (c *coder) raw(b []byte) {
	if c.reading {
		copy(b, c.bytes(len(b)))
	} else {
		c.values = append(c.values, b...)
	}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// optional codes an optional value.
func optional[T any](c *coder, o *chain.Optional[T], code func(x *T, none bool) (known bool)) {
	x, known := o.Get()
	if code(&x, !known) && c.reading {
		*o = chain.Some(x)
	}
}

// ordinal codes an optional value that has a number of at most limit.
func ordinal[T any](c *coder, o *chain.Optional[T], limit uint64, number func(T) uint64, of func(uint64) (T, error)) {
	optional(c, o, func(x *T, none bool) bool {
		n := uint64(0)
		if !none {
			n = number(*x) + 1
		}
		n = c.upTo(limit+1, n)
		if n > 0 && c.reading {
			var err error
			if *x, err = of(n - 1); err != nil {
				c.fail()
			}
		}
		return n > 0
	})
}

// small codes an optional number that must not exceed limit.
func small[N uint32 | uint64 | int](c *coder, o *chain.Optional[N], limit uint64) {
	ordinal(c, o, limit, func(n N) uint64 { return uint64(n) }, func(n uint64) (N, error) { return N(n), nil })
}

// quantity codes an amount of up to 256 bits.
func quantity[Q any](c *coder, q *Q, none bool, word func(Q) [32]byte, of func([32]byte) (Q, error)) (known bool) {
	n := uint64(0)
	if !c.reading && !none {
		n = c.amounts.place(word(*q)) + 1
	}
	if n = c.upTo(uint64(len(c.packed)), n); n > 0 && c.reading {
		var err error
		if *q, err = of(c.amount(c.packed[n-1])); err != nil {
			c.fail()
		}
	}
	return n > 0
}

// quantityOr codes an optional amount of up to 256 bits.
func quantityOr[Q any](c *coder, o *chain.Optional[Q], word func(Q) [32]byte, of func([32]byte) (Q, error)) {
	optional(c, o, func(q *Q, none bool) bool { return quantity(c, q, none, word, of) })
}

// counterOr codes an optional quantity of 64 bits.
func counterOr[Q interface{ Uint64() uint64 }](c *coder, o *chain.Optional[Q], of func(uint64) Q) {
	quantityOr(c, o, func(q Q) (word [32]byte) {
		binary.BigEndian.PutUint64(word[24:], q.Uint64())
		return word
	}, func(word [32]byte) (q Q, err error) {
		if [24]byte(word[:24]) != [24]byte{} {
			return q, errCoded
		}
		return of(binary.BigEndian.Uint64(word[24:])), nil
	})
}

// signed codes an optional difference: 0 if unknown, 1 if zero, otherwise twice the index of its amount,
// plus 2, plus 1 if it is negative.
func (c *coder) signed(o *chain.Optional[chain.SignedWei]) {
	if s, known := o.Get(); !c.reading && known && s.Sign() != 0 {
		c.number(2 + 2*c.amounts.place(s.Size().Word()) + flag(s.Sign() < 0))
		return
	} else if !c.reading {
		c.number(flag(known))
		return
	}
	n := c.number(0)
	switch at := n/2 - 1; {
	case n == 0:
	case n == 1:
		*o = chain.Some(chain.SignedWei{})
	case at < uint64(len(c.packed)):
		size, err := chain.WeiOf(c.amount(c.packed[at]))
		if err != nil {
			c.fail()
		}
		s := size.Signed()
		if n%2 == 1 {
			s = s.Negated()
		}
		*o = chain.Some(s)
	default:
		c.fail()
	}
}

// where codes a position in a block: 0 is onInitialize, 1 is onFinalize, n+2 is extrinsic n.
func (c *coder) where(w *movement.Where) {
	n := uint64(*w) + 2
	switch *w {
	case movement.OnInitialize:
		n = 0
	case movement.OnFinalize:
		n = 1
	}
	switch n = c.upTo(math.MaxInt32, n); n {
	case 0:
		*w = movement.OnInitialize
	case 1:
		*w = movement.OnFinalize
	default:
		*w = movement.Where(n - 2)
	}
}

func gasPriceOf(word [32]byte) (chain.GasPrice, error) { return chain.GasPriceOf(word), nil }

func tokenAmountOf(word [32]byte) (chain.TokenAmount, error) { return chain.TokenAmountOf(word), nil }

// cell codes the value that a pointer of one of these types refers to.
func (c *coder) cell(cell any) {
	switch x := cell.(type) {
	case *string:
		c.text(x)
	case *nullable:
		c.text((*string)(x))
	case *bool:
		*x = c.upTo(1, flag(*x)) == 1
	case *uint64:
		*x = c.upTo(math.MaxInt64, *x)
	case *int:
		*x = int(c.upTo(math.MaxInt32, uint64(*x)))
	case *int64:
		*x = int64(c.number(uint64(*x)+1)) - 1
	case *unit:
		*x = unit(c.number(uint64(*x)))
	case *movement.Where:
		c.where(x)
	case *chain.Hash:
		c.raw(x[:])
	case *Seal:
		c.raw(x[:])
	case *[]byte:
		c.data(x)
	case *chain.Address:
		c.account(x, false)
	case *chain.Wei:
		quantity(c, x, false, chain.Wei.Word, chain.WeiOf)
	case *chain.TokenAmount:
		quantity(c, x, false, chain.TokenAmount.Word, tokenAmountOf)
	case *chain.Optional[chain.HoldReason]:
		reason, _ := x.Get()
		if c.text((*string)(&reason)); c.reading && reason != "" {
			*x = chain.Some(reason)
		}
	case *chain.Optional[bool]:
		ordinal(c, x, 1, flag, func(n uint64) (bool, error) { return n == 1, nil })
	case *chain.Optional[int]:
		small(c, x, math.MaxInt32)
	case *chain.Optional[uint32]:
		small(c, x, math.MaxUint32)
	case *chain.Optional[uint64]:
		small(c, x, math.MaxInt64)
	case *chain.Optional[chain.Time]:
		ordinal(c, x, math.MaxInt64, millisOf, chain.TimeAt)
	case *chain.Optional[chain.Hash]:
		optional(c, x, func(h *chain.Hash, none bool) bool {
			known := c.upTo(1, flag(!none)) == 1
			if known {
				c.raw(h[:])
			}
			return known
		})
	case *chain.Optional[chain.Address]:
		optional(c, x, c.account)
	case *chain.Optional[chain.Wei]:
		quantityOr(c, x, chain.Wei.Word, chain.WeiOf)
	case *chain.Optional[chain.GasPrice]:
		quantityOr(c, x, chain.GasPrice.Word, gasPriceOf)
	case *chain.Optional[chain.Multiplier]:
		quantityOr(c, x, chain.Multiplier.Word, chain.MultiplierOf)
	case *chain.Optional[chain.SignedWei]:
		c.signed(x)
	case *chain.Optional[chain.Gas]:
		counterOr(c, x, chain.NewGas)
	case *chain.Optional[chain.Nonce]:
		counterOr(c, x, chain.NewNonce)
	case *chain.Optional[chain.RefTime]:
		counterOr(c, x, chain.NewRefTime)
	default:
		panic(fmt.Sprintf("ledger: no encoding for %T", cell))
	}
}

// data codes bytes of any length, or none.
func (c *coder) data(b *[]byte) {
	n := uint64(0)
	if *b != nil {
		n = uint64(len(*b)) + 1
	}
	if n = c.upTo(math.MaxInt32, n); n == 0 {
		*b = nil
	} else if !c.reading {
		c.values = append(c.values, *b...)
	} else {
		*b = c.bytes(int(n - 1))
	}
}

// millisOf returns a time in milliseconds.
func millisOf(t chain.Time) uint64 { return uint64(t.Std().UnixMilli()) }

// rowTest selects rows by some of their fields.
type rowTest[T any] struct {
	fields []bool // that wanted reads
	wanted func(*T) bool
}

// testOf returns the test for rows that are wanted by the named fields.
func testOf[T any](fields []field[T], wanted func(*T) bool, names ...string) *rowTest[T] {
	t := &rowTest[T]{wanted: wanted}
	for _, f := range fields {
		t.fields = append(t.fields, slices.Contains(names, f.name))
	}
	return t
}

// someRows is columns that reads only the rows that a test selects, unless it is nil. Of other rows, it reads only the fields
// that someColumns reads.
func someRows[T any](c *coder, rows *[]T, fields []field[T], test *rowTest[T]) {
	if test == nil {
		columns(c, rows, fields)
		return
	}
	start := c.values
	someColumns(c, rows, fields, test.fields)
	c.wanted = c.wanted[:0]
	for i := range *rows {
		if test.wanted(&(*rows)[i]) {
			c.wanted = append(c.wanted, i)
		}
	}
	if len(c.wanted) == 0 || c.err != nil {
		return
	}
	c.values = start
	c.number(0) // of rows
	for _, f := range fields {
		next := 0
		for _, i := range c.wanted {
			cell := f.at(&(*rows)[i])
			c.skip(cell, i-next)
			c.cell(cell)
			next = i + 1
		}
		c.skip(f.at(&(*rows)[0]), len(*rows)-next)
	}
}

// columns codes rows, column by column.
func columns[T any](c *coder, rows *[]T, fields []field[T]) { someColumns(c, rows, fields, nil) }

// someColumns is columns that reads those that wanted marks or does not list, and skips the others.
func someColumns[T any](c *coder, rows *[]T, fields []field[T], wanted []bool) {
	n := c.number(uint64(len(*rows)))
	if c.reading {
		if *rows = (*rows)[:0]; n > uint64(len(c.values)/len(fields)) { // each field takes at least one byte
			c.fail()
			n = 0
		}
		*rows = slices.Grow(*rows, int(n))[:n]
		clear(*rows)
	}
	for k, f := range fields {
		if k < len(wanted) && !wanted[k] && n > 0 {
			c.skip(f.at(&(*rows)[0]), len(*rows))
			continue
		}
		for i := range *rows {
			c.cell(f.at(&(*rows)[i]))
		}
	}
}

// skip skips n values of the type that cell refers to.
func (c *coder) skip(cell any, n int) {
	switch cell.(type) { // others are numbers
	case *chain.Hash, *Seal:
		c.bytes(n * len(chain.Hash{}))
		return
	case *chain.Optional[chain.Hash]:
		for range n {
			c.bytes(int(c.upTo(1, 0)) * len(chain.Hash{}))
		}
		return
	case *[]byte:
		for range n {
			c.cell(new([]byte))
		}
		return
	}
	at := 0
	for ; at+8 <= len(c.values); at += 8 {
		ends := bits.OnesCount64(^binary.LittleEndian.Uint64(c.values[at:]) & 0x8080808080808080)
		if ends >= n {
			break
		}
		n -= ends
	}
	for ; n > 0 && at < len(c.values); at++ {
		if c.values[at] < 1<<7 { // the last byte of a number
			n--
		}
	}
	if c.values = c.values[at:]; n > 0 {
		c.fail()
	}
}

// digestOf returns the SHA-256 of a value's encoded fields.
func digestOf[T any](fields []field[T], x *T) Digest {
	var c coder
	return sha256.Sum256(c.encoded(nil, func() {
		for _, f := range fields {
			c.cell(f.at(x))
		}
	}))
}
