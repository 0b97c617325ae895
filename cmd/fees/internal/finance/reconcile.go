package finance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

var reconcileManual = `Compare your own record of fees, a csv or xlsx file with one row per fee, with
the ledger, to the wei. A row names its transaction by EVM hash, else by
extrinsic hash, else by transaction ID such as 25-7. Several files, such as one
for each wallet, are compared together: each keeps its own reading, and the
result is about all. The file - is standard input.

Each row is compared with what the chain charged. If the chain recorded no
charge, it is compared with the fee by the rules. Notes show where the two
differ.

Outcomes of a row:
  matched                  the amounts are equal
  within_tolerance         the amounts differ by at most --tolerance
  within_rounding          equals the fee after rounding or truncation to a
                           spreadsheet's 15 digits
  amount_differs           the amounts differ; the difference is your record
                           minus chain
  payer_differs            a different account paid
  paid_by_another_account  none of the accounts paid; the chain's side is 0
  outside_period           the transaction is not in the period
  dated_outside_period     the amounts are equal, but the row's date is not in
                           the period
  undetermined             the fee is undetermined
  duplicate                an earlier row has the fee of the same transaction
  ambiguous                the row could name several transactions
  only_in_books            the transaction does not exist
  without_transaction      the row has a fee, but no hash and no ID
  total_differs            your total is not the sum of the rows above it
  repeated                 an explorer's line with the fee of an earlier line
  sent_by_another_account  an explorer's line of another sender
  left_out                 the row has no fee, or one in another asset
only_on_chain is a fee of the accounts in the period that no row names.
matched, within_tolerance, within_rounding, repeated, sent_by_another_account
and left_out do not count as differences. The books of all outcomes add up to
the fee column of your record.

A record is a book: the fee of each row is deducted. Rows of one transaction
share its fee; a second whole fee is a duplicate. Only explorers' exports are
views, whose lines may repeat a fee; --profiles shows which.

--accounts names your accounts; the chain's side is what they paid in the
period. Without accounts, only the rows are compared, and the exit code is 2.
--rows-only does that on purpose: fees missing from your record are not found.

` + cli.PeriodManual + `

The exports of many products are recognised by their columns; --profiles lists
them. Other assets, incoming transactions and rows without a fee are left out.
Fees that the product cuts, after 8 or more decimals, are within_rounding;
--cut-decimals N accepts them in other files. --profile NAME selects a product,
--profile FILE reads your own JSON profile, and --profile none recognises none.

Column names recognised (case-insensitive):
  hash            hash, tx hash, txhash, txn hash, transaction hash, tx
  evm_hash        evm hash, evm tx hash, ethereum hash, eth hash
  extrinsic_hash  extrinsic hash, substrate hash
  id              extrinsic id, extrinsic, block-index, extrinsic index
  fee             fee, fees, tx fee, txn fee, transaction fee, gas fee,
                  network fee, fee amount, with or without its unit: fee_wei,
                  Fee (Gwei), Fee (GLMR)
  asset           (of the fee) Fee Currency, Network Fee Asset
  account         account, payer, from, from address, sender
  date            date, time, datetime, timestamp, booking date
Map others: --map hash=Reference,fee="Network cost", or fee=#3 for the third
column if two have the same name. If the file has no such column, leave it
empty: --map date=. The account, an address or a label of the address book, is
compared with the payer, and the date with the period; a date without a time of
day is a day in --timezone. In Koinly's format, the fee is the amount of a row
labelled "cost".

The header is the first row that names a fee and a transaction. Rows above the
header are listed, and refused if they have a transaction and a fee. So is a
second header. A total row has no text but a word such as "Total".
--header-row and --skip-rows override this. Row numbers are those of a
spreadsheet.

Fees in other assets are left out and counted, unless the ledger has the
transaction; the asset is in the asset column or in the cell. A fee without an
asset is an error if other rows have one. A column such as "Fee (MOVR)" is an
error in a GLMR ledger.

Units and formats are never guessed. The unit is in the column's name, in
--unit, or in each cell (0.0021 GLMR, 2.1 mGLMR, 2100000 Gwei). Declare
separators: 2,10,000 needs --thousands ",". Negative fees (-5, 5-, (5)) need
--negative.
2.1E+15 is read exactly; 2.10E+15 is refused, because its format may hide
digits. A currency amount after the fee, as in 0.0021 GLMR ($0.00048), is
ignored. If a file cannot be read, the error lists the rows and a command for
each possible reading. csv is UTF-8, UTF-16, or --encoding windows-1252.

Dates that start with the year or spell the month need no flag: 2026-01-31
12:30 UTC; Jan 31, 2026 12:30 PM. They may include AM, PM or an offset. Others
need --date-format: dd.mm.yyyy, mm/dd/yyyy HH:MM:SS, or unix, unix-ms or excel
for numbers of seconds, milliseconds or days.

--fix FILE writes a copy of your record with the right amounts, and with a row
at the end for each fee of only_on_chain, in the file's own form. Accepted
differences stay; lines that do not belong there are left to you. Each row gets
outcome, chain_wei, chain_token, difference_wei, difference_token, id and
notes, which describe your record and say what was changed. In xlsx, token
amounts are numbers, which a spreadsheet rounds; wei amounts are exact.

--differences FILE writes a line for each difference. To accept one, fill in by,
time (2026-02-03) and comment, and name the file with --accept, here or for
fees close. If all differences are accepted, the exit code is 0; with --strict, it
is 1. If the line, transaction or an amount of a difference changes, it is
another difference.

` + pricesManual + `
Your record, the chain's side and the difference are valued on the
transaction's day, or on the row's date if no transaction was found.

A record in a currency only, such as "Fee (USD)", is compared with --prices and
--fiat USD: each row with the charge at the price of its day, within 0.01 USD or
--tolerance. Values are compared then, not amounts.

To compare only the total of an account in your general ledger, give --total in
place of FILE, or --gl-account and an export of the ledger: a list of postings
(QuickBooks Journal, DATEV Buchungsstapel) or a report by account (QuickBooks
General Ledger). Sub-accounts are included.

` + cli.LabelsManual + `

The result contains no clock time: the same file and ledger give the same
bytes. It contains the file's SHA-256 and the ledger's seal. --gateway reads a
range of heights from a gateway (a small range) or an archive instead of the
ledger. FEES_GATEWAY does not.

Exit codes:
  0  everything matches, or its difference is accepted
  1  differences
  2  usage, no accounts, or an unreadable file
  3  gateway
  4  the ledger does not cover the period`

