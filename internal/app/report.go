package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
)

// ReportQuestion asks what the fees of a period add up to.
type ReportQuestion struct {
	Question
	report.Choice
}

// Report adds up the fees of a period.
func (d *Desk) Report(ctx context.Context, q ReportQuestion) (*report.Report, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.report(ctx, &held, n, &q, false)
}

// check wants an address book where the groups are made by it.
func (q *ReportQuestion) check() error {
	if q.By.Labelled() && q.Labels == nil {
		return notUnderstood("a report by %s wants an address book: name one with %v, or put %s beside the ledger", q.By, FieldLabels, AddressBookFile)
	}
	return nil
}

// report adds up what the ledger holds of a period, to be compared with another one or not.
func (d *Desk) report(ctx context.Context, h *Held, n *network.Network, q *ReportQuestion, compared bool) (*report.Report, error) {
	asked := report.Question{
		Choice: q.Choice, Network: n.Name, Symbol: n.Symbol, Name: h.Name, Period: h.Asked, Zone: h.Zone, Cover: h.Cover, Evidence: h.Evidence, Partial: h.Notes(),
		Labels: q.Labels, Prices: q.Prices, PartialPrices: h.Period.Partial, Compared: compared,
	}
	if compared {
		asked.Top = 0
	}
	if len(q.Accounts) > 0 {
		asked.Payers = map[chain.Address]bool{}
		for _, account := range q.Accounts {
			asked.Payers[account] = true
		}
	}
	r, err := report.Make(ctx, d.Book, asked, q.Progress.show)
	q.Progress.end()
	return r, d.of(err)
}
