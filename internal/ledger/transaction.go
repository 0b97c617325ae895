package ledger

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// Cost is what there is to add up of a transaction: who paid how much, for what, and
// where that went. [Transaction] has the same and all the rest.
type Cost struct {
	Height      uint64
	Time        chain.Optional[chain.Time] // of the block
	Rules       string                     // that priced it
	Index       int                        // in the block
	Layer       fee.Layer
	Type        string // of an EVM transaction, else ""
	Call        string
	Recipient   chain.Optional[chain.Address]
	Payer       chain.Optional[chain.Address]
	GasPrice    chain.Optional[chain.GasPrice]
	Gas         chain.Optional[chain.Gas]
	Fee         chain.Optional[chain.Wei]
	PriorityFee chain.Optional[chain.Wei] // part of Fee, as is Tip
	Tip         chain.Optional[chain.Wei]
	Outcome     fee.Outcome // "" where it is not known
	Charged     chain.Optional[chain.Wei]
	Verdict     evidence.Verdict
	Burned      chain.Optional[chain.Wei]
	Treasury    chain.Optional[chain.Wei]
	Author      chain.Optional[chain.Wei]
}

// Place is where the transaction is.
func (c *Cost) Place() Place { return Place{c.Height, c.Index} }

// Paid is what the payer paid: what the chain charged, and where that is not known, what
// the rules say. It is not known where neither is.
func (c *Cost) Paid() chain.Optional[chain.Wei] {
	if c.Charged.Known() {
		return c.Charged
	}
	return c.Fee
}

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
	{"extrinsic", fact, func(t *Transaction) any { return &t.Index }},
	{"layer", fact, func(t *Transaction) any { return (*string)(&t.Layer) }},
	{"type", fact, func(t *Transaction) any { return &t.Type }},
	{"call", fact, func(t *Transaction) any { return &t.Call }},
	{"hash", fact, func(t *Transaction) any { return &t.Hash }},
	{"evm_hash", fact, func(t *Transaction) any { return &t.EVMHash }},
	{"sender", fact, func(t *Transaction) any { return &t.Sender }},
	{"recipient", fact, func(t *Transaction) any { return &t.Recipient }},
	{"payer", judgement, func(t *Transaction) any { return &t.Payer }},
	{"nonce", fact, func(t *Transaction) any { return &t.Nonce }},
	{"gas_price", judgement, func(t *Transaction) any { return &t.GasPrice }},
	{"gas", judgement, func(t *Transaction) any { return &t.Gas }},
	{"weight", fact, func(t *Transaction) any { return &t.Weight }},
	{"fee", judgement, func(t *Transaction) any { return &t.Fee }},
	{"method", judgement, func(t *Transaction) any { return &t.Method }},
	{"priority_fee", judgement, func(t *Transaction) any { return &t.PriorityFee }},
	{"tip", judgement, func(t *Transaction) any { return &t.Tip }},
	{"success", fact, func(t *Transaction) any { return &t.Success }},
	{"outcome", judgement, func(t *Transaction) any { return (*string)(&t.Outcome) }},
	{"status", fact, func(t *Transaction) any { return &t.Status }},
	{"error", judgement, func(t *Transaction) any { return &t.Error }},
	{"charged", judgement, func(t *Transaction) any { return &t.Charged }},
	{"verdict", judgement, func(t *Transaction) any { return (*string)(&t.Verdict) }},
	{"drift", judgement, func(t *Transaction) any { return &t.Drift }},
	{"burned", judgement, func(t *Transaction) any { return &t.Burned }},
	{"treasury", judgement, func(t *Transaction) any { return &t.Treasury }},
	{"author", judgement, func(t *Transaction) any { return &t.Author }},
}

// MayBePaidBy tells, of a transaction of which it is not known who paid, whether an account may have:
// it sent it, or nobody knows who did.
func (t *Transaction) MayBePaidBy(account chain.Address) bool {
	sender, known := t.Sender.Get()
	return !known || sender == account
}

// Transactions are those that a query asks for.
func (b *Book) Transactions(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	payers := setOf(q.Accounts)
	return rowsByAccount(ctx, b, q, hasPaid, transactionsOnly, func(c *Content) []*Transaction {
		return pointers(c.Transactions, func(t *Transaction) bool { return len(payers) == 0 || payers.has(t.Payer) })
	})
}

