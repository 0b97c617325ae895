package ledger

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// Transaction is one as the book has it.
type Transaction struct {
	Cost
	Final   bool // the block is
	Sealed  bool // the block is
	Hash    chain.Hash
	EVMHash chain.Optional[chain.Hash]
	Sender  chain.Optional[chain.Address]
	Nonce   chain.Optional[chain.Nonce]
	Weight  chain.Optional[chain.RefTime]
	Method  string
	Success chain.Optional[bool] // of the extrinsic
	Status  string
	Error   string // why the fee is not known
	Drift   chain.Optional[chain.SignedWei]
	Class   evidence.Class
}

var transactionFields = []field[Transaction]{
	{name: "height", mark: fact, at: func(t *Transaction) any { return &t.Height }},
	packed("extrinsic", fact, func(c *Cost) any { return &c.Index }),
	packed("layer", fact, func(c *Cost) any { return (*wordText)(&c.Layer) }),
	packed("type", fact, func(c *Cost) any { return (*nullableWord)(&c.Type) }),
	packed("call", fact, func(c *Cost) any { return (*wordText)(&c.Call) }),
	{name: "hash", mark: fact, at: func(t *Transaction) any { return &t.Hash }},
	{name: "evm_hash", mark: fact, at: func(t *Transaction) any { return &t.EVMHash }},
	{name: "sender", mark: fact, at: func(t *Transaction) any { return &t.Sender }},
	packed("recipient", fact, func(c *Cost) any { return &c.Recipient }),
	packed("payer", judgement, func(c *Cost) any { return &c.Payer }),
	{name: "nonce", mark: fact, at: func(t *Transaction) any { return &t.Nonce }},
	packed("gas_price", judgement, func(c *Cost) any { return &c.GasPrice }),
	packed("gas", judgement, func(c *Cost) any { return &c.Gas }),
	{name: "weight", mark: fact, at: func(t *Transaction) any { return &t.Weight }},
	packed("fee", judgement, func(c *Cost) any { return &c.Fee }),
	{name: "method", mark: judgement, at: func(t *Transaction) any { return (*nullableWord)(&t.Method) }},
	packed("priority_fee", judgement, func(c *Cost) any { return &c.PriorityFee }),
	packed("tip", judgement, func(c *Cost) any { return &c.Tip }),
	{name: "success", mark: fact, at: func(t *Transaction) any { return &t.Success }},
	packed("outcome", judgement, func(c *Cost) any { return (*nullableWord)(&c.Outcome) }),
	{name: "status", mark: fact, at: func(t *Transaction) any { return (*nullableWord)(&t.Status) }},
	{name: "error", mark: judgement, at: func(t *Transaction) any { return (*nullable)(&t.Error) }},
	packed("charged", judgement, func(c *Cost) any { return &c.Charged }),
	packed("verdict", judgement, func(c *Cost) any { return (*nullableWord)(&c.Verdict) }),
	{name: "drift", mark: judgement, at: func(t *Transaction) any { return &t.Drift }},
	packed("burned", judgement, func(c *Cost) any { return &c.Burned }),
	packed("treasury", judgement, func(c *Cost) any { return &c.Treasury }),
	packed("author", judgement, func(c *Cost) any { return &c.Author }),
}

// packed declares a column that a cost has too: see packed.go.
func packed(name string, mark mark, at func(*Cost) any) field[Transaction] {
	return field[Transaction]{name: name, mark: mark, at: func(t *Transaction) any { return at(&t.Cost) }, cost: at}
}

// Paid is what the payer paid: what the chain charged, and where that is not known, what
// the rules say. It is not known where neither is.
func (c *Cost) Paid() chain.Optional[chain.Wei] {
	if c.Charged.Known() {
		return c.Charged
	}
	return c.Fee
}

// MayBePaidBy tells, of a transaction of which it is not known who paid, whether an account may have:
// it sent it, or nobody knows who did.
func (t *Transaction) MayBePaidBy(account chain.Address) bool {
	sender, known := t.Sender.Get()
	return !known || sender == account
}