const reconcileExamples = `  fees reconcile company.csv --accounts group:company --month 2026-01
  fees reconcile march.xlsx --accounts group:company --unit token --decimal , --thousands . -o march.json --format json
  fees reconcile company.csv 1..24 --accounts group:company --labels accounts.csv --gateway ./gateway
  fees reconcile company.csv --accounts group:company --skip-rows 12,16 --fix company-checked.csv
  fees reconcile company.csv 1..24 --accounts group:company --differences accepted.csv
  fees reconcile company.csv 1..24 --accounts group:company --prices prices.csv --fiat EUR
  fees reconcile --total 0.21 --fiat EUR --prices prices.csv --accounts group:company --month 2026-01
  fees reconcile EXTF_january.csv --gl-account 6810 --gl-account 6811 --gl-account 6812 --fiat EUR --prices prices.csv --accounts group:company --month 2026-01
  fees reconcile company.csv --rows-only --map hash="Tx Hash",fee="Fee (GLMR)",date= --unit token`

// reconcileFlags are the flags of fees reconcile.
type reconcileFlags struct {
	cli.SourceFlags
	requestFlags
	app.BooksInput
	total    string   // of a general ledger, compared in place of a file
	posted   []string // accounts of a general ledger, whose postings in a file are compared
	fix      string   // the file for the annotated record
	list     string   // the file for the list of differences
	accept   string   // the file of accepted differences
	strict   bool
	all      bool
	profiles bool // list the profiles
	paperFlag
	stated *closing.About
}

