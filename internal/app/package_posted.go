package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// TieFile is the file of a package that compares its journals for accounting systems with its report.
const TieFile = postedDir + "tie-out.csv"

const (
	postedDir = "posted/" // of a package, with the journals for accounting systems
	// maxPostedFiles limits the files of a journal in a package.
	maxPostedFiles = 400
)

// DATEVPrefix begins the names of files that DATEV imports.
const DATEVPrefix = "EXTF_"

// JournalsOf divides names of formats into the program of a journal in tokens, "" for none, and accounting systems, each once
// and in the order of [JournalForms]. The error is an [InputError].
func JournalsOf(names []string) (program string, systems []string, err error) {
	for _, name := range names {
		if _, isProgram := Program(name); !isProgram {
			err = errors.Join(err, OneOf(FieldProgram, name, slices.Concat(ProgramNames(), JournalForms)...))
			continue
		}
		if program != "" && program != name {
			return "", nil, notUnderstood("%v: a package has one journal in tokens; choose %s or %s", FieldProgram, program, name)
		}
		program = name
	}
	systems = []string{}
	for _, form := range JournalForms {
		if slices.Contains(names, form) {
			systems = append(systems, form)
		}
	}
	return program, systems, err
}

// checkJournals checks which journals a package has.
func checkJournals(o *closing.Options) error {
	if _, isProgram := Program(o.Journal); !isProgram && (o.Journal != "" || len(o.Posted) == 0) {
		return notUnderstood("%v %q: not an accounting program with journals", FieldProgram, o.Journal)
	}
	if o.With == WithMovements && o.Journal == "" {
		return notUnderstood("%v %s needs a journal in tokens: %s", FieldWith, WithMovements, strings.Join(ProgramNames(), ", "))
	}
	if len(o.Posted) == 0 {
		return nil
	}
	if _, systems, err := JournalsOf(o.Posted); err != nil || !slices.Equal(systems, o.Posted) {
		return errors.Join(err, notUnderstood("%v: %s: name each accounting system once", FieldProgram, plain.Line(strings.Join(o.Posted, ", "))))
	}
	switch {
	case !o.Chart:
		return errNoChart
	case o.Prices == nil:
		return errNoPrices
	}
	return OneOf(FieldSummarise, journal.By(o.Summarise), journal.ByTransaction, journal.ByDay, journal.ByMonth)
}

// summarised returns what an entry of the journals for accounting systems has the fees of; "" if there are none.
func summarised(q *PackageRequest) string {
	if len(q.Posted) == 0 {
		return ""
	}
	return cmp.Or(q.Summarise, string(journal.ByDay))
}

// postedName returns the name of a journal in a package, if it has one file.
func postedName(form string) string {
	if form == journal.DATEV.Name {
		form = DATEVPrefix + form
	}
	return postedDir + form + ".csv"
}

// makePosted makes the journals for accounting systems, the same files as fees export, and compares them with the report.
func (x *maker) makePosted(ctx context.Context) error {
	o := &x.manifest.Options
	if len(o.Posted) == 0 {
		return nil
	}
	e, err := x.export(ctx, x.held, ExportRequest{Request: x.request(Progress{}), ChartInput: x.charted, With: WithFees, Style: journal.Request{By: journal.By(o.Summarise)}})
	if err != nil {
		return err
	}
	var ties []*tieOut
	for _, form := range o.Posted {
		t, err := x.post(ctx, e, form)
		if err != nil {
			return e.Explain(err)
		}
		ties = append(ties, t)
		x.judge(t)
	}
	return x.draft.Add(TieFile, func(w io.Writer) error { return table.WriteCSV(w, tieSheet(console.Token(x.network.Token()), ties)) })
}

// judge states the verdict on a journal: one that differs from the report is a finding.
func (x *maker) judge(t *tieOut) {
	if t.verdict() == tieDiffers {
		x.manifest.Findings.Posted++
	}
	line := t.Format.Name + " " + t.verdict()
	if n := t.Suspense.Fees; n > 0 {
		line += ", " + console.Counted(n, "fee") + " in suspense"
	}
	x.posted = append(x.posted, line)
}

// post makes a journal for an accounting system.
func (x *maker) post(ctx context.Context, e *Export, form string) (*tieOut, error) {
	s, err := e.summarise(ctx, form)
	if err != nil {
		return nil, err
	}
	if n := len(s.Files); n > maxPostedFiles {
		return nil, notUnderstood("The journal for %s needs %d files, and a package holds %d at most. Use %v day or month.", form, n, maxPostedFiles, FieldSummarise)
	}
	names := s.FileNames(postedName(form))
	err = s.Write(ctx, func(file int, write func(io.Writer) error) error { return x.draft.Add(names[file], write) })
	if err == nil && len(names) > 1 {
		err = x.draft.Add(ManifestName(postedName(form)), func(w io.Writer) error { return s.WriteManifest(w, names) })
	}
	if err != nil {
		return nil, err
	}
	t := &tieOut{Summary: s, names: names, charged: x.manifest.Totals.Charged}
	if worth, known := x.worth.Get(); known {
		t.worth = chain.Some(worth.Exact())
	}
	if charged, known := t.charged.Get(); known {
		err = s.Compare(charged, x.worth)
		if as[*journal.TieError](err) {
			t.differs, err = true, nil
		}
	}
	return t, err
}

