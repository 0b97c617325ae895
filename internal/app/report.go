package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
)

// Fees is a report of fees, or its comparison with another period's.
type Fees struct {
	report.Result
	Report   *report.Report
	Compared *report.Comparison // nil without a comparison
}

// Fees reports the fees of a period, beside those of another if one is named.
func (d *Ledger) Fees(ctx context.Context, q Request, c report.Choice, beside chain.Optional[PeriodInput]) (*Fees, error) {
	with, compared := beside.Get()
	if !compared {
		r, err := d.Report(ctx, q, c)
		return &Fees{Result: r, Report: r}, err
	}
	both, err := d.Compare(ctx, q, c, with)
	if err != nil {
		return nil, err
	}
	return &Fees{Result: both, Report: both.Now, Compared: both}, nil
}

// Report reports the fees of a period.
func (d *Ledger) Report(ctx context.Context, q Request, c report.Choice) (*report.Report, error) {
	if err := checkChoice(&q, &c); err != nil {
		return nil, err
	}
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.report(ctx, &held, n, &q, c, false)
}

// checkChoice requires the files of a grouping.
func checkChoice(q *Request, c *report.Choice) error {
	switch {
	case c.By.Labelled() && q.Labels == nil:
		return notUnderstood("a report by %s needs an address book. Name one with %v, or put %s beside the ledger.", c.By, FieldLabels, AddressBookFile)
	case c.By == report.Tag && c.Tags == nil:
		return notUnderstood("a report by %s needs a file of tags: %v", c.By, FieldTags)
	case c.By == report.AccountCode && c.Chart == nil:
		return notUnderstood("a report by %s needs a chart of accounts: %v", c.By, FieldChart)
	}
	return nil
}

// report reports what the ledger contains of a period, possibly for a comparison.
func (d *Ledger) report(ctx context.Context, h *Held, n *network.Network, q *Request, c report.Choice, compared bool) (*report.Report, error) {
	prices, accounts, err := d.resolve(ctx, console.Token(n.Token()), q)
	if err != nil {
		return nil, err
	}
	request := report.Request{
		Choice: c, Network: n.Name, Token: console.Token(n.Token()), Name: h.Name, Period: h.Asked, Zone: h.Zone, Cover: h.Cover, Evidence: h.Evidence, Partial: h.Notes(), Part: h.Part(),
		Labels: q.Labels, Prices: prices, PartialPrices: h.Period.Partial, Compared: compared,
		Marker: d.marker(q, &c),
	}
	if compared {
		request.Top, request.Listed = 0, report.Window{}
	}
	if len(accounts) > 0 {
		request.Payers = map[chain.Address]bool{}
		for _, account := range accounts {
			request.Payers[account] = true
		}
	}
	r, err := report.Make(ctx, d.Book, request, q.Progress.show)
	q.Progress.end()
	if as[*InputError](err) { // of a tag file
		return nil, err
	}
	return r, d.wrapErr(err)
}
