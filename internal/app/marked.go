package app

import (
	"cmp"
	"context"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// ReadMarks reads the files of a grouping: a chart of accounts, and tags for its rules or for
// [report.Tag]. Errors are of type [InputError].
func ReadMarks(by report.By, chartPath, tagsPath string) (in ChartInput, err error) {
	switch {
	case by == report.Tag && tagsPath == "":
		return in, notUnderstood("%v %s needs a CSV file of hash,tag. Name it with %v.", FieldBy, by, FieldTags)
	case by == report.Tag && chartPath != "":
		return in, notUnderstood("%v %s does not use a chart of accounts. Leave out %v, or use %v %s.", FieldBy, by, FieldChart, FieldBy, report.AccountCode)
	case by == report.Tag:
		in.Tags, _, err = readList(FieldTags, tagsPath, chart.ReadTags)
		return in, err
	case by == report.AccountCode && chartPath == "":
		return in, notUnderstood("%v %s needs your chart of accounts. Name the file with %v.", FieldBy, by, FieldChart)
	case by != report.AccountCode && chartPath+tagsPath != "":
		return in, notUnderstood("%v and %v are for %v %s and %s. Leave them out.", FieldChart, FieldTags, FieldBy, report.AccountCode, report.Tag)
	}
	return ReadChart(chartPath, tagsPath)
}

// marker returns the marks of a grouping, nil if it needs none.
func (d *Ledger) marker(q *ReportQuestion) report.Marker {
	switch q.By {
	case report.Tag:
		return func(_ context.Context, t *ledger.Transaction) (report.Mark, error) {
			tag, err := q.Tags.Tag(chart.FactsOf(t))
			if err != nil {
				return report.Mark{}, notUnderstood("%v", err)
			}
			return report.Mark{Name: cmp.Or(tag, report.NoTag)}, nil
		}
	case report.AccountCode:
		placer := journal.Placer{Chart: q.Chart, Tags: q.Tags, Labels: q.Labels, Rows: d.Book}
		suspense := cmp.Or(q.Chart.Setting(chart.SettingSuspense), report.NoAccountCode)
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

// checkMarks requires the files of a grouping.
func (q *ReportQuestion) checkMarks() error {
	switch {
	case q.By == report.Tag && q.Tags == nil:
		return notUnderstood("a report by %s needs a file of tags: %v", q.By, FieldTags)
	case q.By == report.AccountCode && q.Chart == nil:
		return notUnderstood("a report by %s needs a chart of accounts: %v", q.By, FieldChart)
	}
	return nil
}
