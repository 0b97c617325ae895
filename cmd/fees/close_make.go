package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/journal"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/reconcile"
	"github.com/feeledger/fees/report"
	"github.com/feeledger/fees/sheet"
	"github.com/feeledger/fees/statement"
)

// inputs are the user's files that a package is made of.
type inputs struct {
	accounts               []string // addresses, and files of them
	names, networks, books string
}

// Where a package keeps them.
const (
	inputAccounts = "inputs/accounts.csv"
	inputNames    = "inputs/names.csv"
	inputBooks    = "inputs/books" // with its form
	networksFile  = "networks.json"
)

// closer makes a package.
type closer struct {
	flags  *closeFlags
	asked  period
	inputs inputs
	// withoutGateway leaves out the files that need one.
	withoutGateway bool
	// cover is what the package has of the month, where it is made again.
	cover chain.Optional[ledger.Cover]
	// examined is what the ledger has of the blocks, where it was read before.
	examined closing.Blocks

	book     *ledger.Book
	place    string
	covered  covered
	network  *network.Network
	symbol   string
	accounts []chain.Address
	labels   statement.Labels
	names    *journal.Names // nil where none are given
	draft    *closing.Draft
	manifest closing.Manifest // all that is known of it so far
}

// open opens the ledger and finds the month in it.
func (x *closer) open(ctx context.Context, open func(context.Context, string) (*ledger.Book, error)) (err error) {
	if x.book, x.place, err = x.flags.openBook(ctx, open); err != nil {
		return err
	}
	if err = x.find(ctx); err != nil {
		x.book.Close()
	}
	return err
}

// find finds the month, the network and the accounts.
func (x *closer) find(ctx context.Context) (err error) {
	if cover, again := x.cover.Get(); again {
		x.covered = covered{x.asked, cover}
	} else if x.covered, err = x.asked.of(ctx, x.book, x.place); err != nil {
		return err
	}
	span, ok := x.covered.Span.Get()
	if !ok {
		return ofLedger(x.place, fmt.Errorf("it has no block of %s", x.asked.name))
	}
	tables, err := loadTables(x.inputs.networks)
	if err != nil {
		return err
	}
	if x.network, err = networkOf(ctx, x.book, x.place, tables); err != nil {
		return err
	}
	x.symbol = x.network.Symbol
	m := &x.manifest
	m.Network, m.LeftOut = x.network.Name, []string{}
	id, err := x.book.Identity(ctx)
	if err != nil {
		return ofLedger(x.place, err)
	}
	if hash, ok := id.Genesis.Get(); ok {
		m.Genesis = hash.String()
	}
	m.Period = closing.Period{
		Month: x.flags.month, Timezone: x.asked.zone.String(), From: x.asked.asked.From.String(), Before: x.asked.asked.To.String(),
		Complete: len(x.covered.Lacks) == 0, Missing: append([]string{}, x.covered.Lacks...),
	}
	if m.Blocks = x.examined; m.Blocks.First != span.First || m.Blocks.Last != span.Last || m.Blocks.Count == 0 {
		if m.Blocks, err = closing.Examine(ctx, x.book, x.asked.asked, span); err != nil {
			return ofLedger(x.place, err)
		}
	}
	return x.readAccounts()
}

// readAccounts reads the accounts with their labels.
func (x *closer) readAccounts() (err error) {
	if x.accounts, err = readAccounts(x.inputs.accounts); err != nil {
		return fmt.Errorf("--accounts: %w", err)
	}
	x.labels = statement.Labels{}
	for _, place := range x.inputs.accounts {
		if place = strings.TrimSpace(place); isAddress(place) {
			continue
		}
		content, err := readSmallFile(place, mostListBytes)
		if err != nil {
			return fmt.Errorf("--accounts: %w", err)
		}
		if err := x.readLabels(string(content)); err != nil {
			return fmt.Errorf("--accounts %s, %w", place, err)
		}
	}
	for _, a := range x.accounts {
		x.manifest.Accounts = append(x.manifest.Accounts, closing.Account{Address: a.String(), Label: x.labels[a]})
	}
	return nil
}

// readLabels reads the second field of each line that begins with an address.
func (x *closer) readLabels(content string) error {
	line := 0
	for text := range strings.Lines(strings.TrimPrefix(content, "\ufeff")) {
		line++
		account, err := chain.ParseAddress(strings.TrimSpace(first(text)))
		if err != nil {
			continue // a header, a remark
		}
		fields, err := csv.NewReader(strings.NewReader(text)).Read()
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if len(fields) < 2 || x.labels[account] != "" {
			continue
		}
		if label := console.Printable(strings.TrimSpace(fields[1])); label != "" {
			x.labels[account] = label
		}
	}
	return nil
}

// first is the first field of a line.
func first(line string) string {
	field, _, _ := strings.Cut(line, ",")
	return field
}

