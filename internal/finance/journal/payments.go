package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Book provides the data for a journal; *[ledger.Book] implements it.
type Book interface {
	Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	WithoutPayer(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	TransactionAt(ctx context.Context, at ledger.Place) (*ledger.Transaction, error)
	Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error]
	Blocks(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error]
}

// Selection selects payments.
type Selection struct {
	Token    console.Token // the network's, for remarks
	Accounts []chain.Address
	Period   ledger.Period
	Span     chain.Optional[chain.Heights] // the period's blocks from ledger.Book.Cover; none if not known
}

// Payment is a transaction with the amount that its payer paid.
type Payment struct {
	*ledger.Transaction
	Paid    chain.Optional[chain.Wei] // see [ledger.Transaction.Paid]
	Remarks []string                  // remarks on the amount
}

// Payments are the payments of accounts. They are not held in memory: [Payments.All] reads them from the ledger on
// each call.
type Payments struct {
	token    console.Token
	book     Book
	accounts []chain.Address // without duplicates
	selected map[chain.Address]bool
	period   ledger.Period
	span     chain.Optional[chain.Heights]

	seen         tally           // of the first pass
	payers       []chain.Address // without duplicates, in order of their first payments
	paid         map[chain.Address]bool
	undetermined uint64
	first        []Payment // the first undetermined payments
	assetFees    fee.AssetTotals
}

// maxNamed limits the undetermined payments that are listed.
const maxNamed = 100

// Find makes the first pass over the payments of a period to collect the undetermined ones. A transaction
// with unknown payer counts as a payment if its sender is one of the accounts or unknown.
func Find(ctx context.Context, book Book, q Selection) (*Payments, error) {
	p := &Payments{token: q.Token, book: book, selected: map[chain.Address]bool{}, paid: map[chain.Address]bool{}, period: q.Period, span: q.Span}
	for _, a := range q.Accounts {
		if !p.selected[a] {
			p.selected[a] = true
			p.accounts = append(p.accounts, a)
		}
	}
	for x, err := range p.read(ctx) {
		if err != nil {
			return nil, err
		}
		count(&p.seen, *x.Transaction)
		if payer, known := x.Payer.Get(); known && !p.paid[payer] {
			p.paid[payer] = true
			p.payers = append(p.payers, payer)
		}
		if x.InAsset() {
			if err := p.assetFees.Add(&x.AssetFee); err != nil {
				return nil, &LedgerError{err}
			}
		}
		if x.known() {
			continue
		}
		if p.undetermined++; len(p.first) < maxNamed {
			p.first = append(p.first, *x)
		}
	}
	return p, nil
}

// read returns the payments in chain order: the transactions of known payers, and between them those whose payer is
// unknown.
func (p *Payments) read(ctx context.Context) iter.Seq2[*Payment, error] {
	return func(yield func(*Payment, error) bool) {
		span, ok := p.span.Get()
		if !ok {
			return
		}
		paid := ofAccounts(p, p.book.Transactions(ctx, ledger.Query{Accounts: p.accounts, Span: span}))
		for t, err := range merged(paid, p.book.WithoutPayer(ctx, ledger.Query{Span: span})) {
			if err != nil {
				yield(nil, &LedgerError{err})
				return
			}
			if p.has(t) && !yield(paymentOf(t, p.token), nil) {
				return
			}
		}
	}
}

// merged merges two sequences in chain order.
func merged(some, others iter.Seq2[*ledger.Transaction, error]) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		next, stop := iter.Pull2(others)
		defer stop()
		other, failed, more := next()
		for t, err := range some {
			for ; more && err == nil && (failed != nil || other.Height < t.Height || other.Height == t.Height && other.Index < t.Index); other, failed, more = next() {
				if !yield(other, failed) {
					return
				}
			}
			if !yield(t, err) {
				return
			}
		}
		for ; more; other, failed, more = next() {
			if !yield(other, failed) {
				return
			}
		}
	}
}

// ofAccounts returns the rows of a query by the selected accounts: none without accounts, which would select all.
func ofAccounts[T any](p *Payments, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	if len(p.accounts) == 0 {
		return func(func(T, error) bool) {}
	}
	return rows
}

// All returns the payments in chain order. It ends with [ErrChanged] if they differ from those that Find
// read.
func (p *Payments) All(ctx context.Context) iter.Seq2[*Payment, error] {
	return func(yield func(*Payment, error) bool) {
		var seen tally
		for x, err := range p.read(ctx) {
			if err == nil {
				count(&seen, *x.Transaction)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
		if seen != p.seen {
			yield(nil, &LedgerError{ErrChanged})
		}
	}
}

// Undetermined returns the number of payments with unknown amount or payer, and the first of them, up to a hundred.
// Their amounts are not zero.
func (p *Payments) Undetermined() (count uint64, first []Payment) { return p.undetermined, p.first }

// AssetFees returns the fees that were paid in assets, by asset. No entry contains them.
func (p *Payments) AssetFees() fee.AssetTotals { return p.assetFees }

// Idle returns the selected accounts without payments, in the order in which they were
// selected.
func (p *Payments) Idle() []chain.Address {
	return slices.DeleteFunc(slices.Clone(p.accounts), func(a chain.Address) bool { return p.paid[a] })
}

// before returns the payments of the accounts in the ledger's blocks before the period.
func (p *Payments) before() *Payments {
	earlier := &Payments{book: p.book, accounts: p.accounts, selected: p.selected}
	if span, ok := p.span.Get(); ok && span.First > 0 {
		span = chain.Heights{Last: span.First - 1}
		earlier.period, earlier.span = ledger.Period{Heights: chain.Some(span)}, chain.Some(span)
	}
	return earlier
}

// has reports whether a transaction is one of the payments.
func (p *Payments) has(t *ledger.Transaction) bool {
	if !p.period.Has(t.Height, t.Time) {
		return false
	}
	if payer, known := t.Payer.Get(); known {
		return p.selected[payer]
	}
	sender, known := t.Sender.Get()
	return !known || sender.In(p.selected)
}

// known reports whether the amount and the payer are known.
func (p *Payment) known() bool { return p.Paid.Known() && p.Payer.Known() }

// paymentOf returns a payment with remarks on the amount.
func paymentOf(t *ledger.Transaction, token console.Token) *Payment {
	p := &Payment{Transaction: t, Paid: t.Paid()}
	charged, isCharged := t.Charged.Get()
	wei, isFee := t.Fee.Get()
	switch {
	case t.InAsset():
		p.remark("paid in an asset: %s", clean(t.AssetFee.Text(token.Amount)))
	case isCharged && !isFee:
		p.remark("the rules do not determine this fee (%s), the amount is the charge on chain", clean(t.Error))
	case isCharged && charged != wei:
		p.remark("fee by the rules %s, charged on chain %s (%s)", token.Tokens(wei), token.Tokens(charged), clean(string(t.Class)))
	case isFee && !isCharged:
		p.remark("the chain recorded no charge, the amount is the fee by the rules")
	}
	return p
}

func (p *Payment) remark(format string, arguments ...any) {
	p.Remarks = append(p.Remarks, fmt.Sprintf(format, arguments...))
}

// Place returns the payment's transaction ID, such as "25-4".
func (p *Payment) Place() string { return ledger.Place{Height: p.Height, Row: p.Index}.String() }