// Costs are those that a query asks for.
func (b *Book) Costs(ctx context.Context, q Query) iter.Seq2[*Cost, error] {
	return sequence(func(yield func(*Cost) bool) error {
		return pass(b.Transactions(ctx, q), func(t *Transaction) bool { return yield(&t.Cost) })
	})
}

// WithoutPayer are the transactions that a query asks for of which it is not known who paid.
func (b *Book) WithoutPayer(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q,
		func(s *Sums) bool { return s.Undetermined > 0 }, // who has no payer has no fee: see NewEntry
		func(t *Transaction) bool { return !t.Payer.Known() })
}

// Unmatched are the transactions that a query asks for whose fee is undetermined, or drifts.
func (b *Book) Unmatched(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q,
		func(s *Sums) bool { return s.Undetermined+s.Drifts > 0 },
		func(t *Transaction) bool { return !t.Fee.Known() || t.Verdict == evidence.Drift })
}

// few are the transactions that a query asks for of a kind that most days have none of: the blocks
// of the days that can have some, as their sums tell, are looked through.
func (b *Book) few(ctx context.Context, q Query, some func(*Sums) bool, wanted func(*Transaction) bool) iter.Seq2[*Transaction, error] {
	if len(q.Accounts) > 0 {
		return fails[*Transaction](errAccounts)
	}
	return sequence(func(yield func(*Transaction) bool) error {
		spans, err := b.spansWith(ctx, q.span(), some)
		if err != nil {
			return err
		}
		p := pager{Query: &q}
		for _, span := range spans {
			of := q
			of.Span = chain.Heights{First: max(span.First, q.Span.First), Last: min(span.Last, q.Span.Last)}
			for t, err := range rowsOf(ctx, b, of, transactionsOnly, func(c *Content) []*Transaction { return pointers(c.Transactions, wanted) }) {
				if err != nil {
					return err
				}
				if p.take(t.Place()) && !yield(t) || p.full() {
					return nil
				}
			}
		}
		return nil
	})
}

// spansWith are the parts of a span, in their order, that can have some of what sums tell: whole
// days and months whose sums have some, and all that is in none.
func (b *Book) spansWith(ctx context.Context, span chain.Heights, some func(*Sums) bool) (list []chain.Heights, err error) {
	sealed, err := b.sealed(ctx)
	if err != nil {
		return nil, err
	}
	cut, err := b.pieces(ctx, Period{Heights: chain.Some(span)}, span, func(s *stretch) bool { return s.unit == daily || !some(&s.sums) })
	if err != nil {
		return nil, err
	}
	for i := range cut {
		if x := &cut[i]; x.number != noTime && some(&x.sums) { // what has no time has no transactions
			list = append(list, x.span)
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
// unique on the chain.
func (b *Book) TransactionsByHash(ctx context.Context, hash chain.Hash) iter.Seq2[*Transaction, error] {
	named := func(c *Content) []*Transaction {
		return pointers(c.Transactions, func(t *Transaction) bool { return t.Hash == hash || t.EVMHash == chain.Some(hash) })
	}
	return sequence(func(yield func(*Transaction) bool) error {
		for c, err := range b.lookedUp(ctx, Query{Span: everyBlock}, byHash(hash), transactionsOnly) {
			if err != nil {
				return err
			}
			for _, t := range named(c) {
				if !yield(t) {
					return nil
				}
			}
		}
		return nil
	})
}

// TransactionAt is the one at a place, nil where there is none.
func (b *Book) TransactionAt(ctx context.Context, at Place) (found *Transaction, err error) {
	for t, err := range b.Transactions(ctx, Query{Span: chain.Heights{First: at.Height, Last: at.Height}}) {
		if err != nil {
			return nil, err
		}
		if t.Index == at.Row {
			found = t
		}
	}
	return found, nil
}

// pointers are those of some values.
func pointers[T any](list []T, wanted func(*T) bool) (some []*T) {
	for i := range list {
		if wanted(&list[i]) {
			some = append(some, &list[i])
		}
	}
	return some
}
