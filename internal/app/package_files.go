package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// make makes all files.
func (x *maker) make(ctx context.Context) error {
	p := &x.options.Progress
	defer p.end()
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"inputs", x.makeInputs}, {"balances", x.ask}, {"blocks", x.examine}, {"reports", x.makeReports}, {"variance", x.makeVariance}, {"findings", x.makeFindings},
		{"statements", x.makeStatements}, {"rollforward", x.makeRollforward}, {"journal", x.makeJournal}, {"posted journals", x.makePosted}, {"reconciliation", x.makeReconciliation},
		{"records", x.makeRecords}, {"about", x.makeAbout},
	} {
		p.say("closing: " + step.what)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	x.manifest.Files = x.files()
	return nil
}

// makeInputs stores the user's files in the package.
func (x *maker) makeInputs(context.Context) error {
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
	if x.inputs.Labels != nil {
		if err := x.draft.Add(inputLabels, x.inputs.Labels.write); err != nil {
			return err
		}
	}
	var err error
	if x.names, err = ReadNames(x.inputs.Names); err != nil {
		return err
	}
	if x.names == nil && x.inputs.Labels != nil {
		if x.names, err = x.inputs.Labels.names(x.labels); err != nil {
			return err
		}
	} else if x.names != nil {
		text, err := disk.ReadSmall(x.inputs.Names, maxListBytes)
		if err != nil {
			return inFile(FieldNames, x.inputs.Names, err)
		}
		if err := x.addText(inputNames, text); err != nil {
			return err
		}
	}
	if err := errors.Join(x.makePrices(), x.makeClasses(), x.makeChart()); err != nil {
		return err
	}
	return x.draft.Add(networksFile, func(w io.Writer) error { return writeTable(w, x.network) })
}

// makeClasses stores the user's own classes of movements.
func (x *maker) makeClasses() (err error) {
	if !x.manifest.Options.Classes {
		return nil
	}
	x.classes, err = keepList(x, FieldClasses, x.inputs.Classes, inputClasses, rollforward.ReadOwnRules)
	return err
}

// keepList reads a user's list and stores the bytes that were read, as the file may change meanwhile.
func keepList[L any](x *maker, field Field, path, name string, read func([]byte) (*L, error)) (*L, error) {
	list, text, err := readList(field, path, read)
	if err != nil {
		return nil, err
	}
	return list, x.addText(name, text)
}