// Transactions are those that a query asks for.
func (b *Book) Transactions(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.transactions(ctx, ofPayer.rows(ctx, b, q))
}

// transactions are those of some blocks' rows.
func (b *Book) transactions(ctx context.Context, list iter.Seq2[*rowsOf, error]) iter.Seq2[*Transaction, error] {
	return sequence(func(yield func(*Transaction) bool) error {
		sealed, err := b.sealing(ctx)
		if err != nil {
			return err
		}
		return pass(decoded(list, transactions, sealed.transaction), yield)
	})
}

// transactionsAt are those of the blocks at some heights.
func (b *Book) transactionsAt(ctx context.Context, heights []uint64, q Query, wanted func(row) bool) iter.Seq2[*Transaction, error] {
	return b.transactions(ctx, q.page(b.walkHeights(ctx, nil, heights, ofPayer.tables), transactions, wanted))
}

// WithoutPayer are the transactions that a query asks for of which it is not known who paid.
func (b *Book) WithoutPayer(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q, fewTransactions{
		some: func(s *Sums) bool { return s.Undetermined > 0 }, // who has no payer has no fee: see NewEntry
		cost: func(c *Cost) bool { return !c.Payer.Known() },
		row:  func(r row) bool { return r[payerColumn] == nil },
	})
}

// Unmatched are the transactions that a query asks for whose fee is undetermined, or drifts.
func (b *Book) Unmatched(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q, fewTransactions{
		some: func(s *Sums) bool { return s.Undetermined+s.Drifts > 0 },
		cost: func(c *Cost) bool { return !c.Fee.Known() || c.Verdict == evidence.Drift },
		row:  func(r row) bool { return r[feeColumn] == nil || r[verdictColumn] == string(evidence.Drift) },
	})
}

// fewTransactions are transactions of which most days have none, as their totals tell.
type fewTransactions struct {
	some func(*Sums) bool // whether some can be among those of these sums
	cost func(*Cost) bool // whether the transaction of a cost is one
	row  func(row) bool   // likewise
}

// few are the transactions that a query asks for and that are such: the blocks of the days that can
// have some are looked through.
func (b *Book) few(ctx context.Context, q Query, x fewTransactions) iter.Seq2[*Transaction, error] {
	return sequence(func(yield func(*Transaction) bool) error {
		if len(q.Accounts) > 0 {
			return errAccounts
		}
		spans, err := b.spansWith(ctx, q.span(), x.some)
		if err != nil {
			return err
		}
		var heights []uint64
		for _, span := range spans {
			for c, err := range b.Costs(ctx, Query{Span: span}) {
				if err != nil {
					return err
				}
				if x.cost(c) && (len(heights) == 0 || heights[len(heights)-1] != c.Height) {
					if heights = append(heights, c.Height); len(heights) == q.heights() {
						break
					}
				}
			}
			if len(heights) == q.heights() {
				break
			}
		}
		return pass(b.transactionsAt(ctx, heights, q, x.row), yield)
	})
}

