package app

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// TransactionsRequest requests a list of transactions in chain order.
type TransactionsRequest struct {
	Period Period
	Payers []chain.Address // only transactions these paid for; none means all
	Only   report.Only
	After  chain.Optional[ledger.Place] // start after this position
	Limit  int                          // page size; 0 for the default
}

// DefaultTransactions is the default page size.
const DefaultTransactions = 100

// TransactionList is a page of transactions.
type TransactionList struct {
	Held    Held
	Network string
	console.Token
	List []*ledger.Transaction
	// Untold counts transactions left out because their outcome or fee is unknown and the filter asks for it. WithoutPayer
	// counts transactions without a known payer that the accounts may have paid for, if counted.
	Untold, WithoutPayer uint64
	// Next is the position of the last transaction if more follow: the After of the next page.
	Next chain.Optional[ledger.Place]
}

// Transactions lists transactions. It reads no more of the ledger than necessary.
func (d *Ledger) Transactions(ctx context.Context, q TransactionsRequest) (*TransactionList, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	if q.Payers, err = d.natives(ctx, q.Payers); err != nil {
		return nil, err
	}
	l := &TransactionList{Held: held, Network: n.Name, Token: console.Token(n.Token())}
	span, some := held.Span.Get()
	if !some {
		return l, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultTransactions
	}
	wanted, fees := q.Only.Query(span), q.Only.Fee.In(l.Token)
	wanted.Accounts, wanted.After = q.Payers, q.After
	for t, err := range d.Book.Transactions(ctx, wanted) {
		switch {
		case err != nil:
			return nil, d.wrapErr(err)
		case !held.Asked.Has(t.Height, t.Time):
			continue
		case q.Only.Untold(&t.Kind), fees.Untold(&t.Cost):
			l.Untold++
			continue
		case !fees.Has(&t.Cost):
			continue
		case len(l.List) == limit:
			l.Next = chain.Some(l.List[limit-1].Place())
			return l, nil
		}
		l.List = append(l.List, t)
	}
	return l, nil
}

// AssetFees adds up the fees that were paid in assets, of all transactions that a list asks for.
func (d *Ledger) AssetFees(ctx context.Context, l *TransactionList, q TransactionsRequest) (sum fee.AssetTotals, err error) {
	span, some := l.Held.Span.Get()
	if !some {
		return nil, nil
	}
	wanted, fees := q.Only.Query(span), q.Only.Fee.In(l.Token)
	if wanted.Accounts, err = d.natives(ctx, q.Payers); err != nil {
		return nil, err
	}
	for t, err := range d.Book.PaidInAssets(ctx, wanted) {
		if err == nil && l.Held.Asked.Has(t.Height, t.Time) && !q.Only.Untold(&t.Kind) && fees.Has(&t.Cost) {
			err = sum.Add(&t.AssetFee)
		}
		if err != nil {
			return nil, d.wrapErr(err)
		}
	}
	return sum, nil
}

// CountWithoutPayer counts the transactions in the list's blocks without a known payer that the payers may
// have paid for.
func (d *Ledger) CountWithoutPayer(ctx context.Context, l *TransactionList, payers []chain.Address) (err error) {
	l.WithoutPayer, err = d.withoutPayer(ctx, &l.Held, payers)
	return err
}

func (d *Ledger) withoutPayer(ctx context.Context, h *Held, payers []chain.Address) (count uint64, err error) {
	span, some := h.Span.Get()
	if !some {
		return 0, nil
	}
	if payers, err = d.natives(ctx, payers); err != nil {
		return 0, err
	}
	for t, err := range d.Book.WithoutPayer(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return 0, d.wrapErr(err)
		}
		if h.Asked.Has(t.Height, t.Time) && slices.ContainsFunc(payers, t.MayBePaidBy) {
			count++
		}
	}
	return count, nil
}

// Notes lists the missing parts of the period and what the list may lack.
func (l *TransactionList) Notes() []string {
	notes := l.Held.Notes()
	for _, n := range []struct {
		count       uint64
		text, texts string
	}{
		{l.Untold, " is left out: its outcome or fee is unknown", " are left out: their outcomes or fees are unknown"},
		{l.WithoutPayer, " without a known payer may belong here", " without a known payer may belong here"},
	} {
		if n.count > 0 {
			notes = append(notes, console.Counted(n.count, "transaction")+console.Verb(n.count, n.text, n.texts))
		}
	}
	return notes
}

// Record returns the JSON form of the list: each transaction with the keys of fees tx, without its movements.
func (l *TransactionList) Record(book *AddressBook) jsontext.Record {
	list := []jsontext.Record{}
	for _, t := range l.List {
		list = append(list, transactionRecord(&Paid{Transaction: t, Network: l.Network, Token: l.Token}, book))
	}
	var next any
	if at, ok := l.Next.Get(); ok {
		next = at.String()
	}
	return jsontext.Record{{Name: "period", Value: l.Held.Name}, {Name: "evidence", Value: l.Held.Evidence}, {Name: "notes", Value: append([]string{}, l.Notes()...)}, {Name: "transactions", Value: list}, {Name: "next", Value: next}}
}
