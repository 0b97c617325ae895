package ledger

import (
	"cmp"
	"context"
	"iter"
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

// Place is where the transaction is.
func (t *Transaction) Place() Place { return Place{t.Height, t.Index} }

// Transactions are those that a query asks for.
func (b *Book) Transactions(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.transactions(ctx, ofPayer.rows(ctx, b, q))
}

// transactions are those of some blocks' rows.
func (b *Book) transactions(ctx context.Context, list iter.Seq2[*rowsOf, error]) iter.Seq2[*Transaction, error] {
	return func(yield func(*Transaction, error) bool) {
		sealed, err := b.sealing(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		decoded(list, transactions, sealed.transaction)(yield)
	}
}

// transactionsAt are those of the blocks at some heights.
func (b *Book) transactionsAt(ctx context.Context, heights []uint64, q Query, wanted func(row) bool) iter.Seq2[*Transaction, error] {
	return b.transactions(ctx, func(yield func(*rowsOf, error) bool) {
		p := pager{Query: &q}
		for r, err := range b.walkHeights(ctx, b.engine.shared(), heights, ofPayer.tables) {
			if err == nil {
				p.pick(r, transactions, wanted)
			}
			if !yield(r, err) || p.full() {
				return
			}
		}
	})
}

// WithoutPayer are the transactions that a query asks for of which it is not known who paid.
func (b *Book) WithoutPayer(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	if len(q.Accounts) > 0 {
		return failed[Transaction](errAccounts)
	}
	return func(yield func(*Transaction, error) bool) {
		var heights []uint64
		for c, err := range b.Costs(ctx, Query{Span: q.span()}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !c.Payer.Known() && (len(heights) == 0 || heights[len(heights)-1] != c.Height) {
				if heights = append(heights, c.Height); len(heights) == q.heights() {
					break
				}
			}
		}
		b.transactionsAt(ctx, heights, q, func(r row) bool { return r[payerColumn] == nil })(yield)
	}
}

// TransactionsByHash are those with a hash, as an EVM transaction or as an extrinsic,
// in the order of the chain. Of extrinsics there may be several: the hash is not
// unique on the chain. No total tells whether the look-up has lost one: whoever depends
// on there being none looks through the transactions themselves.
func (b *Book) TransactionsByHash(ctx context.Context, hash chain.Hash) iter.Seq2[*Transaction, error] {
	return func(yield func(*Transaction, error) bool) {
		heights, err := heightsBy(ctx, b.engine.shared(), math.MaxInt, "SELECT height FROM transactions WHERE hash = ? OR evm_hash = ?", hash[:], hash[:])
		if err != nil {
			yield(nil, err)
			return
		}
		b.transactionsAt(ctx, heights, Query{Span: everyBlock}, func(r row) bool { return equal(r[txHashColumn], hash[:]) || equal(r[evmHashColumn], hash[:]) })(yield)
	}
}

// TransactionAt is the one at a place, nil where there is none.
func (b *Book) TransactionAt(ctx context.Context, at Place) (found *Transaction, err error) {
	here := func(r row) bool { return r[extrinsicColumn] == int64(at.Row) }
	for t, err := range b.transactions(ctx, b.rowsIn(ctx, Query{Span: Span{at.Height, at.Height}}, here, ofPayer.tables...)) {
		if err != nil {
			return nil, err
		}
		found = t
	}
	return found, nil
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
	c, err := readBookRow(ctx, b.engine.shared())
	return sealedBelow(c.next()), err
}

// transaction reads a row, with those of its block.
func (s sealedBelow) transaction(of *rowsOf, r row) (*Transaction, error) {
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
	for _, d := range of.rows[diagnoses] {
		if class, ok := d[2].(string); ok && d[1] == r[extrinsicColumn] {
			t.Class = evidence.Class(class)
		}
	}
	return &t, cmp.Or(h.err, c.err)
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
func (s Span) bounds() []any {
	return []any{int64(min(s.First, math.MaxInt64)), int64(min(s.Last, math.MaxInt64))}
}

// everyBlock are all heights that a book can have.
var everyBlock = Span{Last: math.MaxInt64}
