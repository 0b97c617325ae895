package app

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// TransactionsQuestion asks for the transactions of a period one by one, in the order of the chain.
type TransactionsQuestion struct {
	Period Period
	Payers []chain.Address // only what these paid for; none is everybody
	Only   report.Only
	After  chain.Optional[ledger.Place] // those after this place
	Limit  int                          // so many at most; 0 is the default
}

// DefaultTransactions is how many transactions a list has where nothing else is said.
const DefaultTransactions = 100

// TransactionList is a part of such a list.
type TransactionList struct {
	Held    Held
	Network string
	Symbol  string
	List    []*ledger.Transaction
	// Untold are transactions that are left out: it is not known what came of them, and a status is
	// asked for. WithoutPayer are those that the accounts may have paid for, where they were counted:
	// it is not known who did.
	Untold, WithoutPayer uint64
	// Next is the place of the last one, where others come after it: the After of the next part.
	Next chain.Optional[ledger.Place]
}

// Transactions lists transactions. It reads the ledger no further than it must.
func (d *Desk) Transactions(ctx context.Context, q TransactionsQuestion) (*TransactionList, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	l := &TransactionList{Held: held, Network: n.Name, Symbol: n.Symbol}
	span, some := held.Span.Get()
	if !some {
		return l, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultTransactions
	}
	for t, err := range d.Book.Transactions(ctx, ledger.Query{Accounts: q.Payers, Span: span, After: q.After}) {
		switch {
		case err != nil:
			return nil, d.of(err)
		case !held.Asked.Has(t.Height, t.Time):
			continue
		case !q.Only.Has(&t.Cost):
			if q.Only.Outcome.Known() && t.Outcome == "" {
				l.Untold++
			}
			continue
		case len(l.List) == limit:
			l.Next = chain.Some(l.List[limit-1].Place())
			return l, nil
		}
		l.List = append(l.List, t)
	}
	return l, nil
}

// CountWithoutPayer counts the transactions of a list's blocks for which some accounts may have paid:
// it is not known who did.
func (d *Desk) CountWithoutPayer(ctx context.Context, l *TransactionList, payers []chain.Address) (err error) {
	l.WithoutPayer, err = d.withoutPayer(ctx, &l.Held, payers)
	return err
}

func (d *Desk) withoutPayer(ctx context.Context, h *Held, payers []chain.Address) (count uint64, err error) {
	span, some := h.Span.Get()
	if !some {
		return 0, nil
	}
	for t, err := range d.Book.WithoutPayer(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return 0, d.of(err)
		}
		if h.Asked.Has(t.Height, t.Time) && slices.ContainsFunc(payers, t.MayBePaidBy) {
			count++
		}
	}
	return count, nil
}

// Notes are what a reader must know: what of the period is not there, and what may be missing.
func (l *TransactionList) Notes() []string {
	notes := l.Held.Notes()
	for _, n := range []struct {
		count       uint64
		text, texts string
	}{
		{l.Untold, "it is not known what came of it, so that it is left out", "it is not known what came of them, so that they are left out"},
		{l.WithoutPayer, "it is not known who paid: it may belong here", "it is not known who paid: they may belong here"},
	} {
		if n.count > 0 {
			notes = append(notes, "of "+console.Counted(n.count, "transaction")+" "+console.Verb(n.count, n.text, n.texts))
		}
	}
	return notes
}

// Record is the list as JSON has it: each transaction with the keys of fees tx, without what it
// moved.
func (l *TransactionList) Record(book *AddressBook) jsontext.Record {
	list := []jsontext.Record{}
	for _, t := range l.List {
		list = append(list, transactionRecord(&Paid{Transaction: t, Network: l.Network, Symbol: l.Symbol}, book))
	}
	var next any
	if at, ok := l.Next.Get(); ok {
		next = at.String()
	}
	return jsontext.Record{{Name: "period", Value: l.Held.Name}, {Name: "evidence", Value: l.Held.Evidence}, {Name: "notes", Value: append([]string{}, l.Notes()...)}, {Name: "transactions", Value: list}, {Name: "next", Value: next}}
}