// make makes all files.
func (x *closer) make(ctx context.Context) error {
	p := newProgress(x.flags.stderr, "blocks", x.flags.quiet)
	defer p.end()
	for _, step := range []struct {
		what string
		do   func(context.Context, *progress) error
	}{
		{"inputs", x.makeInputs}, {"reports", x.makeReports}, {"findings", x.makeFindings},
		{"statements", x.makeStatements}, {"journal", x.makeJournal}, {"reconciliation", x.makeReconciliation},
	} {
		p.say("closing: " + step.what)
		if err := step.do(ctx, p); err != nil {
			return err
		}
	}
	x.manifest.Files = x.draft.Files()
	return nil
}

// makeInputs keeps what the package is made of.
func (x *closer) makeInputs(context.Context, *progress) error {
	var lines bytes.Buffer
	out := csv.NewWriter(&lines)
	out.Write([]string{"address", "label"})
	for _, a := range x.manifest.Accounts {
		out.Write([]string{a.Address, a.Label})
	}
	out.Flush()
	if err := x.addText(inputAccounts, lines.Bytes()); err != nil {
		return err
	}
	if x.inputs.names != "" {
		text, err := readSmallFile(x.inputs.names, mostListBytes)
		if err != nil {
			return fmt.Errorf("--names %s: %w", x.inputs.names, err)
		}
		if x.names, err = journal.ReadNames(text); err != nil {
			return fmt.Errorf("--names %s: %w", x.inputs.names, err)
		}
		if err := x.addText(inputNames, text); err != nil {
			return err
		}
	}
	return x.draft.Add(networksFile, func(w io.Writer) error {
		return writeJSON(w, map[string][]network.Network{"networks": {*x.network}})
	})
}