// spansWith are the parts of a span, in their order, that can have some of what sums tell: whole
// days whose totals have some, and all that is in no such day.
func (b *Book) spansWith(ctx context.Context, span chain.Heights, some func(*Sums) bool) (list []chain.Heights, err error) {
	sealed, err := b.sealed(ctx)
	if err != nil {
		return nil, err
	}
	totalled := func(s *stretch) bool { return s.unit == daily && s.totalled() }
	cut, err := b.pieces(ctx, Period{Heights: chain.Some(span)}, span, totalled)
	if err != nil {
		return nil, err
	}
	for run := range runsOf(cut, ByDay) {
		none := map[int64]bool{} // the days that have none
		if run[0].whole {
			err := b.wholeTotals(ctx, nil, days, run, func(_ *total, key row, s *Sums) error {
				none[key[0].(int64)] = !some(s)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		for i := range run {
			if x := &run[i]; x.number != noTime && !none[x.number] { // what has no time has no transactions
				list = append(list, x.span)
			}
		}
	}
	if s, ok := sealed.Get(); !ok {
		list = append(list, span)
	} else if s.Last < span.Last {
		list = append(list, chain.Heights{First: max(span.First, s.Last+1), Last: span.Last})
	}
	return joined(list), nil
}

// joined are spans in their order, those that overlap or touch as one.
func joined(list []chain.Heights) (all []chain.Heights) {
	slices.SortFunc(list, func(a, b chain.Heights) int { return cmp.Compare(a.First, b.First) })
	for _, s := range list {
		if end := len(all) - 1; end >= 0 && s.First <= all[end].Last+1 {
			all[end].Last = max(all[end].Last, s.Last)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// TransactionsByHash are those with a hash, as an EVM transaction or as an extrinsic,
// in the order of the chain. Of extrinsics there may be several: the hash is not
// unique on the chain. No total tells whether the look-up has lost one: whoever depends
// on there being none looks through the transactions themselves.
func (b *Book) TransactionsByHash(ctx context.Context, hash chain.Hash) iter.Seq2[*Transaction, error] {
	return sequence(func(yield func(*Transaction) bool) error {
		heights, err := b.heightsOf(ctx, hash)
		if err != nil {
			return err
		}
		named := func(r row) bool { return equal(r[txHashColumn], hash[:]) || equal(r[evmHashColumn], hash[:]) }
		return pass(b.transactionsAt(ctx, heights, Query{Span: everyBlock}, named), yield)
	})
}

// heightsOf are those where a transaction may have a hash: by the look-up, and above it by
// the rows.
func (b *Book) heightsOf(ctx context.Context, hash chain.Hash) (found []uint64, err error) {
	c, err := readBookRow(ctx, b.engine.shared())
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	q := b.engine.shared()
	for eras := range erasOf(chain.Heights{First: c.first, Last: c.next() - 1}, mostEras) {
		part, err := heightsBy(ctx, q, math.MaxInt, "SELECT height FROM hash_blocks WHERE era IN ("+placesIn(len(eras))+") AND hash = ?", append(eras, shortHash(hash[:]))...)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	above, err := heightsBy(ctx, q, math.MaxInt, "SELECT DISTINCT height FROM transactions WHERE height >= ? AND (hash = ? OR evm_hash = ?)", int64(c.next()), hash[:], hash[:])
	return append(found, above...), err
}

// TransactionAt is the one at a place, nil where there is none.
func (b *Book) TransactionAt(ctx context.Context, at Place) (found *Transaction, err error) {
	here := func(r row) bool { return r[extrinsicColumn] == int64(at.Row) }
	for t, err := range b.transactions(ctx, b.rowsIn(ctx, Query{Span: chain.Heights{First: at.Height, Last: at.Height}}, here, ofPayer.tables...)) {
		if err != nil {
			return nil, err
		}
		found = t
	}
	return found, nil
}

var (
	extrinsicColumn = tables[transactions].of("extrinsic")
	feeColumn       = tables[transactions].of("fee")
	verdictColumn   = tables[transactions].of("verdict")
	txHashColumn    = tables[transactions].of("hash")
	evmHashColumn   = tables[transactions].of("evm_hash")
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
	t := new(Transaction)
	if err := readOf(of, transactions, transactionFields, r, t); err != nil {
		return nil, err
	}
	b, err := of.block()
	t.Time, t.Rules, t.Final, t.Sealed = b.Time, b.Rules, b.Final, t.Height < uint64(s)
	for _, x := range of.rows[diagnoses] {
		var d diagnosis
		if err := readOf(of, diagnoses, diagnosisFields, x, &d); err != nil {
			return nil, err
		}
		if d.extrinsic == t.Index {
			t.Class = d.class
		}
	}
	return t, err
}

// bounds are the span's ends as arguments of a query.
func bounds(s chain.Heights) []any {
	return []any{int64(min(s.First, math.MaxInt64)), int64(min(s.Last, math.MaxInt64))}
}

// everyBlock are all heights that a book can have.
var everyBlock = chain.Heights{Last: math.MaxInt64}
