package app

import (
	"cmp"
	"context"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// ReadMarks reads the files of a grouping into it: a chart of accounts, and tags for its rules or for [report.Tag].
// Errors are of type [InputError].
func ReadMarks(c *report.Choice, chartPath, tagsPath string) (err error) {
	switch {
	case c.By == report.Tag && tagsPath == "":
		return notUnderstood("%v %s needs a CSV file of hash,tag. Name it with %v.", FieldBy, c.By, FieldTags)
	case c.By == report.Tag && chartPath != "":
		return notUnderstood("%v %s does not use a chart of accounts. Leave out %v, or use %v %s.", FieldBy, c.By, FieldChart, FieldBy, report.AccountCode)
	case c.By == report.Tag:
		c.Tags, _, err = readList(FieldTags, tagsPath, chart.ReadTags)
		return err
	case c.By == report.AccountCode && chartPath == "":
		return notUnderstood("%v %s needs your chart of accounts. Name the file with %v.", FieldBy, c.By, FieldChart)
	case c.By != report.AccountCode && chartPath+tagsPath != "":
		return notUnderstood("%v and %v are for %v %s and %s. Leave them out.", FieldChart, FieldTags, FieldBy, report.AccountCode, report.Tag)
	}
	in, err := ReadChart(chartPath, tagsPath)
	c.Chart, c.Tags = in.Chart, in.Tags
	return err
}

// marker returns the marks of a grouping, nil if it needs none.
func (d *Ledger) marker(q *Request, c *report.Choice) report.Marker {
	switch c.By {
	case report.Tag:
		return func(_ context.Context, t *ledger.Transaction) (report.Mark, error) {
			tag, err := c.Tags.Tag(chart.FactsOf(t))
			if err != nil {
				return report.Mark{}, notUnderstood("%v", err)
			}
			return report.Mark{Name: cmp.Or(tag, report.NoTag)}, nil
		}
	case report.AccountCode:
		placer := journal.Placer{Chart: c.Chart, Tags: c.Tags, Labels: q.Labels, Rows: d.Book}
		suspense := cmp.Or(c.Chart.Setting(chart.SettingSuspense), report.NoAccountCode)
		return func(ctx context.Context, t *ledger.Transaction) (report.Mark, error) {
			if !t.Payer.Known() { // and so the fee is unknown: a rule without conditions must not take it
				return report.Mark{Name: suspense, Suspense: true}, nil
			}
			placed, err := placer.Place(ctx, t)
			if err != nil {
				return report.Mark{}, chartError(err)
			}
			return report.Mark{Name: cmp.Or(placed.Expense, suspense), Suspense: placed.Suspense}, nil
		}
	}
	return nil
}
