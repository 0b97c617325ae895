package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Content is a block with everything that its digest covers. Not covered is the class of a transaction,
// which may change.
type Content struct {
	*Block
	Transactions []Transaction
	Movements    []Movement
	Transfers    []Transfer
	Unclassified []Unclassified
	Digest       Digest

	extended bool // see recordExtended
	known    known
	each     []Sums // of its transactions
	sums     Sums   // of the block
}

// The first byte of each record is its version; a changed record format needs another number. An extended record also has
// [assetFields] and [reasonField]. A record is extended only if a fee was paid in an asset, or the reason of a hold is known.
const (
	recordVersion  = 1
	recordExtended = 2
)

// A record starts with its version, the block's height (8 bytes, big-endian), its hash and its parent's
// hash. SQL views read them at these offsets.
const (
	hashAt   = 1 + 8
	parentAt = hashAt + len(chain.Hash{})
	headSize = parentAt + len(chain.Hash{})
)

// code codes the rest of the record. Positions are the indexes of rows in their lists.
func (c *Content) code(to *coder, s *selection) {
	start := to.values
	c.codeCosts(to, s)
	if s.settled && hasAny(c.Transactions, (*Transaction).HoldsDeposits) {
		s, to.values = &selection{}, start
		c.codeCosts(to, s)
	}
	someRows(to, &c.Movements, c.movementFields(), s.movements)
	if causes := s.causesIn(c); causes != s {
		rest := to.values
		to.values = start
		c.codeCosts(to, causes)
		to.values = rest
	}
	someRows(to, &c.Transfers, transferFields, s.transfers)
	columns(to, &c.Unclassified, unclassifiedFields)
}

// codeCosts codes the first part: the block and its transactions.
func (c *Content) codeCosts(to *coder, s *selection) {
	for _, f := range blockFields {
		to.cell(f.at(c.Block))
	}
	someRows(to, &c.Transactions, c.transactionFields(), s.transactions)
}

// selection selects rows of blocks. A test of nil selects all rows of its kind.
type selection struct {
	transactions *rowTest[Transaction]
	movements    *rowTest[Movement]
	transfers    *rowTest[Transfer]
	settled      bool // settles the movements, for which all rows of some blocks are read
	causes       bool // selects also the transactions that caused selected movements
}

// causesIn returns the selection with the transactions that caused a block's selected movements.
func (s *selection) causesIn(c *Content) *selection {
	if !s.causes {
		return s
	}
	moved := map[int]bool{} // the places of the movements
	for i := range c.Movements {
		m := &c.Movements[i]
		if index, is := m.Where.Extrinsic(); is && s.movements.wanted(m) {
			moved[index] = true
		}
	}
	for i := range c.Transactions {
		if t := &c.Transactions[i]; s.transactions.wanted(t) {
			delete(moved, t.Index)
		}
	}
	if len(moved) == 0 {
		return s
	}
	more, test := *s, *s.transactions
	test.fields = slices.Clone(test.fields)
	test.fields[0] = true // the index
	test.wanted = func(t *Transaction) bool { return moved[t.Index] || s.transactions.wanted(t) }
	more.transactions = &test
	return &more
}

// decoder decodes blocks with copies of the selected rows. The selection has all tests.
func (s *selection) decoder(d depth) decoder[*Content] {
	return func(by *coder, r *blockRow) (*Content, error) {
		return r.trimmed(by, d, s, func(c *Content) {
			if s.settled {
				c.settle()
			}
			c.Transactions, c.Movements, c.Transfers = copies(c.Transactions, s.causesIn(c).transactions.wanted), copies(c.Movements, s.movements.wanted), copies(c.Transfers, s.transfers.wanted)
		})
	}
}

// someTransactions selects the transactions that are wanted by the named fields, and no other rows.
func someTransactions(wanted func(*Transaction) bool, names ...string) *selection {
	return &selection{
		transactions: testOf(transactionFields, wanted, names...),
		movements:    testOf(movementFields, func(*Movement) bool { return false }),
		transfers:    testOf(transferFields, func(*Transfer) bool { return false }),
	}
}