func newReconcile() *cobra.Command {
	var f reconcileFlags
	return cli.New(&cobra.Command{
		Use: "reconcile FILE... " + cli.PeriodUse, Short: "Compare your record of fees with the ledger", Long: reconcileManual, Example: reconcileExamples,
		Args: f.arguments, RunE: func(c *cobra.Command, args []string) error { return withCommand(c, args, f.reconcile(c, args)) },
	}, f.AddFinal, f.of("your accounts"), f.add, f.Forms("table", "json", "csv", "xlsx", "pdf"), f.AddQuiet, f.Concurrent)
}

// arguments requires a file, except with --profiles.
func (f *reconcileFlags) arguments(c *cobra.Command, args []string) error {
	switch {
	case f.profiles:
		return cli.Args(0, 0, "no arguments with --profiles")(c, args)
	case f.total != "":
		return cli.Args(0, 1, "no file with --total, and at most one range")(c, args)
	}
	return cli.Args(1, maxRecords+1, "a file, or several, and at most one range")(c, args)
}

func (f *reconcileFlags) add(c *cobra.Command) {
	c.Flags().Lookup("timezone").Usage = "the time zone of days, and of dates without one, such as Europe/Berlin"
	c.Flags().BoolVar(&f.RowsOnly, "rows-only", false, "compare only the rows; do not look for fees missing from your record")
	f.addPaper(c)
	addBooks(c, &f.BooksInput, "")
	addStrict(c, &f.strict)
	c.Flags().StringVar(&f.total, "total", "", "compare only this total with what the accounts paid: in the token, or with --prices in --fiat")
	c.Flags().StringArrayVar(&f.posted, string(app.FieldGLAccount), nil, "compare only the total of this account's postings in FILE, an export of your general ledger; may be repeated")
	c.Flags().StringVar(&f.fix, "fix", "", "write a copy of your record to this file, with the missing rows and the right amounts")
	c.Flags().StringVar(&f.list, "differences", "", "write the differences to this CSV file, to accept them with --accept")
	c.Flags().StringVar(&f.accept, "accept", "", "a CSV file of accepted differences, written with --differences and filled in")
	c.Flags().BoolVar(&f.profiles, "profiles", false, "list the recognised exports")
	c.Flags().BoolVar(&f.all, "all", false, "also show matches")
}

// reconcile compares a company's record with the ledger.
func (f *reconcileFlags) reconcile(c *cobra.Command, args []string) error {
	switch {
	case f.profiles:
		return f.Stream(func(w io.Writer) error { return writeProfiles(w, f.Width()) })
	case f.total != "" || f.posted != nil:
		return f.compareTotal(c, args)
	}
	if err := f.checkPaper(c, &f.Output); err != nil {
		return err
	}
	if err := readOwnProfiles(&f.BooksInput); err != nil {
		return err
	}
	files, period := splitRecords(args)
	f.SetPaths(files)
	if err := f.readInput(c); err != nil {
		return err
	}
	switch {
	case f.Format == "xlsx" && f.File == "":
		return errors.New("--format xlsx needs a file; name it with -o")
	case f.Gateway != "" && f.Ledger != "":
		return errors.New("--gateway and --ledger cannot be combined; leave out one of them")
	case f.fix != "" && f.fix == f.File:
		return errors.New("--fix and -o name the same file; name two files")
	case f.fix != "" && len(files) > 1:
		return errors.New("--fix writes one record again; name one file, or leave out --fix")
	case f.list != "" && (f.list == f.File || f.list == f.fix || f.list == f.accept || slices.Contains(files, f.list)):
		return errors.New("--differences names a file that another argument names; name a new file")
	}
	var err error
	if f.Accepted, err = app.ReadAcceptances(f.accept); err != nil {
		return err
	}
	if f.fix != "" {
		if err := f.CheckFixed(f.fix); err != nil {
			return err
		}
	}
	if _, err := f.Options(app.Request{}); err != nil { // before reading files
		return err
	}
	q, chosen, err := f.read(c, period)
	if err != nil {
		return err
	}
	options, err := f.Options(q)
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	book := bookPath(chosen)
	request, err := f.aboutRequest(c, args, book, blocksOf(f.Gateway)...)
	if err != nil {
		return err
	}
	result, err := f.compare(c, q.Period, options, request)
	if err != nil {
		if errors.Is(err, reconcile.ErrGzip) && len(files) == 1 && files[0] != "-" {
			fmt.Fprintln(stderr, "fees: decompressed: gunzip -c "+console.Argument(files[0])+" | "+cli.Again(c, append([]string{"-"}, period...)))
		}
		writeRowErrors(stderr, err)
		return err
	}
	defer result.Close()
	if len(options.Accounts) == 0 && !f.RowsOnly {
		return f.askForAccounts(c, args, result, chosen.Book)
	}
	if err := app.CheckAccepted(result); err != nil {
		return err
	}
	if f.fix != "" && result.Options.Values {
		return errors.New("--fix writes amounts, but values were compared; leave it out")
	}
	if err := errors.Join(f.writeFixed(c, result), f.writeDifferences(c, result)); err != nil {
		return err
	}
	return errors.Join(f.show(c, result, request.Inputs, book), f.offer(c, args, result))
}

