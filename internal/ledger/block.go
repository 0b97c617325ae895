package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Block is a block as stored in the ledger.
type Block struct {
	Height        uint64
	Hash          chain.Hash
	ParentHash    chain.Hash
	Time          chain.Optional[chain.Time]
	Runtime       chain.Optional[uint32]
	Rules         string
	Certain       bool // established by the rules or by the evidence
	BaseFeePerGas chain.Optional[chain.GasPrice]
	MultiplierAt  chain.Optional[uint64] // the block that stored the multiplier
	Multiplier    chain.Optional[chain.Multiplier]
	Inherents     uint64
	Final, Sealed bool
	// Sums over its transactions. Charged, and its split, is unknown if it is unknown for any of them.
	EVM, Native  uint64
	Undetermined uint64
	Fee          chain.Wei
	EVMFee       chain.Wei
	NativeFee    chain.Wei
	Charged      chain.Optional[chain.Wei]
	Burned       chain.Optional[chain.Wei]
	Treasury     chain.Optional[chain.Wei]
	Author       chain.Optional[chain.Wei]
}

// blockFields are the fields of a record that describe the block itself. Its height and hashes come
// first in each record; its sums follow from its transactions.
var blockFields = []field[Block]{
	{"time_ms", fact, func(b *Block) any { return &b.Time }},
	{"runtime", fact, func(b *Block) any { return &b.Runtime }},
	{"rules", judgement, func(b *Block) any { return &b.Rules }},
	{"certain", judgement, func(b *Block) any { return &b.Certain }},
	{"base_fee_per_gas", judgement, func(b *Block) any { return &b.BaseFeePerGas }},
	{"multiplier_at", judgement, func(b *Block) any { return &b.MultiplierAt }},
	{"multiplier", judgement, func(b *Block) any { return &b.Multiplier }},
	{"inherents", fact, func(b *Block) any { return &b.Inherents }},
}

// headFields are stored first in a record.
var headFields = []field[Block]{
	{"hash", fact, func(b *Block) any { return &b.Hash }},
	{"parent_hash", fact, func(b *Block) any { return &b.ParentHash }},
}

// sumFields are the sums over the block's transactions.
var sumFields = []field[Block]{
	{"evm", fact, func(b *Block) any { return &b.EVM }},
	{"native", fact, func(b *Block) any { return &b.Native }},
	{"undetermined", judgement, func(b *Block) any { return &b.Undetermined }},
	{"fee", judgement, func(b *Block) any { return &b.Fee }},
	{"evm_fee", judgement, func(b *Block) any { return &b.EVMFee }},
	{"native_fee", judgement, func(b *Block) any { return &b.NativeFee }},
	{"charged", judgement, func(b *Block) any { return &b.Charged }},
	{"burned", judgement, func(b *Block) any { return &b.Burned }},
	{"treasury", judgement, func(b *Block) any { return &b.Treasury }},
	{"author", judgement, func(b *Block) any { return &b.Author }},
}

// sumUp adds up the block's transactions.
func (c *Content) sumUp() error {
	n := len(c.Transactions)
	c.each, c.sums = slices.Grow(c.each[:0], n)[:n], Sums{Blocks: 1, Inherents: c.Inherents}
	clear(c.each)
	for i := range c.Transactions {
		cost := &c.Transactions[i].Cost
		err := c.each[i].of(cost)
		if err == nil {
			err = c.sums.Add(&c.each[i])
		}
		if err != nil {
			return fmt.Errorf("extrinsic %d: adding it to the block's totals failed: %w", cost.Index, err)
		}
	}
	known := func(sum chain.Wei, unknown uint64) (none chain.Optional[chain.Wei]) {
		if unknown > 0 {
			return none
		}
		return chain.Some(sum)
	}
	b, s := c.Block, &c.sums
	b.EVM, b.Native, b.Undetermined = s.EVM, s.Native, s.Undetermined
	b.Fee, b.EVMFee, b.NativeFee = s.Fee, s.EVMFee, s.NativeFee
	b.Charged, b.Burned = known(s.Charged, s.Uncharged), known(s.Burned, s.BurnedUnknown)
	b.Treasury, b.Author = known(s.Treasury, s.TreasuryUnknown), known(s.Author, s.AuthorUnknown)
	return nil
}

// Place returns the block's position in the chain.
func (b *Block) Place() Place { return Place{Height: b.Height} }

// Blocks returns the blocks that match a query, in order of height.
func (b *Book) Blocks(ctx context.Context, q Query) iter.Seq2[*Block, error] {
	return page(q, walk(ctx, b, nil, q.span(), withoutRows), func(c *Content) []*Block { return []*Block{c.Block} })
}

// Heads returns the blocks of a span, in order of height. Their fees and numbers of transactions are not added up: they
// are zero, whatever the block has.
func (b *Book) Heads(ctx context.Context, span chain.Heights) iter.Seq2[*Block, error] {
	none := someTransactions(func(*Transaction) bool { return false })
	return page(Query{Span: span}, walk(ctx, b, nil, span, none.decoder(transactionsOnly)), func(c *Content) []*Block { return []*Block{c.Block} })
}

// withoutRows decodes a block, without its rows.
func withoutRows(by *coder, r *blockRow) (*Content, error) {
	return r.trimmed(by, withSums, &selection{}, func(c *Content) { c.Transactions = nil })
}

// Doubtful returns the blocks of a span that have a transaction without a fee, or that uncertain rules priced. It reads
// only the days that have some.
func (b *Book) Doubtful(ctx context.Context, span chain.Heights) iter.Seq2[*Block, error] {
	blocks := b.walkDays(ctx, span, func(s *stretch) bool { return s.sums.Undetermined > 0 || s.uncertain() }, withoutRows)
	return page(Query{Span: span}, blocks, func(c *Content) (doubtful []*Block) {
		if c.Block.Undetermined > 0 || !c.Certain {
			doubtful = append(doubtful, c.Block)
		}
		return doubtful
	})
}