// transactionFields and movementFields return the fields of the record's version.
func (c *Content) transactionFields() []field[Transaction] {
	if c.extended {
		return slices.Concat(transactionFields, assetFields)
	}
	return transactionFields
}

func (c *Content) movementFields() []field[Movement] {
	if c.extended {
		return append(slices.Clip(movementFields), reasonField)
	}
	return movementFields
}

// extends reports whether the content needs an extended record.
func (c *Content) extends() bool {
	return hasAny(c.Movements, func(m *Movement) bool { return m.Reason.Known() }) || c.hasAssetFees()
}

func (c *Content) hasAssetFees() bool { return hasAny(c.Transactions, (*Transaction).InAsset) }

// hasAny reports whether a list has a wanted value.
func hasAny[T any](list []T, wanted func(*T) bool) bool {
	for i := range list {
		if wanted(&list[i]) {
			return true
		}
	}
	return false
}

// record returns the bytes whose SHA-256 is the block's digest.
func (c *Content) record(by *coder) []byte {
	version := byte(recordVersion)
	if c.extended = c.extends(); c.extended {
		version = recordExtended
	}
	head := binary.BigEndian.AppendUint64([]byte{version}, c.Height)
	head = append(append(head, c.Hash[:]...), c.ParentHash[:]...)
	return by.encoded(head, func() { c.code(by, &selection{}) })
}

// blockRow is a row of the table blocks.
type blockRow struct {
	height uint64
	time   chain.Optional[chain.Time] // for SQL; also in the record
	flags  flags
	record []byte
	known  nullable
	sum    []byte

	sealed   bool   // if known
	wrong    error  // a column contains an invalid value
	digested Digest // zero until it is needed
}

var rowFields = []field[blockRow]{
	{"height", fact, func(r *blockRow) any { return &r.height }},
	{"time_ms", fact, func(r *blockRow) any { return &r.time }},
	{"flags", fact, func(r *blockRow) any { return (*uint64)(&r.flags) }},
	{"record", fact, func(r *blockRow) any { return &r.record }},
	{"known", fact, func(r *blockRow) any { return &r.known }},
	{"sum", fact, func(r *blockRow) any { return &r.sum }},
}

var rowColumns = columnsOf(rowFields)

// sumOf returns the SHA-256 of the record's digest, the time (8 bytes, big-endian, all ones if there is
// none), the flags (likewise), and the column known.
func (r *blockRow) sumOf(digest Digest) Digest {
	ms := ^uint64(0)
	if at, timed := r.time.Get(); timed {
		ms = millisOf(at)
	}
	text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(digest[:], ms), uint64(r.flags))
	return sha256.Sum256(append(text, r.known...))
}

// digest returns the block's digest.
func (r *blockRow) digest() Digest {
	if r.digested == (Digest{}) {
		r.digested = sha256.Sum256(r.record)
	}
	return r.digested
}

// check returns an error if the row is not what was written.
func (r *blockRow) check() error {
	var sum Digest
	switch {
	case r.wrong != nil:
		return r.wrong
	case len(r.record) < headSize || r.record[0] != recordVersion && r.record[0] != recordExtended:
		return fmt.Errorf("its record does not have version %d or %d", recordVersion, recordExtended)
	case binary.BigEndian.Uint64(r.record[1:]) != r.height:
		return fmt.Errorf("its record belongs to block %d", binary.BigEndian.Uint64(r.record[1:]))
	case fill(sum[:], r.sum) != nil || r.sumOf(r.digest()) != sum:
		return fmt.Errorf("it was altered: its sum is %v, not %x", r.sumOf(r.digest()), r.sum)
	}
	return nil
}

// checked is check with the error as damage.
func (r *blockRow) checked() error {
	if err := r.check(); err != nil {
		return damagedBlock(r.height, "%v", err)
	}
	return nil
}

func damagedBlock(height uint64, format string, arguments ...any) error {
	return damaged("block %d, table blocks: %s", height, fmt.Sprintf(format, arguments...))
}

// hash returns the block's hash.
func (r *blockRow) hash() chain.Hash { return chain.Hash(r.record[hashAt:parentAt]) }