// offer prints the command line of each way to read the record under which more may agree.
func (f *reconcileFlags) offer(c *cobra.Command, args []string, r *reconcile.Result) error {
	for _, way := range r.Try {
		if f.Reads(c.Context(), r.Options, way) {
			fmt.Fprintf(c.ErrOrStderr(), "fees: if %s: %s\n", plain.Line(way.Means), again(c, args, way))
		}
	}
	return c.Context().Err()
}

// readInput reads the record named "-" from standard input.
func (f *reconcileFlags) readInput(c *cobra.Command) (err error) {
	const name = "standard input"
	list := []*app.BooksInput{&f.BooksInput}
	for i := range f.More {
		list = append(list, &f.More[i])
	}
	for _, in := range list {
		switch {
		case in.Path != "-":
			continue
		case slices.ContainsFunc(list, func(other *app.BooksInput) bool { return other.Path == name }):
			return errors.New("- is standard input, which can be read once. Name the other files")
		}
		in.Path = name
		in.Content, err = cli.Await(c.Context(), func() ([]byte, error) { return disk.ReadAtMost(c.InOrStdin(), name, reconcile.MaxBytes) })
		if err != nil {
			return err
		}
	}
	return nil
}

// maxRecords limits the files that are compared together.
const maxRecords = 100

// splitRecords separates the files from the range after them. The last of several arguments is a file if it exists or ends
// like one.
func splitRecords(args []string) (files, period []string) {
	last := len(args) - 1
	_, missing := os.Stat(args[last])
	if last == 0 || missing == nil || args[last] == "-" || slices.Contains([]string{".csv", ".xlsx", ".txt", ".tsv"}, strings.ToLower(filepath.Ext(args[last]))) {
		return args, nil
	}
	return args[:last], args[last:]
}

// compareTotal compares the total of a general ledger with what the accounts paid.
func (f *reconcileFlags) compareTotal(c *cobra.Command, args []string) error {
	if f.posted != nil {
		var files []string
		files, args = splitRecords(args)
		f.SetPaths(files)
		if err := f.readInput(c); err != nil {
			return err
		}
	}
	switch {
	case f.fix+f.list+f.accept+f.Gateway != "" || f.RowsOnly:
		return errors.New("--total and --gl-account compare one sum with a ledger; leave out --fix, --differences, --accept, --gateway and --rows-only")
	case f.total != "" && f.posted != nil:
		return errors.New("--total and --gl-account are two totals; give one of them")
	case len(f.More) > 0:
		return errors.New("--gl-account reads one export; name one file")
	}
	q, _, err := f.read(c, args)
	if err != nil {
		return err
	}
	options, err := f.Options(q)
	if err != nil {
		return err
	}
	d, err := f.LedgerFlags.Open(c.Context(), f.NetworkFile)
	if err != nil {
		return err
	}
	defer d.Close()
	token, err := d.Token(c.Context())
	if err == nil {
		err = f.SetToken(&options, token)
	}
	if err != nil {
		return err
	}
	var t *app.StatedTotal
	if f.posted != nil {
		t, err = d.ComparePostings(c.Context(), &f.BooksInput, f.posted, q.Period, options)
	} else {
		t, err = d.CompareTotal(c.Context(), f.total, q.Period, options)
	}
	if err != nil {
		return err
	}
	err = f.Stream(func(w io.Writer) error {
		if f.Format == "json" {
			return jsontext.Write(w, t)
		}
		return writeTotal(w, t, f.Width())
	})
	agrees, known := t.Reconciled.Get()
	return cli.Found(err, known && !agrees)
}

