package app

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// The contents of a journal: the fees that accounts paid, or every movement of their balances.
const (
	WithFees      = "fees"
	WithMovements = "movements"
)

// ExportRequest requests the payments, or all movements, of accounts in a form for accounting software.
type ExportRequest struct {
	Request
	ChartInput
	With  string          // WithFees or WithMovements
	Style journal.Request // sets Names, NetworkSide, Continues, Alone and By; the request determines the rest
	// Balances opens the source of balances; needed for movements only.
	Balances func() (source.Source, error)
}

// Export is a prepared export. Its rows are read from the ledger as it is written.
type Export struct {
	Payments *journal.Payments
	Notes    []string // for the reader
	Held     Held

	request ExportRequest
	style   journal.Request
	ledger  *Ledger
}

// Token returns the network's token.
func (x *Export) Token() console.Token { return x.style.Token }

// Export prepares the export of a period.
func (d *Ledger) Export(ctx context.Context, q ExportRequest) (*Export, error) {
	held, err := d.Held(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.export(ctx, held, q)
}

// export prepares an export from what the ledger holds of a period.
func (d *Ledger) export(ctx context.Context, h Held, q ExportRequest) (*Export, error) {
	n, err := d.Network(ctx)
	if err != nil {
		return nil, err
	}
	token := console.Token(n.Token())
	if q.Prices, q.Accounts, err = d.resolve(ctx, token, &q.Request); err != nil {
		return nil, err
	}
	x := &Export{Held: h, Notes: h.Notes(), request: q, style: q.Style, ledger: d}
	what := "Fees"
	if q.With == WithMovements {
		what = "Movements of the native balance"
	}
	r := &x.style
	r.Token, r.Network, r.Zone, r.Prices, r.Partial = token, n.Name, h.Zone, q.Prices, h.Period.Partial
	r.Title = fmt.Sprintf("%s of %s, %s, accounts: %d", what, n.Name, h.Name, len(q.Accounts))
	r.Placer = journal.Placer{Chart: q.Chart, Tags: q.Tags, Labels: q.Labels, Rows: d.Book}
	r.Classifier.Treasury, r.Classifier.Pot = treasuryOf(n)
	book := &deposits.Book{Book: d.Book}
	if span, some := h.Span.Get(); some && q.With == WithMovements {
		if book, err = d.withDeposits(ctx, n, q.deposits, q.Accounts, span); err != nil {
			return nil, err
		}
	}
	r.Receivables = book.Receivables
	if x.Payments, err = journal.Find(ctx, book, journal.Selection{Token: token, Accounts: q.Accounts, Period: h.Asked, Span: h.Span}); err != nil {
		return nil, d.wrapErr(err)
	}
	r.Notes = h.Notes()
	if idle := x.Payments.Idle(); len(idle) > 0 {
		x.Notes = append(x.Notes, token.PaidNothing(idle))
		r.Notes = append(r.Notes, token.PaidNothing(idle))
	}
	span, _ := h.Span.Get()
	notes, err := book.Notes(span, token.Amount)
	if err != nil {
		return nil, err
	}
	for _, note := range slices.Concat(notes, x.Payments.AssetFees().Notes(token.Amount)) {
		x.Notes = append(x.Notes, note)
		r.Notes = append(r.Notes, note)
	}
	if n, _ := x.Payments.Undetermined(); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Undetermined: %s unknown and %s excluded from all sums", console.Counted(n, "fee")+console.Verb(n, " is", " are"), console.Verb(n, "is", "are")))
	}
	return x, nil
}

// List returns the payments as a table.
func (x *Export) List(ctx context.Context) (*table.Sheet, error) {
	if err := x.checkPrices(ctx); err != nil {
		return nil, err
	}
	return journal.List(ctx, x.Payments, x.style), nil
}

// checkPrices requires a price for each payment, and notes where the amounts in a currency come from.
func (x *Export) checkPrices(ctx context.Context) error {
	notes, err := x.style.CheckPrices(ctx, x.Payments)
	x.style.Notes = append(slices.Clip(x.style.Notes), notes...)
	return err
}

