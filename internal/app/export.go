package app

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// The contents of a journal: the fees that accounts paid, or every movement of their balances.
const (
	WithFees      = "fees"
	WithMovements = "movements"
)

// ExportQuestion asks for the payments, or all movements, of accounts in a form for accounting software.
type ExportQuestion struct {
	Question
	With  string        // WithFees or WithMovements
	Style journal.Style // sets Names, NetworkSide, Continues and Alone; the question determines the rest
	// Balances opens the source of balances; needed for movements only.
	Balances func() (source.Source, error)
}

// Export is a prepared export. Its rows are read from the ledger as it is written.
type Export struct {
	Payments *journal.Payments
	Notes    []string // for the reader
	Held     Held

	question ExportQuestion
	network  string
	treasury chain.Optional[chain.Address]
	style    journal.Style
	ledger   *Ledger
}

// Token returns the network's token.
func (x *Export) Token() console.Token { return x.style.Token }

// Export prepares the export of a period.
func (d *Ledger) Export(ctx context.Context, q ExportQuestion) (*Export, error) {
	held, err := d.Held(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.export(ctx, held, q)
}

// export prepares an export from what the ledger holds of a period.
func (d *Ledger) export(ctx context.Context, h Held, q ExportQuestion) (*Export, error) {
	n, err := d.Network(ctx)
	if err != nil {
		return nil, err
	}
	if q.Prices, err = pricesOf(console.Token(n.Token()), q.Prices); err != nil {
		return nil, err
	}
	if err := checkChain(q.Labels, console.Token(n.Token())); err != nil {
		return nil, err
	}
	if q.Accounts, err = d.natives(ctx, q.Accounts); err != nil {
		return nil, err
	}
	x := &Export{Held: h, Notes: h.Notes(), question: q, network: n.Name, style: q.Style, ledger: d}
	if n.Treasury != nil {
		x.treasury = chain.Some(*n.Treasury)
	}
	what := "Fees"
	if q.With == WithMovements {
		what = "Movements of the native balance"
	}
	x.style.Token, x.style.Zone, x.style.Prices, x.style.PartialPrices = console.Token(n.Token()), h.Zone, q.Prices, h.Period.Partial
	x.style.Title = fmt.Sprintf("%s of %s, %s, accounts: %d", what, n.Name, h.Name, len(q.Accounts))
	if x.Payments, err = journal.Find(ctx, d.Book, journal.Question{Token: console.Token(n.Token()), Accounts: q.Accounts, Period: h.Asked, Span: h.Span}); err != nil {
		return nil, d.wrapErr(err)
	}
	x.style.Notes = h.Notes()
	if idle := x.Payments.Idle(); len(idle) > 0 {
		x.Notes = append(x.Notes, x.style.PaidNothing(idle))
		x.style.Notes = append(x.style.Notes, x.style.PaidNothing(idle))
	}
	if n, _ := x.Payments.Undetermined(); n > 0 {
		x.style.Notes = append(x.style.Notes, fmt.Sprintf("UNDETERMINED: %s unknown and %s excluded from all sums", console.Counted(n, "fee")+console.Verb(n, " is", " are"), console.Verb(n, "is", "are")))
	}
	return x, nil
}

// List returns the payments as a table.
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

// checkPrices requires a price for each payment, and notes where the amounts in a currency come from.
func (x *Export) checkPrices(ctx context.Context) error {
	notes, err := x.style.CheckPrices(ctx, x.Payments)
	x.style.Notes = append(slices.Clip(x.style.Notes), notes...)
	return err
}

// WriteRecords writes one line of JSON for each block of a period: block, time, digest and the record that the
// digest covers, in hex. docs/verify_seal.py computes seals from it.
func (d *Ledger) WriteRecords(ctx context.Context, w io.Writer, p Period) error {
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
			return d.wrapErr(err)
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

// ExportForms lists the export formats.
var ExportForms = []string{"hledger", "beancount", "ledger", "csv", "jsonl", "xlsx", "parquet", "koinly"}

// Writer returns a function that writes the export in one of [ExportForms].
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

// Style returns the settings for writing the export.
func (x *Export) Style() journal.Style { return x.style }

// Explain adds the ledger's location to an error that the ledger caused while the export was written.
func (x *Export) Explain(err error) error {
	if as[*journal.LedgerError](err) {
		return x.ledger.wrapErr(err)
	}
	return err
}

// Journal returns the fees or movements as double entries. It returns journal.DifferenceError or
// journal.ErrUnknown if the entries would not balance or an amount is unknown.
func (x *Export) Journal(ctx context.Context) (*journal.Journal, error) {
	if x.question.With != WithMovements {
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

// ProgramNames returns the names of the accounting programs with journals.
func ProgramNames() (names []string) {
	for _, p := range journal.Programs() {
		names = append(names, p.Name)
	}
	return names
}

// Program returns the accounting program with a name.
func Program(name string) (journal.Program, bool) {
	for _, p := range journal.Programs() {
		if p.Name == name {
			return p, true
		}
	}
	return journal.Program{}, false
}
