package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// ChartInput is a user's chart of accounts, and the tags of transactions.
type ChartInput struct {
	Chart *chart.Chart
	Tags  *chart.Tags // nil for none
}

// ReadChart reads a chart of accounts and a file of tags; "" is none. The error is an [InputError].
func ReadChart(path, tags string) (in ChartInput, err error) {
	if path == "" {
		if tags != "" {
			return in, notUnderstood("%v is for rules of a chart: name one with %v", FieldTags, FieldChart)
		}
		return in, nil
	}
	if in.Chart, _, err = readList(FieldChart, path, chart.Read); err != nil || tags == "" {
		return in, err
	}
	in.Tags, _, err = readList(FieldTags, tags, chart.ReadTags)
	return in, err
}

// What a journal for an accounting system needs.
var (
	errNoChart  = notUnderstood("a journal for an accounting system needs a chart of accounts: name the file with %v", FieldChart)
	errNoPrices = notUnderstood("a journal is in the currency of the books: name %v and %v", FieldPrices, FieldFiat)
)

// Summary is a journal of fees for an accounting system.
type Summary struct {
	*journal.Summary
	Title    string
	Remarks  []string // for the reader
	Compared string   // how it compares with the report on the same fees
}

// Summarise makes the journal of the fees in one of [JournalForms], and compares it with the report on the same fees.
func (x *Export) Summarise(ctx context.Context, form string) (*Summary, error) {
	s, err := x.summarise(ctx, form)
	if err == nil {
		s.Compared, err = x.compare(ctx, &s.Tie)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// summarise makes the journal, without comparing it.
func (x *Export) summarise(ctx context.Context, form string) (s *Summary, err error) {
	r := x.style
	switch {
	case r.Chart == nil:
		return nil, errNoChart
	case r.Prices == nil:
		return nil, errNoPrices
	}
	if err := OneOf(FieldSummarise, r.By, journal.ByTransaction, journal.ByDay, journal.ByMonth); err != nil {
		return nil, err
	}
	r.Format, _ = journal.FormatNamed(form)
	s = &Summary{Title: fmt.Sprintf("Journal of fees of %s, %s, by %s", r.Network, x.Held.Name, r.By)}
	if s.Summary, err = journal.Summarise(ctx, x.Payments, r); err != nil {
		return nil, x.chartError(err)
	}
	s.Remarks = append(x.Held.Notes(), s.Summary.Remarks()...)
	return s, nil
}

// chartError attributes an error to the ledger, or to the chart or the request.
func (x *Export) chartError(err error) error { return x.Explain(chartError(err)) }

// chartError turns an error that is not the ledger's into an [InputError]: it comes from the chart or the request.
func chartError(err error) error {
	if KindOf(err) != failure.Failed || as[*journal.LedgerError](err) {
		return err
	}
	return notUnderstood("%v", err)
}

// compare compares a journal with the report on the same fees, which adds up the ledger's totals.
// A difference is an error.
func (x *Export) compare(ctx context.Context, t *journal.Tie) (string, error) {
	n, err := x.ledger.Network(ctx)
	if err != nil {
		return "", err
	}
	q := x.request.Request
	q.Progress = Progress{}
	r, err := x.ledger.report(ctx, &x.Held, n, &q, report.Choice{By: report.Layer}, false)
	if err != nil {
		return "", err
	}
	charged, known := r.Totals.Charged.Get()
	if !known {
		return "not compared: the chain recorded no charge for some fees", nil
	}
	if err := t.Compare(charged, r.Totals.ChargedWorth); err != nil {
		return "", err
	}
	worth, known := r.Totals.ChargedWorth.Get()
	if !known {
		return "agrees to the " + x.style.Unit() + "; its amount in " + string(t.Currency) + " is not known, for prices are missing", nil
	}
	return fmt.Sprintf("agrees: %s %s, %v %s", x.style.Tokens(charged), x.style.Symbol, worth, t.Currency), nil
}

// FileNames returns the names of the files that a journal has: a name, with -001 and so on before its extension if there are
// several.
func (s *Summary) FileNames(name string) (list []string) {
	extension := filepath.Ext(name)
	for i := range s.Files {
		if len(s.Files) == 1 {
			return []string{name}
		}
		list = append(list, fmt.Sprintf("%s-%03d%s", strings.TrimSuffix(name, extension), i+1, extension))
	}
	return list
}

// ManifestName returns the name of the list of a journal's files, which there is if there are several.
func ManifestName(name string) string {
	return strings.TrimSuffix(name, filepath.Ext(name)) + "-manifest.json"
}

// WriteManifest writes which files a journal has, as JSON.
func (s *Summary) WriteManifest(w io.Writer, names []string) error {
	type named struct {
		Name string `json:"name"`
		*journal.File
	}
	manifest := struct {
		Format   string `json:"format"`
		Title    string `json:"title"`
		Currency string `json:"currency"`
		chainSums
		Chart  string      `json:"chart_sha256"`
		Prices string      `json:"prices_sha256"`
		Chains []chainSums `json:"chains_before,omitempty"` // the same of the chains before, in the same files
		Files  []named     `json:"files"`
	}{
		s.Format.Name, s.Title, string(s.Currency), sumsOf(s.Summary),
		s.Chart.SHA256, s.Prices.SHA256, nil, nil,
	}
	for before := s.After; before != nil; before = before.After {
		manifest.Chains = append([]chainSums{sumsOf(before)}, manifest.Chains...)
	}
	for i, file := range s.Files {
		manifest.Files = append(manifest.Files, named{filepath.Base(names[i]), file})
	}
	return jsontext.Write(w, manifest)
}

// chainSums are the sums of a chain's fees in a journal.
type chainSums struct {
	Symbol   string `json:"symbol"`
	Wei      string `json:"wei"`
	Exact    string `json:"exact"`
	Total    string `json:"total"`
	Rounding string `json:"rounding"`
	Debit    string `json:"debit"`
	Credit   string `json:"credit"`
}

func sumsOf(s *journal.Summary) chainSums {
	debit, credit := s.Sums()
	return chainSums{s.Symbol, s.Wei.String(), s.Exact.String(), s.Money(s.Total), s.Money(s.Rounding), s.Money(debit), s.Money(credit)}
}
