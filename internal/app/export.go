package app

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// What a journal has: the fees that accounts paid, or every movement of their balances.
const (
	WithFees      = "fees"
	WithMovements = "movements"
)

// ExportQuestion asks for what accounts paid, or what moved their balances, as accounting
// software takes it.
type ExportQuestion struct {
	Question
	With  string        // WithFees or WithMovements
	Style journal.Style // Names, NetworkSide, Continues and Alone; the rest comes of the question
	// Balances opens who tells what the accounts had, where movements are asked for.
	Balances func() (source.Source, error)
}

// Export is what accounts paid in a period. It is read from the ledger when it is written.
type Export struct {
	Payments *journal.Payments
	Notes    []string // what a reader must know
	Held     Held

	question ExportQuestion
	network  string
	style    journal.Style
	desk     *Desk
}

// Export finds what the accounts paid.
func (d *Desk) Export(ctx context.Context, q ExportQuestion) (*Export, error) {
	held, err := d.Held(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.export(ctx, held, q)
}

// export finds what the accounts paid of what the ledger holds of a period.
func (d *Desk) export(ctx context.Context, h Held, q ExportQuestion) (*Export, error) {
	n, err := d.Network(ctx)
	if err != nil {
		return nil, err
	}
	x := &Export{Held: h, Notes: h.Notes(), question: q, network: n.Name, style: q.Style, desk: d}
	what := "Fees"
	if q.With == WithMovements {
		what = "Movements of the native balance"
	}
	x.style.Symbol, x.style.Zone, x.style.Prices, x.style.PartialPrices = n.Symbol, h.Zone, q.Prices, h.Period.Partial
	x.style.Title = fmt.Sprintf("%s of %s, %s, accounts: %d", what, n.Name, h.Name, len(q.Accounts))
	if x.Payments, err = journal.Find(ctx, d.Book, journal.Question{Accounts: q.Accounts, Period: h.Asked, Span: h.Span}); err != nil {
		return nil, d.of(err)
	}
	x.style.Notes = h.Notes()
	if idle := x.Payments.Idle(); len(idle) > 0 {
		x.Notes = append(x.Notes, console.PaidNothing(idle))
		x.style.Notes = append(x.style.Notes, console.PaidNothing(idle))
	}
	if n, _ := x.Payments.Undetermined(); n > 0 {
		x.style.Notes = append(x.style.Notes, fmt.Sprintf("UNDETERMINED: %s not known, and %s in no sum", console.Counted(n, "fee")+console.Verb(n, " is", " are"), console.Verb(n, "is", "are")))
	}
	return x, nil
}

// List is the plain list of the fees.
func (x *Export) List(ctx context.Context) (*table.Sheet, error) {
	if err := x.checkPrices(ctx); err != nil {
		return nil, err
	}
	return journal.List(ctx, x.Payments, x.network, x.style), nil
}

// WriteKoinly writes the fees for Koinly.
func (x *Export) WriteKoinly(ctx context.Context, w io.Writer) error {
	if err := x.checkPrices(ctx); err != nil {
		return err
	}
	return journal.WriteKoinly(ctx, w, x.Payments, x.style)
}

// checkPrices wants a price for each payment, and notes what amounts in a currency rest on.
func (x *Export) checkPrices(ctx context.Context) error {
	notes, err := x.style.CheckPrices(ctx, x.Payments)
	x.style.Notes = append(slices.Clip(x.style.Notes), notes...)
	return err
}

// WriteRecords writes what the digests of a period's blocks are over, a line of JSON each: block, time,
// digest and record, in hex. docs/verify_seal.py makes seals of it.
func (d *Desk) WriteRecords(ctx context.Context, w io.Writer, p Period) error {
	held, err := d.Held(ctx, p)
	if err != nil {
		return err
	}
	span, err := d.span(&held)
	if err != nil {
		return err
	}
	for r, err := range d.Book.Records(ctx, span) {
		if err != nil {
			return d.of(err)
		}
		if !held.Asked.Has(r.Height, r.Time) {
			continue
		}
		at := "null"
		if t, known := r.Time.Get(); known {
			at = `"` + t.String() + `"`
		}
		if _, err := fmt.Fprintf(w, `{"block":%d,"time":%s,"digest":"%v","record":"%x"}`+"\n", r.Height, at, r.Digest, r.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// ExportForms are what an export can be for.
var ExportForms = []string{"hledger", "beancount", "ledger", "csv", "jsonl", "xlsx", "parquet", "koinly"}

// Writer returns what writes the export for one of [ExportForms].
func (x *Export) Writer(ctx context.Context, form string) (func(io.Writer) error, error) {
	p, isProgram := Program(form)
	switch {
	case isProgram:
		j, err := x.Journal(ctx)
		return func(w io.Writer) error { return j.Write(w, p) }, err
	case form == "koinly":
		return func(w io.Writer) error { return x.WriteKoinly(ctx, w) }, nil
	}
	list, err := x.List(ctx)
	return func(w io.Writer) error { return WriteSheet(w, form, list) }, err
}

// Style is how the export is written.
func (x *Export) Style() journal.Style { return x.style }

// Explain says of an error whose it is: the ledger is read while the export is written.
func (x *Export) Explain(err error) error {
	if as[*journal.LedgerError](err) {
		return x.desk.of(err)
	}
	return err
}

// Journal is the double entry of the fees, or of the movements. It is a
// journal.DifferenceError, or journal.ErrUnknown, where it could only be made with a lie.
func (x *Export) Journal(ctx context.Context) (*journal.Journal, error) {
	if x.question.With != WithMovements {
		return journal.FeeJournal(ctx, x.Payments, x.style)
	}
	d, h := x.desk, &x.Held
	span, err := d.span(h)
	if err != nil {
		return nil, err
	}
	outside, err := d.Book.Outside(ctx, h.Asked, span)
	if err != nil {
		return nil, d.of(err)
	}
	if len(outside) > 0 {
		return nil, notUnderstood("of the blocks %v, %d is not of %s by its own time, so that no balances open and close it: name heights", span, outside[0], h.Name)
	}
	src, err := x.question.Balances()
	if err != nil {
		return nil, err
	}
	balances, err := d.balances(ctx, src, span.Last)
	if err != nil {
		return nil, err
	}
	return journal.MovementJournal(ctx, x.Payments, balances, x.style)
}

// ProgramNames are those of the accounting programs that have journals.
func ProgramNames() (names []string) {
	for _, p := range journal.Programs() {
		names = append(names, p.Name)
	}
	return names
}

// Program is the accounting program of a name.
func Program(name string) (journal.Program, bool) {
	for _, p := range journal.Programs() {
		if p.Name == name {
			return p, true
		}
	}
	return journal.Program{}, false
}