// writeTotal writes the comparison of a total.
func writeTotal(w io.Writer, t *app.StatedTotal, width int) error {
	page := console.NewPage(w, width)
	var pairs console.Pairs
	amount := func(text string) string { return strings.TrimSpace(console.Plain(text) + " " + t.Token.Symbol) }
	onChain, apart := cli.NotKnown, cli.NotKnown
	if paid, known := t.Chain.Get(); known {
		onChain = amount(t.Token.Tokens(paid))
	}
	if d, known := t.Difference.Get(); known {
		apart = amount(t.Token.Tokens(d))
	}
	verdict := "the totals differ"
	switch agrees, known := t.Reconciled.Get(); {
	case !known:
		verdict = "the totals match as far as compared, fees in assets were not"
	case agrees:
		verdict = "the totals match"
	}
	pairs.Add("result", verdict+"; only the sums were compared")
	pairs.Add("books", amount(t.Token.Tokens(t.Books)))
	if p := t.Postings; p != nil {
		pairs.Add("postings", fmt.Sprintf("%d to %s in %s", p.Count, plain.Line(strings.Join(p.Accounts, ", ")), plain.Line(p.File)))
	}
	pairs.Add("chain", onChain)
	pairs.Add("difference", apart)
	pairs.Add("tolerance", amount(t.Token.Tokens(t.Tolerance)))
	pairs.Add("transactions", strconv.Itoa(t.Transactions))
	for _, note := range t.Notes {
		pairs.Add("note", note)
	}
	page.Pairs(pairs)
	return page.Flush()
}

// askForAccounts shows the comparison of the rows, and the commands with accounts. It writes no file: a
// result without accounts is incomplete.
func (f *reconcileFlags) askForAccounts(c *cobra.Command, args []string, r *reconcile.Result, book *app.AddressBook) error {
	stderr := c.ErrOrStderr()
	if f.File == "" {
		if err := f.show(c, r, nil, ""); err != nil && !errors.Is(err, cli.ErrFinding) {
			return err
		}
	}
	groups := book.GroupNames()
	for _, group := range groups[:min(len(groups), app.MaxGroups)] {
		fmt.Fprintln(stderr, "fees: with accounts: "+cli.Again(c, args, cli.Setting{Name: "accounts", Value: app.GroupPrefix + group}))
	}
	fmt.Fprintln(stderr, "fees: rows only: "+cli.Again(c, args, cli.Setting{Name: "rows-only"}))
	remedy := "run one of the commands above"
	if len(groups) == 0 {
		remedy = "add --accounts with addresses or a CSV file of them, or run the command above"
	}
	if f.File != "" || f.fix != "" {
		remedy += " (no file was written)"
	}
	return fmt.Errorf("no accounts are named, so fees missing from the books were not looked for; %s", remedy)
}

// writeFixed writes the corrected record of --fix, and reports what it changed and what is left to do.
func (f *reconcileFlags) writeFixed(c *cobra.Command, r *reconcile.Result) error {
	if f.fix == "" {
		return nil
	}
	err := cli.ReplaceNamedFile(c.Context(), "--fix", f.fix, func(w io.Writer) error { return f.WriteFixed(c.Context(), w, r) })
	if err != nil {
		return err
	}
	say := func(count int, text string) {
		if count > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "fees: --fix %s: %s\n", plain.Line(f.fix), text)
		}
	}
	made := r.Fixed
	say(made.Added+made.Corrected, console.Counted(made.Added, "row")+" added, "+console.Counted(made.Corrected, "amount")+" corrected")
	say(made.Kept, console.Counted(made.Kept, "amount")+" not corrected; the notes say why")
	say(made.NotAdded, fmt.Sprintf("%s not added: %s fee is unknown, a row may name %s, or the columns cannot; list %[3]s with --format csv",
		console.Counted(made.NotAdded, "transaction")+console.Verb(made.NotAdded, " is", " are"), console.Verb(made.NotAdded, "its", "their"), console.Verb(made.NotAdded, "it", "them")))
	return nil
}

