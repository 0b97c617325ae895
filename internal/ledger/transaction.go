package ledger

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network/rule"
)

// Cost contains what is added up for a transaction: who paid how much, for what, and where it went.
// [Transaction] contains the rest.
type Cost struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Rules  string                     // the rules that priced it
	Index  int                        // in the block
	Kind
	Payer       chain.Optional[chain.Address]
	GasPrice    chain.Optional[chain.GasPrice]
	Gas         chain.Optional[chain.Gas]
	Fee         chain.Optional[chain.Wei]
	PriorityFee chain.Optional[chain.Wei] // part of Fee, like Tip
	Tip         chain.Optional[chain.Wei]
	Charged     chain.Optional[chain.Wei]
	Verdict     evidence.Verdict
	Burned      chain.Optional[chain.Wei]
	Treasury    chain.Optional[chain.Wei]
	Author      chain.Optional[chain.Wei]
}

// Place returns the transaction's position in the chain.
func (c *Cost) Place() Place { return Place{c.Height, c.Index} }

// Paid returns what the payer paid: the charged amount, or the fee by the rules if that is unknown.
func (c *Cost) Paid() chain.Optional[chain.Wei] {
	if c.Charged.Known() {
		return c.Charged
	}
	return c.Fee
}

// Transaction is a transaction as stored in the ledger.
type Transaction struct {
	Cost
	Final   bool // whether the block is
	Sealed  bool // whether the block is
	Hash    chain.Hash
	EVMHash chain.Optional[chain.Hash]
	Sender  chain.Optional[chain.Address]
	Nonce   chain.Optional[chain.Nonce]
	Weight  chain.Optional[chain.RefTime]
	Method  string
	Success chain.Optional[bool] // of the extrinsic
	Status  string
	Error   string // why the fee is unknown
	Drift   chain.Optional[chain.SignedWei]
	// AssetFee is the fee if it was paid in an asset: Fee and Charged are then 0. Its asset is "" for all other transactions.
	AssetFee fee.AssetFee
	Class    evidence.Class
	Failed   string // the IDs of its failed checks, with spaces between; like Class, they may change
}

