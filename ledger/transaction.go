package ledger

import (
	"cmp"
	"context"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
)

// Transaction is one as the book has it.
type Transaction struct {
	Height    uint64
	Time      chain.Optional[chain.Time] // of the block
	Final     bool                       // the block is
	Sealed    bool                       // the block is
	Rules     string                     // that priced it
	Index     int                        // in the block
	Layer     fee.Layer
	Type      string // of an EVM transaction, else ""
	Call      string
	Hash      chain.Hash
	EVMHash   chain.Optional[chain.Hash]
	Sender    chain.Optional[chain.Address]
	Recipient chain.Optional[chain.Address]
	Payer     chain.Optional[chain.Address]
	Nonce     chain.Optional[chain.Wei]
	GasPrice  chain.Optional[chain.GasPrice]
	Gas       chain.Optional[chain.Wei] // units of gas
	Weight    chain.Optional[chain.Wei]
	Fee       chain.Optional[chain.Wei]
	Method    string
	// PriorityFee and Tip are parts of Fee.
	PriorityFee chain.Optional[chain.Wei]
	Tip         chain.Optional[chain.Wei]
	Success     chain.Optional[bool] // of the extrinsic
	Outcome     fee.Outcome          // "" where it is not known
	Status      string
	Error       string // why the fee is not known
	Charged     chain.Optional[chain.Wei]
	Verdict     evidence.Verdict
	Drift       chain.Optional[chain.SignedWei]
	Class       evidence.Class
	Burned      chain.Optional[chain.Wei]
	Treasury    chain.Optional[chain.Wei]
	Author      chain.Optional[chain.Wei]
}

// Paid is what the payer paid: what the chain charged, and where that is not known, what
// the rules say. It is not known where neither is.
func (t *Transaction) Paid() chain.Optional[chain.Wei] {
	if t.Charged.Known() {
		return t.Charged
	}
	return t.Fee
}

// Transactions are all of a span, in the order of the chain.
func (b *Book) Transactions(ctx context.Context, span Span, each func(*Transaction) error) error {
	return b.transactions(ctx, span, func(row) bool { return true }, each)
}

func (b *Book) transactions(ctx context.Context, span Span, wanted func(row) bool, each func(*Transaction) error) error {
	sealed, err := b.sealing(ctx)
	if err != nil {
		return err
	}
	return b.walk(ctx, nil, span, ofPayer.tables, func(r *rowsOf) error {
		return sealed.transactions(r, wanted, each)
	})
}

// Payments are the transactions of a span that an account paid for, in the order of
// the chain.
func (b *Book) Payments(ctx context.Context, account chain.Address, span Span, each func(*Transaction) error) error {
	return b.payments(ctx, []chain.Address{account}, span, each)
}

func (b *Book) payments(ctx context.Context, accounts []chain.Address, span Span, each func(*Transaction) error) error {
	sealed, err := b.sealing(ctx)
	if err != nil {
		return err
	}
	return ofPayer.each(ctx, b, accounts, span, func(of *rowsOf, r row) error { return sealed.transaction(of, r, each) })
}