// parentHash returns the parent block's hash.
func (r *blockRow) parentHash() chain.Hash { return chain.Hash(r.record[parentAt:headSize]) }

// depth is how much of a block is decoded.
type depth int

const (
	transactionsOnly depth = iota // the block and its transactions
	withSums                      // plus their sums
	allRows                       // the block with all of its rows, without sums
	everything
)

// content is decoded with the error as damage.
func (r *blockRow) content(by *coder, d depth) (*Content, error) {
	c := &Content{}
	return c, r.contentInto(c, by, d, &selection{})
}

// contentInto decodes the block into c, with the selected rows. It reuses the rows of c.
func (r *blockRow) contentInto(c *Content, by *coder, d depth, s *selection) error {
	if err := r.decoded(c, by, d, s); err != nil {
		return damagedBlock(r.height, "%v", err)
	}
	return nil
}

// trimmed decodes the block with the selected rows, and keeps those that trim leaves, which must be copies: the others are
// overwritten by the next block.
func (r *blockRow) trimmed(by *coder, d depth, s *selection, trim func(*Content)) (*Content, error) {
	c := by.room
	err := r.contentInto(&c, by, d, s)
	by.room = Content{Transactions: c.Transactions, Movements: c.Movements, Transfers: c.Transfers, each: c.each}
	c.each = nil
	if err == nil {
		trim(&c)
	}
	return &c, err
}

// decoded decodes a checked record, with the selected rows, and the column known.
func (r *blockRow) decoded(c *Content, by *coder, d depth, s *selection) error {
	b := &Block{Height: r.height, Hash: r.hash(), ParentHash: r.parentHash(), Final: r.flags&notFinal == 0, Sealed: r.sealed}
	c.Block, c.Digest, c.extended = b, r.digest(), r.record[0] == recordExtended
	code := c.codeCosts
	if d >= allRows {
		code = c.code
	}
	err := by.decode(r.record[headSize:], func() {
		if d == everything {
			by.checkAmounts()
		}
		code(by, s)
	})
	if err == nil && d >= allRows && len(by.values) > 0 {
		err = errCoded
	}
	if err == nil {
		c.known, err = readKnown(r.known)
	}
	if err == nil && (d == withSums || d == everything) {
		err = c.sumUp()
	}
	if err != nil {
		return fmt.Errorf("its record: %w", err)
	}
	if r.time != b.Time || d >= allRows && r.flags != flagsOf(c, &c.known) {
		return errors.New("its time or its flags differ from its record")
	}
	c.place()
	return nil
}

// place sets each row's block and position.
func (c *Content) place() {
	for i := range c.Transactions {
		t := &c.Transactions[i]
		t.Height, t.Time, t.Rules, t.Final, t.Sealed, t.Failed = c.Height, c.Time, c.Rules, c.Final, c.Sealed, c.known.failed(t.Index)
		for _, d := range c.known.Diagnoses {
			if d.Extrinsic == t.Index {
				t.Class = d.Class
			}
		}
	}
	for i := range c.Movements {
		m := &c.Movements[i]
		m.Height, m.Time, m.Final, m.Position = c.Height, c.Time, c.Final, i
	}
	for i := range c.Transfers {
		x := &c.Transfers[i]
		x.Height, x.Time, x.Position = c.Height, c.Time, i
	}
	for i := range c.Unclassified {
		c.Unclassified[i].Height, c.Unclassified[i].Position = c.Height, i
	}
}

// Record is the input of a block's digest.
type Record struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Digest Digest
	Bytes  []byte
}

// Records returns the records of a span's blocks, in order of height.
func (b *Book) Records(ctx context.Context, span chain.Heights) iter.Seq2[*Record, error] {
	return walk(ctx, b, nil, span, func(_ *coder, r *blockRow) (*Record, error) {
		return &Record{r.height, r.time, r.digest(), r.record}, nil
	})
}

// Contents returns the blocks of a span with everything that their seal covers, in order of height.
func (b *Book) Contents(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return b.contents(ctx, nil, span, everything)
}
