package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/money"
)

// ReportQuestion asks what the fees of a period add up to.
type ReportQuestion struct {
	Period Period
	By     report.By         // what makes a group
	Payers []chain.Address   // only what these paid for; none is everybody
	Only   report.Only       // only these transactions
	Labels *addressbook.Book // what addresses are called; nil is not known
	// Percentiles asks for those of the gas price, for which every transaction is read.
	Percentiles bool
	Top         int         // so many groups, and one of all others; 0 is all
	Prices      *money.List // nil for no amounts in a currency
	Progress    Progress
}

// Report adds up the fees of a period.
func (d *Desk) Report(ctx context.Context, q ReportQuestion) (*report.Report, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	held, err := d.Held(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	asked, err := d.asked(ctx, &q)
	if err != nil {
		return nil, err
	}
	return d.report(ctx, &held, asked, q.Payers, &q.Progress)
}

// check wants an address book where the groups are made by it.
func (q *ReportQuestion) check() error {
	if q.By.Labelled() && q.Labels == nil {
		return notUnderstood("a report by %s wants an address book: name one with %v, or put %s beside the ledger", q.By, FieldLabels, AddressBookFile)
	}
	return nil
}

// asked is a question with the ledger's network.
func (d *Desk) asked(ctx context.Context, q *ReportQuestion) (report.Question, error) {
	n, err := d.Network(ctx)
	if err != nil {
		return report.Question{}, err
	}
	return report.Question{By: q.By, Only: q.Only, Network: n.Name, Symbol: n.Symbol, Percentiles: q.Percentiles, Top: q.Top, Prices: q.Prices, Labels: q.Labels}, nil
}

// report adds up what the ledger holds of a period.
func (d *Desk) report(ctx context.Context, h *Held, q report.Question, payers []chain.Address, p *Progress) (*report.Report, error) {
	q.Name, q.Period, q.Zone, q.Cover, q.Evidence, q.Partial = h.Name, h.Asked, h.Zone, h.Cover, h.Evidence, h.Notes()
	q.PartialPrices = h.Period.Partial
	if len(payers) > 0 {
		q.Payers = map[chain.Address]bool{}
		for _, account := range payers {
			q.Payers[account] = true
		}
	}
	r, err := report.Make(ctx, d.Book, q, p.show)
	p.end()
	return r, d.of(err)
}