// Standing returns the verdict with the failed checks.
func (t *Transaction) Standing() evidence.Standing {
	return evidence.Standing{Verdict: t.Verdict, Failed: strings.Fields(t.Failed)}
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

// assetFields follow the others in a record with fees paid in assets.
var assetFields = []field[Transaction]{
	{"fee_asset", fact, func(t *Transaction) any { return &t.AssetFee.Asset }},
	{"asset_fee", judgement, func(t *Transaction) any { return &t.AssetFee.Amount }},
	{"asset_fee_tip", judgement, func(t *Transaction) any { return &t.AssetFee.Tip }},
	{"asset_fee_equivalent", judgement, func(t *Transaction) any { return &t.AssetFee.Equivalent }},
}

// InAsset reports whether the fee was paid in an asset.
func (t *Transaction) InAsset() bool { return t.AssetFee.Asset != "" }

// HoldsDeposits reports whether it is an Ethereum transaction of pallet revive: what it withdraws for its fee pays deposits
// too.
func (t *Transaction) HoldsDeposits() bool {
	pallet, call, _ := strings.Cut(t.Call, ".")
	return rule.Revive.Carries(pallet, call)
}

// MayBePaidBy reports whether an account may have paid a transaction whose payer is unknown: the account sent
// it, or the sender is unknown too.
func (t *Transaction) MayBePaidBy(account chain.Address) bool {
	sender, known := t.Sender.Get()
	return !known || sender.Is(account)
}

// Transactions returns the transactions that match a query.
func (b *Book) Transactions(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	if q.Failed && len(q.Accounts) == 0 {
		return b.failed(ctx, q)
	}
	return rowsByAccount(ctx, b, q, hasPaid, transactionsOnly, q.wanted)
}

// failed returns the transactions with failed checks that match a query without accounts. It reads only blocks with
// findings, of which some concern no transaction.
func (b *Book) failed(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return func(yield func(*Transaction, error) bool) {
		taken, limit := 0, q.Limit
		q.Limit = 0
		for t, err := range flagged(ctx, b, q, hasFindings, q.wanted) {
			if taken++; !yield(t, err) || taken == limit {
				return
			}
		}
	}
}

// PaidInAssets returns the transactions that match a query, also by their payers, and paid their fees in assets. It reads
// only blocks that have some.
func (b *Book) PaidInAssets(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	payers := map[chain.Address]bool{}
	for _, a := range q.Accounts {
		payers[a] = true
	}
	q.Accounts = nil
	return flagged(ctx, b, q, hasAssetFees, func(c *Content) []*Transaction {
		return slices.DeleteFunc(q.wanted(c), func(t *Transaction) bool {
			return !t.InAsset() || len(payers) > 0 && !payers[or(t.Payer)]
		})
	})
}

// onlyTransactions decodes blocks with the wanted transactions and no other rows.
func onlyTransactions(wanted func(*Transaction) bool) decoder[*Content] {
	return func(by *coder, r *blockRow) (*Content, error) {
		return r.trimmed(by, transactionsOnly, &selection{}, func(c *Content) {
			c.Transactions, c.Movements, c.Transfers = copies(c.Transactions, wanted), nil, nil
		})
	}
}

func allTransactions(c *Content) []*Transaction { return pointers(c.Transactions, nil) }

// Activity contains an account's rows of one block, each kind in the order of the chain.
type Activity struct {
	Height       uint64
	Time         chain.Optional[chain.Time] // of the block
	Transactions []*Transaction             // that the account paid for
	Movements    []*Movement                // of its balance, settled; see [Book.Movements]
	Transfers    []*Transfer                // that it sent or received; see [WithTransfers]
	Causes       []*Transaction             // that moved its balance, and that others paid for; see [WithCauses]
}

// Addition is what [Book.Activity] reads besides an account's payments and movements.
type Addition int

// Additions.
const (
	WithTransfers Addition = iota + 1
	WithCauses
)

// Place returns the block's position in the chain.
func (a *Activity) Place() Place { return Place{Height: a.Height} }

// Activity returns the blocks of a span in which an account paid for transactions, its balance moved, or, with
// transfers, it sent or received an ERC-20 transfer. It reads each block once.
func (b *Book) Activity(ctx context.Context, account chain.Address, span chain.Heights, with Addition) iter.Seq2[*Activity, error] {
	kinds := uint64(hasPaid | hasMoved)
	if with == WithTransfers {
		kinds |= hasParty
	}
	l := byAccounts([]chain.Address{account}, kinds)
	l.causes = with == WithCauses
	blocks := b.lookedUp(ctx, span, l, allRows)
	return page(Query{Span: span}, blocks, func(c *Content) []*Activity {
		if len(c.Transactions)+len(c.Movements)+len(c.Transfers) == 0 {
			return nil
		}
		a := &Activity{Height: c.Height, Time: c.Time, Movements: pointers(c.Movements, nil), Transfers: pointers(c.Transfers, nil)}
		for _, t := range allTransactions(c) {
			if l.transactions.wanted(t) {
				a.Transactions = append(a.Transactions, t)
			} else {
				a.Causes = append(a.Causes, t)
			}
		}
		return []*Activity{a}
	})
}

// WithoutPayer returns the transactions that match a query and have no known payer.
func (b *Book) WithoutPayer(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q,
		func(s *stretch) bool { return s.sums.Undetermined > 0 }, // a transaction without a payer has no fee: see NewEntry
		func(t *Transaction) bool { return !t.Payer.Known() })
}

// Unmatched returns the transactions that match a query and whose fee is undetermined or drifts.
func (b *Book) Unmatched(ctx context.Context, q Query) iter.Seq2[*Transaction, error] {
	return b.few(ctx, q,
		func(s *stretch) bool { return s.sums.Undetermined+s.sums.Drifts > 0 },
		func(t *Transaction) bool { return !t.Fee.Known() || t.Verdict == evidence.Drift })
}