// WithoutPayer are the transactions of a span of which it is not known who paid for
// them, in the order of the chain.
func (b *Book) WithoutPayer(ctx context.Context, span Span, each func(*Transaction) error) error {
	var heights []uint64
	err := b.Costs(ctx, span, func(c *Cost) error {
		if !c.Payer.Known() && (len(heights) == 0 || heights[len(heights)-1] != c.Height) {
			heights = append(heights, c.Height)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.transactionsAt(ctx, heights, func(r row) bool { return r[payerColumn] == nil }, each)
}

// TransactionsByHash are those with a hash, as an EVM transaction or as an extrinsic,
// in the order of the chain. Of extrinsics there may be several: the hash is not
// unique on the chain. No total tells whether the look-up has lost one: whoever depends
// on there being none looks through the transactions themselves.
func (b *Book) TransactionsByHash(ctx context.Context, hash chain.Hash, each func(*Transaction) error) error {
	heights, err := heightsBy(ctx, b.engine.shared(), "SELECT height FROM transactions WHERE hash = ? OR evm_hash = ?", hash[:], hash[:])
	if err != nil {
		return err
	}
	return b.transactionsAt(ctx, heights, func(r row) bool { return equal(r[txHashColumn], hash[:]) || equal(r[evmHashColumn], hash[:]) }, each)
}

// TransactionAt is the one at a place in a block, if there is one.
func (b *Book) TransactionAt(ctx context.Context, height uint64, index int, each func(*Transaction) error) error {
	return b.transactions(ctx, Span{height, height}, func(r row) bool { return r[extrinsicColumn] == int64(index) }, each)
}

func (b *Book) transactionsAt(ctx context.Context, heights []uint64, wanted func(row) bool, each func(*Transaction) error) error {
	sealed, err := b.sealing(ctx)
	if err != nil {
		return err
	}
	return b.walkHeights(ctx, b.engine.shared(), heights, ofPayer.tables, func(r *rowsOf) error {
		return sealed.transactions(r, wanted, each)
	})
}

var (
	extrinsicColumn = tables[transactions].of("extrinsic")
	txHashColumn    = tables[transactions].of("hash")
	evmHashColumn   = tables[transactions].of("evm_hash")
	finalColumn     = tables[blocks].of("final")
)

// sealedBelow is the height below which blocks are sealed.
type sealedBelow uint64

// sealing tells how far the book is sealed: nothing is before the first Begin.
func (b *Book) sealing(ctx context.Context) (sealedBelow, error) {
	c, err := b.cover(ctx, b.engine.shared())
	return sealedBelow(c.next()), err
}

// transactions are those of a block that are wanted.
func (s sealedBelow) transactions(r *rowsOf, wanted func(row) bool, each func(*Transaction) error) error {
	for _, t := range r.rows[transactions] {
		if wanted(t) {
			if err := s.transaction(r, t, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// transaction reads a row, with those of its block.
func (s sealedBelow) transaction(of *rowsOf, r row, each func(*Transaction) error) error {
	h := headOf(of.rows[blocks][0])
	c := cells{row: r, columns: tables[transactions].columns}
	t := Transaction{
		Height: c.number(), Time: h.time, Final: h.final, Sealed: h.height < uint64(s), Rules: h.rules,
		Index: int(c.number()), Layer: fee.Layer(c.text()), Type: c.text(), Call: c.text(), Hash: c.hash(),
		EVMHash: c.optionalHash(), Sender: c.optionalAddress(), Recipient: c.optionalAddress(), Payer: c.optionalAddress(), Nonce: c.optionalWei(),
		GasPrice: c.optionalGasPrice(), Gas: c.optionalWei(), Weight: c.optionalWei(), Fee: c.optionalWei(), Method: c.text(), PriorityFee: c.optionalWei(),
		Tip: c.optionalWei(), Success: c.optionalFlag(), Outcome: fee.Outcome(c.text()), Status: c.text(), Error: c.text(),
		Charged: c.optionalWei(), Verdict: evidence.Verdict(c.text()), Drift: c.optionalSignedWei(),
		Burned: c.optionalWei(), Treasury: c.optionalWei(), Author: c.optionalWei(),
	}
	if err := cmp.Or(h.err, c.err); err != nil {
		return err
	}
	for _, d := range of.rows[diagnoses] {
		if class, ok := d[2].(string); ok && d[1] == r[extrinsicColumn] {
			t.Class = evidence.Class(class)
		}
	}
	return each(&t)
}

// head is what rows say of their block.
type head struct {
	height uint64
	time   chain.Optional[chain.Time]
	final  bool
	rules  string
	err    error
}

func headOf(block row) head {
	at := func(column int) *cells { return &cells{row: block, columns: tables[blocks].columns, next: column} }
	c, time, final, rules := at(0), at(timeColumn), at(finalColumn), at(rulesColumn)
	h := head{height: c.number(), time: time.optionalTime(), final: final.flag(), rules: rules.text()}
	h.err = cmp.Or(c.err, time.err, final.err, rules.err)
	return h
}

// bounds are the span's ends as arguments of a query.
func (s Span) bounds() []any { return []any{int64(s.First), int64(min(s.Last, math.MaxInt64))} }