func (x *maker) addText(name string, text []byte) error {
	return x.draft.Add(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// makeReports makes the report by day (for a year, by month) and the report by account. Their totals agree.
func (x *maker) makeReports(ctx context.Context) error {
	by := report.Day
	if x.period.Year != "" {
		by = report.Month
	}
	for _, one := range append([]packageReport{{by, "report", []string{"json", "csv", "xlsx", "html"}}, {report.Account, "accounts", []string{"json", "csv", "xlsx"}}}, x.markedReports()...) {
		q := x.request(x.options.Progress)
		if x.inputs.Labels == nil {
			q.Labels = nil
		}
		r, err := x.report(ctx, &x.held, x.network, &q, report.Choice{By: one.by, Chart: x.charted.Chart, Tags: x.charted.Tags}, false)
		if err != nil {
			return err
		}
		x.manifest.Totals, x.worth = totalsOf(r), r.Totals.ChargedWorth
		for _, form := range one.forms {
			if err := x.draft.Add(one.name+"."+form, func(w io.Writer) error { return r.Document().Write(w, form, 0) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// request returns the package's common request fields.
func (x *maker) request(p Progress) Request {
	return Request{Period: x.asked, Accounts: x.accounts, Labels: x.labels, Prices: x.prices, Progress: p, deposits: &x.deposits}
}

func totalsOf(r *report.Report) closing.Totals {
	f := &r.Totals
	t := closing.Totals{
		EVM: f.EVM, Native: f.Native, EVMFailed: f.EVMFailed, NativeFailed: f.NativeFailed, OutcomeUnknown: f.OutcomeUnknown, Fee: f.Fee, EVMFee: f.EVMFee, NativeFee: f.NativeFee, PriorityFee: f.PriorityFee,
		Tip: f.Tip, Charged: f.Charged, Burned: f.Burned, Treasury: f.Treasury, Author: f.Author, AssetFees: r.AssetFees,
	}
	if gas, known := f.Gas.Get(); known {
		t.Gas = chain.Some(gas.Uint64())
	}
	return t
}

func (x *maker) span() chain.Heights {
	return chain.Heights{First: x.manifest.Blocks.First, Last: x.manifest.Blocks.Last}
}

func (x *maker) makeFindings(ctx context.Context) error {
	return x.wrapErr(x.draft.Add("findings.csv", func(w io.Writer) error {
		list := closing.List(ctx, x.Book, x.span(), &x.manifest.Findings)
		list.Token = console.Token(x.network.Token())
		return table.WriteCSV(w, list)
	}))
}

// These files need the gateway where balances are asked for.
var (
	statementFiles   = []string{"statements.json", "statements.xlsx"}
	rollforwardFiles = []string{"rollforward.json", "rollforward.xlsx"}
)

// gatewayFiles returns the names of the files that need balances.
func gatewayFiles(o *closing.Options) (names []string) {
	if !o.Balances {
		return nil
	}
	names = slices.Concat(statementFiles, rollforwardFiles)
	if o.With == WithMovements {
		names = append(names, "journal."+o.Journal)
	}
	return names
}

// gatewayFigures names what [maker.takeOver] takes from a package: it is as unchecked as the files that it is of.
const gatewayFigures = closing.ManifestFile + " and " + CoverFile + ": balances, figures and findings that need a gateway"

// takeOver takes the figures and findings of the files that were not made from the package.
func (x *maker) takeOver() {
	if x.kept == nil {
		return
	}
	m := &x.manifest
	m.Balances, m.Figures = x.kept.Balances, x.kept.Figures
	m.Findings.Statements, m.Findings.Rollforward = x.kept.Findings.Statements, x.kept.Findings.Rollforward
	if m.Options.With == WithMovements {
		m.Findings.Journal, m.LeftOut = x.kept.Findings.Journal, x.kept.LeftOut
	}
}

// files returns the files made so far and, by name, those of the package that stand in for others.
func (x *maker) files() []closing.File {
	all := slices.Concat(x.draft.Files(), x.varianceKept)
	if x.kept != nil {
		all = append(all, x.kept.Named(gatewayFiles(&x.manifest.Options))...)
	}
	slices.SortFunc(all, func(a, b closing.File) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (x *maker) makeStatements(ctx context.Context) error {
	o := &x.manifest.Options
	if o.Balances && x.kept != nil {
		return nil
	}
	q := StatementRequest{Request: x.request(x.options.Asked), Concurrency: x.options.Concurrency}
	if o.Balances {
		q.Balances = x.told
	} else {
		x.manifest.LeftOut = append(x.manifest.LeftOut, "proof of the statements: balances were not queried")
	}
	made, err := x.statements(ctx, &x.held, x.network, statement.Style{Network: x.network.Name, Token: console.Token(x.network.Token()), Zone: x.held.Zone, Labels: x.labels, Called: x.inputs.Labels != nil}, &q)
	if err != nil {
		return err
	}
	for _, s := range made.List {
		if isWrong(s) {
			x.manifest.Findings.Statements++
		}
	}
	if x.manifest.Balances, err = balancesOf(made.List); err != nil {
		return err
	}
	err = x.draft.Add(statementFiles[0], func(w io.Writer) error { return made.Style.WriteJSONList(ctx, w, made.List) })
	if err == nil {
		err = x.draft.Add(statementFiles[1], func(w io.Writer) error { return made.Document(ctx).Write(w, "xlsx", 0) })
	}
	return made.Explain(err)
}

// makeRollforward makes the rollforward (for a year, by month) with every movement.
func (x *maker) makeRollforward(ctx context.Context) error {
	o := &x.manifest.Options
	if !o.Rollforward || o.Balances && x.kept != nil {
		return nil
	}
	q := RollforwardRequest{Request: x.request(x.options.Asked), By: ByPeriod, Classes: x.classes, Concurrency: x.options.Concurrency}
	if x.period.Year != "" {
		q.By = ByMonth
	}
	if o.Balances {
		q.Balances = x.told
	}
	made, err := x.rollforward(ctx, &x.held, x.network, &q)
	if err != nil {
		return err
	}
	if !made.Holds() {
		x.manifest.Findings.Rollforward = 1
	}
	if x.manifest.Figures, err = figuresOf(made.Rollforward, x.prices != nil); err != nil {
		return made.Explain(err)
	}
	for i, form := range []string{"json", "xlsx"} {
		if err == nil {
			err = x.draft.Add(rollforwardFiles[i], func(w io.Writer) error { return made.Document(ctx).Write(w, form, 0) })
		}
	}
	return made.Explain(err)
}

func (x *maker) journalName() string { return "journal." + x.manifest.Options.Journal }

// makeJournal makes the journal. If the journal would be wrong, it is left out and the manifest says why.
func (x *maker) makeJournal(ctx context.Context) error {
	o := &x.manifest.Options
	if o.Journal == "" || o.With == WithMovements && x.kept != nil {
		return nil
	}
	e, err := x.export(ctx, x.held, ExportRequest{Request: x.request(Progress{}), ChartInput: x.charted, With: o.With, Style: journal.Request{Names: x.names, Alone: true}, Balances: func() (source.Source, error) { return x.told, nil }})
	if err != nil {
		return err
	}
	j, err := e.Journal(ctx)
	var differs *journal.DifferenceError
	if errors.As(err, &differs) || errors.Is(err, journal.ErrUnknown) {
		x.manifest.Findings.Journal = 1
		x.manifest.LeftOut = append(x.manifest.LeftOut, "the journal: "+plain.Line(err.Error()))
		return nil
	}
	if err != nil {
		return e.Explain(err)
	}
	p, _ := Program(o.Journal)
	return e.Explain(x.draft.Add(x.journalName(), func(w io.Writer) error { return j.Write(ctx, w, p) }))
}

// makeReconciliation compares the company's record with the ledger up to the package's last block.
func (x *maker) makeReconciliation(ctx context.Context) error {
	r := x.manifest.Options.Reconciliation
	if r == nil {
		return nil
	}
	books := BooksInput{Path: x.inputs.Books.Path, Name: r.Name, Content: x.inputs.Books.Content, Reading: r.Reading, Accepted: x.inputs.Books.Accepted}
	for i, more := range x.inputs.Books.More {
		books.More = append(books.More, BooksInput{Path: more.Path, Name: r.More[i].Name, Content: more.Content, Reading: r.More[i].Reading})
	}
	q := x.request(Progress{})
	if x.inputs.Labels == nil {
		q.Labels = nil
	}
	if !r.Priced {
		q.Prices = nil
	}
	options, err := books.Options(q)
	if err == nil {
		err = books.SetToken(&options, console.Token(x.network.Token()))
	}
	if err != nil {
		return err
	}
	files, err := books.ReadAll(ctx, options)
	if err != nil {
		return err
	}
	defer CloseFiles(files)
	options.Scanned = x.options.Progress.show
	span := x.span()
	options.Dated = chain.Some(x.asked.Asked)
	result, err := x.Reconcile(ctx, files, Heights(span.First, span.Last), options)
	if err != nil {
		return err
	}
	defer result.Close()
	if err := CheckPeriod(result, x.asked); err != nil {
		return err
	}
	// Blocks sealed after the period do not belong to it.
	result.Seal, result.Sealed = x.manifest.Blocks.Seal, chain.Some(span.Last)
	x.reconciled = verdictOn(result)
	x.manifest.Findings.Differences += uint64(result.Open() + len(result.UnreadSheets))
	x.manifest.Findings.InAssets, x.manifest.Findings.NothingCompared = uint64(result.InAssets), result.Compared() == 0 && len(result.UnreadSheets) == 0
	if err := errors.Join(x.keepBooks(r, &books, files), x.keepAccepted(result)); err != nil {
		return err
	}
	err = x.draft.Add(ReconciliationFile, func(w io.Writer) error { return result.WriteJSON(w, true) })
	if err != nil {
		return err
	}
	return x.draft.Add("reconciliation.xlsx", func(w io.Writer) error { return table.WriteXLSX(w, result.Sheets(true)...) })
}

// keepBooks stores the files that were compared.
func (x *maker) keepBooks(r *closing.Reconciliation, books *BooksInput, files []reconcile.NamedFile) error {
	for i, one := range books.all() {
		name := recordInput(i) + "." + files[i].Form
		if i == 0 {
			r.Input = name
		} else {
			r.More[i-1].Input = name
		}
		if err := x.keepRecord(name, &one, files[i].SHA256.String()); err != nil {
			return err
		}
	}
	return nil
}

// recordInput returns the path of a record in a package, without its extension. The first is 0.
func recordInput(i int) string {
	if i == 0 {
		return inputBooks
	}
	return fmt.Sprintf("%s-%d", inputBooks, i+1)
}

// keepRecord stores a file that was compared, if it has not changed since.
func (x *maker) keepRecord(name string, books *BooksInput, sum string) error {
	in, err := books.open()
	if err != nil {
		return err
	}
	defer in.Close()
	err = x.draft.Add(name, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	kept := slices.IndexFunc(x.draft.Files(), func(f closing.File) bool { return f.Name == name })
	if x.draft.Files()[kept].SHA256 != sum {
		return fmt.Errorf("%s changed while it was read; try again", books.Path)
	}
	return nil
}