// LayerHash returns the hash in the transaction's layer: the EVM hash, or that of the extrinsic.
func (t *Transaction) LayerHash() chain.Hash {
	if hash, ok := t.EVMHash.Get(); ok {
		return hash
	}
	return t.Hash
}

// few returns the wanted transactions that match a query, of a kind that most days lack: only days that may have
// some are scanned.
func (b *Book) few(ctx context.Context, q Query, some func(*stretch) bool, wanted func(*Transaction) bool) iter.Seq2[*Transaction, error] {
	return page(q, b.walkDays(ctx, q.span(), some, onlyTransactions(wanted)), q.wanted)
}

// walkDays is walk for the days of a span that may contain what some looks for in days and months, and all unsealed
// blocks.
func (b *Book) walkDays(ctx context.Context, span chain.Heights, some func(*stretch) bool, of decoder[*Content]) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		var spans []chain.Heights
		err := b.inSnapshot(ctx, func(q querier, c *bookRow) error {
			cut, err := b.piecesAt(ctx, q, c, Period{Heights: chain.Some(span)}, span, func(s *stretch) bool { return s.unit == daily || !some(s) })
			for i := range cut {
				if x := &cut[i]; x.number != noTime && some(x.stretch) { // blocks without a time have no transactions
					spans = append(spans, x.span)
				}
			}
			if c.sealed == 0 {
				spans = append(spans, span)
			} else if c.next() <= span.Last {
				spans = append(spans, chain.Heights{First: max(span.First, c.next()), Last: span.Last})
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, span := range joined(spans) {
			for c, err := range walk(ctx, b, nil, span, of) {
				if err != nil || !yield(c) {
					return err
				}
			}
		}
		return nil
	})
}

// joined sorts spans and merges those that overlap or touch.
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

// TransactionsByHash returns the transactions with any of some EVM or extrinsic hashes, in chain order. There may be
// several of one hash, because extrinsic hashes are not unique on the chain. Many hashes at once cost little more than one:
// the index is read once, and so is each block.
func (b *Book) TransactionsByHash(ctx context.Context, hashes ...chain.Hash) iter.Seq2[*Transaction, error] {
	if len(hashes) == 0 {
		return func(func(*Transaction, error) bool) {}
	}
	return page(Query{Span: everyBlock}, b.lookedUp(ctx, everyBlock, byHash(hashes), transactionsOnly), allTransactions)
}

// TransactionsAt returns the transactions at some places, in chain order. It reads each block once.
func (b *Book) TransactionsAt(ctx context.Context, places ...Place) iter.Seq2[*Transaction, error] {
	wanted, heights := make(map[Place]bool, len(places)), make([]uint64, 0, len(places))
	for _, at := range places {
		wanted[at] = true
		heights = append(heights, at.Height)
	}
	slices.Sort(heights)
	of := onlyTransactions(func(t *Transaction) bool { return wanted[t.Place()] })
	return page(Query{Span: everyBlock}, walkSome(ctx, b, slices.Compact(heights), of), allTransactions)
}

// TransactionAt returns the transaction at a place, nil if there is none.
func (b *Book) TransactionAt(ctx context.Context, at Place) (found *Transaction, err error) {
	for t, err := range b.TransactionsAt(ctx, at) {
		if err != nil {
			return nil, err
		}
		found = t
	}
	return found, nil
}

// pointers returns pointers to the wanted values, or to all.
func pointers[T any](list []T, wanted func(*T) bool) (some []*T) {
	for i := range list {
		if wanted == nil || wanted(&list[i]) {
			some = append(some, &list[i])
		}
	}
	return some
}

// AccountSize returns the number of bytes of the ledger's accounts, or 0 if no transaction shows it yet.
func (b *Book) AccountSize(ctx context.Context) (int, error) {
	some := func(s *stretch) bool { return s.sums.EVM+s.sums.Native > 0 }
	for t, err := range b.few(ctx, Query{Span: everyBlock}, some, func(t *Transaction) bool { return t.Payer.Known() }) {
		if err != nil {
			return 0, err
		}
		return or(t.Payer).Size(), nil
	}
	return 0, nil
}