// tieOut compares a journal for an accounting system with the report of its package.
type tieOut struct {
	*Summary
	names   []string                  // of its files
	charged chain.Optional[chain.Wei] // of the report
	worth   chain.Optional[string]    // of that, exact
	differs bool                      // the journal has other fees
}

// The results of a comparison.
const (
	tieAgrees  = "agrees"
	tieDiffers = "DIFFERS"
	tieUnknown = unknownValue
)

// balanced compares debits and credits: those of the accounts with each other, and with those that the files state.
func (t *tieOut) balanced() string {
	var written journal.File
	for _, f := range t.Files {
		written.Debit, written.Credit = written.Debit.Add(f.Debit), written.Credit.Add(f.Credit)
	}
	if debit, credit := t.Sums(); !debit.Equal(credit) || !debit.Equal(written.Debit) || !credit.Equal(written.Credit) {
		return tieDiffers
	}
	return tieAgrees
}

// reported compares the fees of the journal with those of the report, in the token and the currency.
func (t *tieOut) reported() string {
	switch {
	case t.differs:
		return tieDiffers
	case !t.charged.Known() || !t.worth.Known():
		return tieUnknown
	}
	return tieAgrees
}

// verdict returns the lowest of the results.
func (t *tieOut) verdict() string {
	for _, result := range []string{tieDiffers, tieUnknown} {
		if t.balanced() == result || t.reported() == result {
			return result
		}
	}
	return tieAgrees
}

// tieColumns are the columns of the tie-out.
var tieColumns = []table.Column{
	{Name: "format", Kind: table.Text}, {Name: "item", Kind: table.Text}, {Name: "name", Kind: table.Text}, {Name: "debit", Kind: table.Text}, {Name: "credit", Kind: table.Text},
	{Name: "fees", Kind: table.Integer}, {Name: "charged", Kind: table.Wei}, {Name: "value", Kind: table.Text}, {Name: "currency", Kind: table.Text}, {Name: "result", Kind: table.Text},
}

// tieSheet returns the tie-out of some journals: files and accounts with their debits and credits, their sums, the fees of the
// journal and of the report, and how their value was rounded.
func tieSheet(token console.Token, ties []*tieOut) *table.Sheet {
	return &table.Sheet{Name: "tie_out", Columns: tieColumns, Token: token, Rows: table.Rows(func(add func(...any) error) (err error) {
		for _, t := range ties {
			row := func(item, name string, debit, credit, fees, charged, value, result any) {
				if err == nil {
					err = add(t.Format.Name, item, table.OrNull(name), debit, credit, fees, charged, value, string(t.Currency), result)
				}
			}
			worth := func(item string, value string) { row(item, "", nil, nil, nil, nil, value, nil) }
			for i, file := range t.Files {
				row("file", t.names[i], t.Money(file.Debit), t.Money(file.Credit), nil, nil, nil, nil)
			}
			for _, a := range t.Accounts {
				row("account", plain.Line(string(a.Account)), t.Money(a.Debit), t.Money(a.Credit), nil, nil, nil, nil)
			}
			debit, credit := t.Sums()
			row("sums", "", t.Money(debit), t.Money(credit), nil, nil, nil, t.balanced())
			row("journal", "", nil, nil, t.Fees, t.Wei, t.Exact.String(), nil)
			row("report", "", nil, nil, nil, t.charged, t.worth, t.reported())
			worth("rounded once", t.Money(t.Total))
			worth("rounding difference", t.Total.Sub(t.Exact).String())
			worth("entries", t.Money(t.Posted))
			worth("rounding entry", t.Money(t.Rounding))
			for _, left := range []struct {
				item string
				of   journal.FeeSum
			}{{"in suspense", t.Suspense}, {"without a line", t.Small}, {"without a price, not posted", t.Unpriced}} {
				if left.of.Fees > 0 {
					row(left.item, "", nil, nil, left.of.Fees, left.of.Wei, nil, nil)
				}
			}
			if t.Undetermined > 0 {
				row("undetermined, not posted", "", nil, nil, t.Undetermined, nil, nil, nil)
			}
		}
		return err
	})}
}

// keepJournals gives a request the journals for accounting systems of the package before, with its chart, tags and prices, unless
// the request names journals, and the journal in tokens if the request says so. It returns those that were not asked for.
func (q *PackageRequest) keepJournals(m *closing.Manifest, in func(string) string) (kept []string) {
	o := &m.Options
	if q.KeepJournal && q.Journal != o.Journal {
		if q.Journal = o.Journal; q.Journal != "" {
			kept = []string{q.Journal}
		}
	}
	if q.Posted != nil || len(o.Posted) == 0 {
		return kept
	}
	q.Posted, q.Summarise = o.Posted, o.Summarise
	if q.Chart == "" && o.Chart {
		q.Chart = in(inputChart)
	}
	if q.Tags == "" && o.Tags {
		q.Tags = in(inputTags)
	}
	if len(q.Prices.Files) == 0 && o.Prices != nil {
		q.Prices = storedPrices(o.Prices, in)
	}
	return append(kept, q.Posted...)
}

// postedLine states for people how the journals for accounting systems tie to the report; "" for none.
func (x *maker) postedLine() string {
	if len(x.posted) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (with the report's fees; %s has the sums)", strings.Join(x.posted, "; "), TieFile)
}
