package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
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
	MultiplierAt  chain.Optional[uint64] // the block that stored the multiplier
	Multiplier    chain.Optional[chain.Multiplier]
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

// blockRow is a block with what its row has beside it.
type blockRow struct {
	Block
	costs  packedCosts
	leaves []byte
}

var blockFields = []field[blockRow]{
	{name: "height", mark: fact, at: func(b *blockRow) any { return &b.Height }},
	{name: "hash", mark: fact, at: func(b *blockRow) any { return &b.Hash }},
	{name: "parent_hash", mark: fact, at: func(b *blockRow) any { return &b.ParentHash }},
	{name: "time_ms", mark: fact, at: func(b *blockRow) any { return &b.Time }},
	{name: "runtime", mark: fact, at: func(b *blockRow) any { return &b.Runtime }},
	{name: "rules", mark: judgement, at: func(b *blockRow) any { return (*wordText)(&b.Rules) }},
	{name: "certain", mark: judgement, at: func(b *blockRow) any { return &b.Certain }},
	{name: "base_fee_per_gas", mark: judgement, at: func(b *blockRow) any { return &b.BaseFeePerGas }},
	{name: "multiplier_at", mark: judgement, at: func(b *blockRow) any { return &b.MultiplierAt }},
	{name: "multiplier", mark: judgement, at: func(b *blockRow) any { return &b.Multiplier }},
	{name: "evm", mark: fact, at: func(b *blockRow) any { return &b.EVM }},
	{name: "native", mark: fact, at: func(b *blockRow) any { return &b.Native }},
	{name: "inherents", mark: fact, at: func(b *blockRow) any { return &b.Inherents }},
	{name: "undetermined", mark: judgement, at: func(b *blockRow) any { return &b.Undetermined }},
	{name: "fee", mark: judgement, at: func(b *blockRow) any { return &b.Fee }},
	{name: "evm_fee", mark: judgement, at: func(b *blockRow) any { return &b.EVMFee }},
	{name: "native_fee", mark: judgement, at: func(b *blockRow) any { return &b.NativeFee }},
	{name: "charged", mark: judgement, at: func(b *blockRow) any { return &b.Charged }},
	{name: "burned", mark: judgement, at: func(b *blockRow) any { return &b.Burned }},
	{name: "treasury", mark: judgement, at: func(b *blockRow) any { return &b.Treasury }},
	{name: "author", mark: judgement, at: func(b *blockRow) any { return &b.Author }},
	{name: "costs", mark: state, at: func(b *blockRow) any { return &b.costs }},
	{name: "final", mark: state, at: func(b *blockRow) any { return &b.Final }},
	{name: "leaves", mark: state, at: func(b *blockRow) any { return &b.leaves }},
}

// Place is where the block is.
func (b *Block) Place() Place { return Place{Height: b.Height} }

// Blocks are those of a query, in the order of their heights.
func (b *Book) Blocks(ctx context.Context, q Query) iter.Seq2[*Block, error] {
	return sequence(func(yield func(*Block) bool) error {
		if len(q.Accounts) > 0 {
			return errAccounts
		}
		sealed, err := b.sealing(ctx)
		if err != nil {
			return err
		}
		return pass(decoded(b.rowsIn(ctx, q, everyRow, blocks), blocks, func(of *rowsOf, _ row) (*Block, error) {
			x, err := of.block()
			x.Sealed = x.Height < uint64(sealed)
			return &x.Block, err
		}), yield)
	})
}

// fewRows reads the rows of a table that few blocks have rows of. How many blocks those are,
// the leaves of all blocks say.
func (b *Book) fewRows(ctx context.Context, q Query, table int) iter.Seq2[*rowsOf, error] {
	return sequence(func(yield func(*rowsOf) bool) error {
		if len(q.Accounts) > 0 {
			return errAccounts
		}
		span, shared, p := q.span(), b.engine.shared(), pager{Query: &q}
		heights, err := heightsBy(ctx, shared, q.heights(), "SELECT DISTINCT height FROM "+tables[table].name+" WHERE height >= ? AND height <= ?", bounds(span)...)
		if err != nil {
			return err
		}
		if len(heights) == q.heights() {
			span.Last = heights[len(heights)-1]
		}
		for r, err := range b.walkHeights(ctx, nil, heights, []int{table}) {
			if err != nil {
				return err
			}
			if p.pick(r, table, everyRow); !yield(r) {
				return nil
			}
		}
		return b.countLeaves(ctx, span, table, uint64(len(heights)))
	})
}

// countLeaves wants so many blocks of a span to have a leaf of a table, and no sealed block
// of it to be missing.
func (b *Book) countLeaves(ctx context.Context, span chain.Heights, table int, want uint64) error {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return err
	}
	n, err := b.blocksWith(ctx, q, &c, span)
	if err != nil {
		return err
	}
	if have := n.with[slices.Index(fewTables[:], table)]; have != want {
		err = fmt.Errorf("%w: table %s: %d blocks of %v have rows, and %d had", ErrDamaged, tables[table].name, want, span, have)
	}
	return b.blamed(ctx, q, table, err)
}

// Finding is a check that did not hold, as the book has it.
type Finding struct {
	Position int // among the block's findings
	evidence.Finding
}

var findingFields = []field[Finding]{
	{name: "height", mark: fact, at: func(f *Finding) any { return &f.Block }},
	{name: "position", mark: fact, at: func(f *Finding) any { return &f.Position }},
	{name: "check_id", mark: judgement, at: func(f *Finding) any { return &f.Check }},
	{name: "extrinsic", mark: judgement, at: func(f *Finding) any { return &f.Extrinsic }},
	{name: "message", mark: judgement, at: func(f *Finding) any { return &f.Message }},
}

// Place is where the finding is.
func (f *Finding) Place() Place { return Place{f.Block, f.Position} }

// Findings are the checks of a query's blocks that did not hold.
func (b *Book) Findings(ctx context.Context, q Query) iter.Seq2[*Finding, error] {
	return rowsAs(b.fewRows(ctx, q, findings), findings, findingFields, nil)
}

// Unclassified is a balances event of which it is not known what it moved.
type Unclassified struct {
	Height     uint64
	Position   int // among the block's events of the kind
	Where      movement.Where
	EventIndex int
	Event      string
	Data       string // JSON, as the gateway wrote it
	Reason     string
}

var unclassifiedFields = []field[Unclassified]{
	{name: "height", mark: fact, at: func(u *Unclassified) any { return &u.Height }},
	{name: "position", mark: fact, at: func(u *Unclassified) any { return &u.Position }},
	{name: "place", mark: fact, at: func(u *Unclassified) any { return &u.Where }},
	{name: "event_index", mark: fact, at: func(u *Unclassified) any { return &u.EventIndex }},
	{name: "event", mark: fact, at: func(u *Unclassified) any { return &u.Event }},
	{name: "data", mark: fact, at: func(u *Unclassified) any { return &u.Data }},
	{name: "reason", mark: judgement, at: func(u *Unclassified) any { return &u.Reason }},
}

// Place is where the event is.
func (u *Unclassified) Place() Place { return Place{u.Height, u.Position} }

// Unclassified are the balances events of a query's blocks that are not understood.
func (b *Book) Unclassified(ctx context.Context, q Query) iter.Seq2[*Unclassified, error] {
	return rowsAs(b.fewRows(ctx, q, unclassified), unclassified, unclassifiedFields, nil)
}