// writeDifferences writes the list of --differences.
func (f *reconcileFlags) writeDifferences(c *cobra.Command, r *reconcile.Result) error {
	if f.list == "" {
		return nil
	}
	return cli.ReplaceNamedFile(c.Context(), "--differences", f.list, func(w io.Writer) error { return r.WriteDifferences(w, false) })
}

// compare compares the record with the ledger, or with a temporary ledger of a gateway's blocks, which is
// filled after the record was read.
func (f *reconcileFlags) compare(c *cobra.Command, p app.Period, o reconcile.Options, request app.AboutRequest) (r *reconcile.Result, err error) {
	ctx := c.Context()
	var d *app.Ledger
	var reader *source.Reader
	var token console.Token
	if f.Gateway == "" {
		if d, err = f.LedgerFlags.Open(ctx, f.NetworkFile); err != nil {
			return nil, err
		}
		defer d.Close()
		token, err = d.Token(ctx)
	} else if reader, err = f.Reader(); err == nil {
		token, err = app.TokenOf(ctx, reader, p)
	}
	if err == nil {
		err = f.SetToken(&o, token)
	}
	if err != nil {
		return nil, err
	}
	files, err := f.ReadAll(ctx, o)
	if err != nil {
		return nil, err
	}
	defer app.CloseFiles(files)
	if d == nil {
		if d, err = f.Temporary(ctx, reader, p, f.Progress(c, "blocks")); err != nil {
			return nil, err
		}
		defer d.Close()
	}
	rows := f.Progress(c, "rows")
	all := 0
	for _, file := range files {
		all += file.Rows.Len()
	}
	o.Compared = func(done uint64) { rows.Show(done, uint64(all)) }
	o.Scanned = f.Progress(c, "blocks").Show
	if r, err = d.Reconcile(ctx, files, p, o); err == nil && (f.about || isPaper(&f.Output)) {
		f.stated, err = d.AboutReconciliation(ctx, r, p, request)
	}
	return r, err
}

// show writes the result, and summarizes differences on stderr if they are not visible.
func (f *reconcileFlags) show(c *cobra.Command, r *reconcile.Result, inputs []closing.Input, book string) error {
	stderr := c.ErrOrStderr()
	doc := r.Document(f.all)
	doc.PDF = func(w io.Writer) error { return app.WriteReconciliationPDF(w, r, f.all, f.paper, f.stated) }
	if err := f.write(c, &f.Output, doc, f.stated, inputs, book); err != nil {
		return err
	}
	if f.Format == "csv" {
		for _, n := range r.Notes {
			fmt.Fprintln(stderr, "fees: "+plain.Line(n))
		}
	}
	unseen := f.Format != "table" || f.File != ""
	if unseen && (!r.Complete() || r.InAssets > 0) {
		fmt.Fprintln(stderr, "fees: "+r.Headline())
	}
	switch {
	case r.Compared() == 0 && f.RowsOnly:
		return fmt.Errorf("%s contains no fee to compare", f.Path)
	case r.Agrees() && (!f.strict || r.Accepted() == 0):
		return nil
	}
	if unseen {
		var found []string
		for _, s := range r.Sums {
			if s.Count > 0 {
				found = append(found, fmt.Sprintf("%d %s", s.Count, s.Outcome))
			}
		}
		if n := r.Accepted(); n > 0 {
			found = append(found, fmt.Sprintf("%d of the differences accepted", n))
		}
		if n := len(r.UnreadSheets); n > 0 {
			found = append(found, console.Counted(n, "sheet")+" with fees not read")
		}
		fmt.Fprintln(stderr, "fees: "+strings.Join(found, ", "))
	}
	return cli.ErrFinding
}
