package app

import (
	"context"
	"fmt"
	"io"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/booking"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/rollforward"
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

// placer places the fees of an export.
func (x *Export) placer(in ChartInput) booking.Placer {
	return booking.Placer{
		Chart: in.Chart, Tags: in.Tags, Labels: x.question.Labels, Book: x.ledger.Book, Classifier: rollforward.Classifier{Treasury: x.treasury},
	}
}

// UseChart makes the text journals book to the accounts of a chart.
func (x *Export) UseChart(in ChartInput) {
	if in.Chart != nil {
		placer := x.placer(in)
		x.style.Chart = placer.ForJournal()
	}
}

// JournalForms are the accounting systems that a journal can be for.
var JournalForms = booking.Formats()

// BookingQuestion asks for a journal for an accounting system.
type BookingQuestion struct {
	ChartInput
	Form string     // of [JournalForms]
	By   booking.By // what an entry has the fees of
}

// Bookings is a journal for an accounting system, with the files that it needs.
type Bookings struct {
	*booking.Journal
	Format   *booking.Format
	Files    []*booking.File
	Title    string
	Remarks  []string // what a reader must know
	Compared string   // what the report on the same fees says of the journal
}

// Bookings makes the journal of the fees, and compares it with the report on the same fees.
func (x *Export) Bookings(ctx context.Context, q BookingQuestion) (b *Bookings, err error) {
	switch {
	case q.Chart == nil:
		return nil, notUnderstood("a journal for an accounting system needs a chart of accounts: name the file with %v", FieldChart)
	case x.question.Prices == nil:
		return nil, notUnderstood("a journal is in the currency of the books: name %v and %v", FieldPrices, FieldFiat)
	}
	if err := OneOf(FieldSummarise, q.By, booking.ByTransaction, booking.ByDay, booking.ByMonth); err != nil {
		return nil, err
	}
	asked := booking.Question{
		Placer: x.placer(q.ChartInput), Prices: x.question.Prices, Partial: x.Held.Partial, By: q.By, Zone: x.Held.Zone,
		Network: x.network, Token: x.style.Token,
	}
	b = &Bookings{Title: fmt.Sprintf("Journal of fees of %s, %s, by %s", x.network, x.Held.Name, q.By), Remarks: x.Held.Notes()}
	if b.Format, err = booking.NewFormat(q.Form, &asked); err != nil {
		return nil, notUnderstood("%v", err)
	}
	if b.Journal, err = booking.Make(ctx, x.Payments, asked); err != nil {
		return nil, x.bookingError(err)
	}
	if b.Compared, err = x.compare(ctx, &b.Tie); err != nil {
		return nil, err
	}
	if b.Files, err = b.Plan(ctx, b.Format); err != nil {
		return nil, x.bookingError(err)
	}
	b.Remarks = append(append(b.Remarks, b.PriceNotes...), b.Journal.Notes(b.Format)...)
	return b, nil
}

// bookingError attributes an error to the ledger, or to the chart or the question.
func (x *Export) bookingError(err error) error { return x.Explain(chartError(err)) }

// chartError turns an error that is not the ledger's into an [InputError]: it comes from the chart or the question.
func chartError(err error) error {
	if KindOf(err) != failure.Failed || as[*journal.LedgerError](err) {
		return err
	}
	return notUnderstood("%v", err)
}

// compare compares a journal with the report on the same fees, which adds up the ledger's totals.
// A difference is an error.
func (x *Export) compare(ctx context.Context, t *booking.Tie) (string, error) {
	n, err := x.ledger.Network(ctx)
	if err != nil {
		return "", err
	}
	q := ReportQuestion{Question: x.question.Question, Choice: report.Choice{By: report.Layer}}
	q.Progress = Progress{}
	r, err := x.ledger.report(ctx, &x.Held, n, &q, false)
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
		return "agrees to the wei; its amount in " + string(t.Currency) + " is not known, for prices are missing", nil
	}
	return fmt.Sprintf("agrees: %s %s, %v %s", console.Token(n.Token()).Tokens(charged), n.Symbol, worth, t.Currency), nil
}

// WriteManifest writes which files a journal has, as JSON.
func (b *Bookings) WriteManifest(w io.Writer, name func(file int) string) error {
	type named struct {
		Name string `json:"name"`
		*booking.File
	}
	debit, credit := b.Sums()
	manifest := struct {
		Format   string  `json:"format"`
		Title    string  `json:"title"`
		Currency string  `json:"currency"`
		Symbol   string  `json:"symbol"`
		Wei      string  `json:"wei"`
		Exact    string  `json:"exact"`
		Total    string  `json:"total"`
		Rounding string  `json:"rounding"`
		Debit    string  `json:"debit"`
		Credit   string  `json:"credit"`
		Chart    string  `json:"chart_sha256"`
		Prices   string  `json:"prices_sha256"`
		Files    []named `json:"files"`
	}{
		b.Format.Name, b.Title, string(b.Currency), b.Symbol, b.Wei.String(), b.Exact.String(), b.Money(b.Total), b.Money(b.Rounding), b.Money(debit), b.Money(credit),
		b.Chart.SHA256, b.Prices.SHA256, nil,
	}
	for i, file := range b.Files {
		manifest.Files = append(manifest.Files, named{name(i), file})
	}
	return jsontext.Write(w, manifest)
}