// WriteRecords writes one line of JSON for each block of a period: block, time, digest and the record that the
// digest covers, in hex. docs/evidence.md describes it.
func (d *Ledger) WriteRecords(ctx context.Context, w io.Writer, p Period) error {
	held, err := d.Held(ctx, p)
	if err != nil {
		return err
	}
	span, err := d.span(&held)
	if err != nil {
		return err
	}
	return d.writeRecords(ctx, w, span, held.Asked)
}

// writeRecords writes the records of a span's blocks that are in a period.
func (d *Ledger) writeRecords(ctx context.Context, w io.Writer, span chain.Heights, p ledger.Period) error {
	var line []byte
	for r, err := range d.Book.Records(ctx, span) {
		if err != nil {
			return d.wrapErr(err)
		}
		if !p.Has(r.Height, r.Time) {
			continue
		}
		at := "null"
		if t, known := r.Time.Get(); known {
			at = `"` + t.String() + `"`
		}
		line = hex.AppendEncode(fmt.Appendf(line[:0], `{"block":%d,"time":%s,"digest":"%v","record":"`, r.Height, at, r.Digest), r.Bytes)
		if _, err := w.Write(append(line, "\"}\n"...)); err != nil {
			return err
		}
	}
	return nil
}

// ExportForms are the forms of one file: journals in tokens and lists. JournalForms are the accounting systems that a
// journal in the currency of the books can be for.
var (
	ExportForms  = journal.FormatNames(journal.Movements, journal.Fees)
	JournalForms = journal.FormatNames(journal.Summaries)
)

// ProgramNames returns the names of the accounting programs with journals.
func ProgramNames() []string { return journal.FormatNames(journal.Movements) }

// Program returns the format of the accounting program with a name.
func Program(name string) (journal.Format, bool) {
	f, _ := journal.FormatNamed(name)
	return f, f.Content == journal.Movements
}

// Writer returns a function that writes the export in one of [ExportForms].
func (x *Export) Writer(ctx context.Context, form string) (func(io.Writer) error, error) {
	if p, isProgram := Program(form); isProgram {
		j, err := x.Journal(ctx)
		return func(w io.Writer) error { return j.Write(ctx, w, p) }, err
	}
	list, err := x.List(ctx)
	if form == journal.Koinly.Name {
		return func(w io.Writer) error { return journal.WriteKoinly(ctx, w, x.Payments, x.style) }, err
	}
	return func(w io.Writer) error { return (&table.Document{List: list}).Write(w, form, 0) }, err
}

// Style returns the settings for writing the export.
func (x *Export) Style() journal.Request { return x.style }

// Explain adds the ledger's location to an error that the ledger caused while the export was written.
func (x *Export) Explain(err error) error {
	if as[*journal.LedgerError](err) {
		return x.ledger.wrapErr(err)
	}
	return inOwnForm(err, x.style.Token)
}

// Journal returns the fees or movements as double entries. It returns journal.DifferenceError or
// journal.ErrUnknown if the entries would not balance or an amount is unknown.
func (x *Export) Journal(ctx context.Context) (*journal.Journal, error) {
	j, err := x.journal(ctx)
	return j, inOwnForm(err, x.style.Token)
}

func (x *Export) journal(ctx context.Context) (*journal.Journal, error) {
	if x.request.With != WithMovements {
		return journal.FeeJournal(ctx, x.Payments, x.style)
	}
	d, h := x.ledger, &x.Held
	span, err := d.span(h)
	if err != nil {
		return nil, err
	}
	outside, err := d.Book.Outside(ctx, h.Asked, span)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	if len(outside) > 0 {
		return nil, notUnderstood("block %d lies within blocks %v but not within %s by its own time, so no balances open and close the period. Use a range of heights.", outside[0], span, h.Name)
	}
	src, err := x.request.Balances()
	if err != nil {
		return nil, err
	}
	balances, err := d.balances(ctx, src, span.Last)
	if err != nil {
		return nil, err
	}
	return journal.MovementJournal(ctx, x.Payments, balances, x.style)
}