func (x *closer) addText(name string, text []byte) error {
	return x.draft.Add(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// makeReports makes the report by day and that by account, whose totals are the same.
func (x *closer) makeReports(ctx context.Context, p *progress) error {
	q := report.Question{
		Network: x.manifest.Network, Symbol: x.symbol, Name: x.asked.name, Period: x.asked.asked, Cover: x.covered.Cover,
		Partial: x.covered.notes(), Zone: x.asked.zone, Payers: map[chain.Address]bool{},
	}
	for _, a := range x.accounts {
		q.Payers[a] = true
	}
	for _, one := range []struct {
		by   report.By
		name string
	}{{report.Day, "report"}, {report.Account, "accounts"}} {
		q.By = one.by
		r, err := report.Make(ctx, x.book, q, p.show)
		if err != nil {
			return ofLedger(x.place, err)
		}
		x.manifest.Totals = totalsOf(&r.Totals)
		forms := map[string]func(io.Writer) error{
			".json": func(w io.Writer) error { return report.WriteJSON(w, r) },
			".csv":  func(w io.Writer) error { return sheet.WriteCSV(w, r.Sheet()) },
			".xlsx": func(w io.Writer) error { return sheet.WriteXLSX(w, r.Sheet()) },
		}
		if one.by == report.Day {
			forms[".html"] = func(w io.Writer) error { return report.WriteHTML(w, r) }
		}
		for form, write := range forms {
			if err := x.draft.Add(one.name+form, write); err != nil {
				return err
			}
		}
	}
	return nil
}

func totalsOf(f *report.Figures) closing.Totals {
	return closing.Totals{
		EVM: f.EVM, Native: f.Native, EVMFailed: f.EVMFailed, NativeFailed: f.NativeFailed, OutcomeUnknown: f.OutcomeUnknown, Fee: f.Fee, EVMFee: f.EVMFee, NativeFee: f.NativeFee, PriorityFee: f.PriorityFee,
		Tip: f.Tip, Charged: f.Charged, Burned: f.Burned, Treasury: f.Treasury, Author: f.Author, Gas: f.Gas.Uint64(),
	}
}

func (x *closer) span() ledger.Span {
	return ledger.Span{First: x.manifest.Blocks.First, Last: x.manifest.Blocks.Last}
}

func (x *closer) makeFindings(ctx context.Context, _ *progress) error {
	return ofLedger(x.place, x.draft.Add("findings.csv", func(w io.Writer) error {
		return sheet.WriteCSV(w, closing.List(ctx, x.book, x.span(), &x.manifest.Findings))
	}))
}

// statementFiles need the gateway where balances are asked for.
var statementFiles = []string{"statements.json", "statements.xlsx"}

func (x *closer) makeStatements(ctx context.Context, _ *progress) error {
	o := &x.manifest.Options
	if o.Balances && x.withoutGateway {
		return nil
	}
	b := &statementBooks{book: x.book, place: x.place, network: x.manifest.Network, style: statement.Style{Labels: x.labels, Symbol: x.symbol}}
	if err := b.over(ctx, &x.covered); err != nil {
		return err
	}
	if o.Balances {
		src, err := x.flags.gatewayFlags.open()
		if err != nil {
			return err
		}
		if err := b.prove(ctx, src); err != nil {
			return err
		}
	} else {
		x.manifest.LeftOut = append(x.manifest.LeftOut, "the statements are not proved: no balances were asked for")
	}
	p := newProgress(x.flags.stderr, "balances", x.flags.quiet)
	defer p.end()
	var list []*statement.Statement
	for _, a := range x.accounts {
		s, err := statement.Make(ctx, b.book, b.balances, a, b.span, statement.Options{Concurrency: x.flags.concurrency, Progress: p.show})
		if err != nil {
			return b.explain(err)
		}
		if isWrong(s) {
			x.manifest.Findings.Statements++
		}
		list = append(list, s)
	}
	err := x.draft.Add(statementFiles[0], func(w io.Writer) error { return b.writeList(ctx, w, list) })
	if err == nil {
		err = x.draft.Add(statementFiles[1], func(w io.Writer) error { return b.writeXLSX(ctx, w, list) })
	}
	return b.explain(err)
}

// writeList writes statements as one list.
func (b *statementBooks) writeList(ctx context.Context, w io.Writer, list []*statement.Statement) error {
	separator := "[\n"
	for _, s := range list {
		io.WriteString(w, separator)
		if err := b.writeObject(ctx, w, s, 0); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err := io.WriteString(w, "]\n")
	return err
}

func (x *closer) journalName() string { return "journal." + x.manifest.Options.Journal }

// makeJournal makes the journal. One that cannot be made without a lie is left out, and
// the manifest says why.
func (x *closer) makeJournal(ctx context.Context, _ *progress) error {
	o := &x.manifest.Options
	if o.With == withMovements && x.withoutGateway {
		return nil
	}
	e := exporter{
		book: x.book, place: x.place, covered: x.covered, accounts: x.accounts, style: journal.Style{Names: x.names, Alone: true},
		flags: exportFlags{gatewayFlags: x.flags.gatewayFlags, networkFile: x.inputs.networks, with: o.With, form: o.Journal},
	}
	if err := e.describe(ctx); err != nil {
		return err
	}
	if err := e.find(ctx); err != nil {
		return err
	}
	j, err := e.journal(ctx)
	var differs *journal.DifferenceError
	if errors.As(err, &differs) || errors.Is(err, journal.ErrUnknown) {
		x.manifest.Findings.Journal = 1
		x.manifest.LeftOut = append(x.manifest.LeftOut, "the journal: "+console.Printable(err.Error()))
		return nil
	}
	if err != nil {
		return e.explain(err)
	}
	p, _ := program(o.Journal)
	return e.explain(x.draft.Add(x.journalName(), func(w io.Writer) error { return j.Write(w, p) }))
}

// makeReconciliation compares the company's record. The result is that of the ledger up
// to the package's last block.
func (x *closer) makeReconciliation(ctx context.Context, _ *progress) error {
	r := x.manifest.Options.Reconciliation
	if r == nil {
		return nil
	}
	books := keptBooks(r, x.inputs.books)
	options, err := books.options(x.asked.zone)
	if err != nil {
		return err
	}
	span := x.span()
	options.Accounts, options.Symbol = x.accounts, x.symbol
	options.Period = chain.Some(ledger.Period{Heights: chain.Some(span)})
	file, err := books.read(options, x.flags.stderr)
	if err != nil {
		return err
	}
	defer file.Close()
	result, err := reconcile.Match(ctx, x.book, file.Rows.All(), options)
	if err != nil {
		return ofLedger(x.place, err)
	}
	defer result.Close()
	result.File, result.Name = file, r.Name
	// What was sealed after the month is not of it.
	result.Seal, result.Sealed = x.manifest.Blocks.Seal, chain.Some(span.Last)
	for _, s := range result.Sums {
		if s.Outcome != reconcile.Matched {
			x.manifest.Findings.Differences += uint64(s.Count)
		}
	}
	if err := x.keepBooks(r, file); err != nil {
		return err
	}
	err = x.draft.Add("reconciliation.json", func(w io.Writer) error { return result.WriteJSON(withoutControls{w}, true) })
	if err != nil {
		return err
	}
	return x.draft.Add("reconciliation.xlsx", func(w io.Writer) error { return sheet.WriteXLSX(w, result.Sheets(true)...) })
}

// keepBooks keeps the file that was compared, and no other.
func (x *closer) keepBooks(r *closing.Reconciliation, file *reconcile.File) error {
	r.Input = inputBooks + "." + file.Form
	in, err := os.Open(x.inputs.books)
	if err != nil {
		return err
	}
	defer in.Close()
	err = x.draft.Add(r.Input, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	kept := slices.IndexFunc(x.draft.Files(), func(f closing.File) bool { return f.Name == r.Input })
	if x.draft.Files()[kept].SHA256 != file.SHA256.String() {
		return fmt.Errorf("%s changed while it was read: try again", x.inputs.books)
	}
	return nil
}
