package ledger

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// Block is one as the book has it.
type Block struct {
	Height        uint64
	Hash          chain.Hash
	ParentHash    chain.Hash
	Time          chain.Optional[chain.Time]
	Runtime       chain.Optional[uint32]
	Rules         string
	Certain       bool // by the rules, or by the evidence
	BaseFeePerGas chain.Optional[chain.GasPrice]
	EVM, Native   uint64 // transactions
	Inherents     uint64
	Undetermined  uint64
	Fee           chain.Wei
	EVMFee        chain.Wei
	NativeFee     chain.Wei
	Charged       chain.Optional[chain.Wei]
	Burned        chain.Optional[chain.Wei]
	Treasury      chain.Optional[chain.Wei]
	Author        chain.Optional[chain.Wei]
	Final, Sealed bool
}

// Place is where the block is.
func (b *Block) Place() Place { return Place{Height: b.Height} }

// Blocks are those of a query, in the order of their heights.
func (b *Book) Blocks(ctx context.Context, q Query) iter.Seq2[*Block, error] {
	if len(q.Accounts) > 0 {
		return failed[Block](errAccounts)
	}
	return func(yield func(*Block, error) bool) {
		sealed, err := b.sealing(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		decoded(b.rowsIn(ctx, q, everyRow, blocks), blocks, func(_ *rowsOf, r row) (*Block, error) {
			c := cells{row: r, columns: tables[blocks].columns}
			x := Block{Height: c.number(), Hash: c.hash(), ParentHash: c.hash(), Time: c.optionalTime()}
			if version, known := c.optionalNumber(math.MaxUint32).Get(); known {
				x.Runtime = chain.Some(uint32(version))
			}
			x.Rules, x.Certain, x.BaseFeePerGas = c.text(), c.flag(), c.optionalGasPrice()
			c.optionalNumber(math.MaxInt64) // where the multiplier is stored
			c.optionalWei()                 // the multiplier
			x.EVM, x.Native, x.Inherents, x.Undetermined = c.number(), c.number(), c.number(), c.number()
			x.Fee, x.EVMFee, x.NativeFee = c.wei(), c.wei(), c.wei()
			x.Charged, x.Burned, x.Treasury, x.Author = c.optionalWei(), c.optionalWei(), c.optionalWei(), c.optionalWei()
			x.Sealed = x.Height < uint64(sealed)
			final := cells{row: c.row, columns: c.columns, next: finalColumn}
			x.Final = final.flag()
			return &x, cmp.Or(c.err, final.err)
		})(yield)
	}
}

// fewRows reads the rows of a table that few blocks have rows of. How many blocks those are,
// the leaves of all blocks say.
func (b *Book) fewRows(ctx context.Context, q Query, table int) iter.Seq2[*rowsOf, error] {
	return func(yield func(*rowsOf, error) bool) {
		span, shared, p := q.span(), b.engine.shared(), pager{Query: &q}
		heights, err := heightsBy(ctx, shared, q.heights(), "SELECT DISTINCT height FROM "+tables[table].name+" WHERE height >= ? AND height <= ?", span.bounds()...)
		if err == nil && len(q.Accounts) > 0 {
			err = errAccounts
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if len(heights) == q.heights() {
			span.Last = heights[len(heights)-1]
		}
		for r, err := range b.walkHeights(ctx, shared, heights, []int{table}) {
			if err == nil {
				p.pick(r, table, everyRow)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := b.countLeaves(ctx, shared, span, table, uint64(len(heights))); err != nil {
			yield(nil, err)
		}
	}
}

// countLeaves wants so many blocks of a span to have a leaf of a table, and no sealed block
// of it to be missing.
func (b *Book) countLeaves(ctx context.Context, q querier, span Span, table int, want uint64) error {
	sealed, err := b.sealed(ctx)
	if err != nil {
		return err
	}
	expected := uint64(0) // blocks, at least
	if s, ok := sealed.Get(); ok && max(span.First, s.First) <= min(span.Last, s.Last) {
		expected = Span{max(span.First, s.First), min(span.Last, s.Last)}.Blocks()
	}
	var all, have uint64
	err = leafHeads(ctx, q, span, func(there uint16, count uint64) {
		all += count
		if there&(1<<leafOf(table)) != 0 {
			have += count
		}
	})
	if err == nil && (have != want || all < expected) {
		err = fmt.Errorf("%w: table %s: %d blocks of %v have rows, and %d had", ErrDamaged, tables[table].name, want, span, have)
	}
	return b.blamed(ctx, q, table, err)
}

// Finding is a check that did not hold, as the book has it.
type Finding struct {
	Position int // among the block's findings
	evidence.Finding
}

// Place is where the finding is.
func (f *Finding) Place() Place { return Place{f.Block, f.Position} }

// Findings are the checks of a query's blocks that did not hold.
func (b *Book) Findings(ctx context.Context, q Query) iter.Seq2[*Finding, error] {
	return decoded(b.fewRows(ctx, q, findings), findings, func(_ *rowsOf, r row) (*Finding, error) {
		c := cells{row: r, columns: tables[findings].columns}
		f := Finding{Finding: evidence.Finding{Block: c.number()}, Position: int(c.number())}
		f.Check = c.text()
		if index, known := c.optionalNumber(math.MaxInt32).Get(); known {
			f.Extrinsic = chain.Some(int(index))
		}
		f.Message = c.text()
		return &f, c.err
	})
}

// Unclassified is a balances event of which it is not known what it moved.
type Unclassified struct {
	Height     uint64
	Position   int // among the block's events of the kind
	Where      chain.Where
	EventIndex int
	Event      string
	Data       string // JSON, as the gateway wrote it
	Reason     string
}

// Place is where the event is.
func (u *Unclassified) Place() Place { return Place{u.Height, u.Position} }

// Unclassified are the balances events of a query's blocks that are not understood.
func (b *Book) Unclassified(ctx context.Context, q Query) iter.Seq2[*Unclassified, error] {
	return decoded(b.fewRows(ctx, q, unclassified), unclassified, func(_ *rowsOf, r row) (*Unclassified, error) {
		c := cells{row: r, columns: tables[unclassified].columns}
		u := Unclassified{
			Height: c.number(), Position: int(c.number()), Where: c.where(), EventIndex: int(c.number()),
			Event: c.text(), Data: c.text(), Reason: c.text(),
		}
		return &u, c.err
	})
}
