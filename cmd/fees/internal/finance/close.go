package finance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
)

var closeManual = `Create the close package of a month or year for some accounts, or check an
existing package against today's ledger. A package is a directory, written
completely or not at all.

A package contains, for the fees that the accounts paid:
  report.*              fees by day, or by month for a year
  accounts.*            fees by account
  variance.*            why fees changed since the period before, if the ledger
                        contains it as a whole
  statements.*          statements, checked against the gateway's balances
  rollforward.*         the rollforward with every movement
  journal.*             the journal in tokens: --as hledger, beancount or ledger
  posted/               the journals for accounting systems, the same files as
                        those of fees export: --as datev,xero and others
  posted/tie-out.csv    their sums, compared with the report
  reconciliation.*      with --reconcile, your record compared with the ledger
                        and, with --accept, the accepted differences
  account-codes.*       with --chart, fees by account of your chart of accounts
  tags.*                with --tags, fees by tag
  networks.json         the network table
  inputs/               every input file
  manifest.json         block hashes, seal, evidence, totals, accounts,
                        options, and the SHA-256 of every file
  about.txt             the same for people: how the package was made
  cover.pdf             a cover to sign: balances, fees, verdicts and findings
  records.jsonl.gz      the records of the blocks, which the seal covers, unless
                        you pass --no-records
  check.html            a page that checks the package in a browser
  findings.csv          for any account in the period's blocks: failed checks,
                        undetermined fees, drifts, unrecognised events

Apart from signatures and timestamps, files contain no clock times: closing
again with the same ledger produces the same bytes.

The ledger must cover the whole period. With --partial, it need not; the
manifest and the reports say so. Balances come from the gateway; without one,
use --no-balances.

If the directory contains a package with a record of fees, the new one keeps the
record and the accepted differences, without --reconcile too. It is not created
if one of them would be lost, unless --drop says so.

If the directory contains a package for the same period and the result differs,
the result becomes the next version. changes.json lists the changed files and
totals. The old files move to versions/. Any other existing directory is
refused: also a package that was changed, or one for another period, time zone
or chain.

--sign signs the manifest with an SSH key, like "ssh-keygen -Y sign -n
fees-close". The signature is added to manifest.json.sig. KEY is a private key
(passphrase in FEES_KEY_PASSPHRASE), or a public key whose private key is in
ssh-agent. Sign each new version again.

--timestamp gets a timestamp of the manifest from an RFC 3161 authority, which
only sees the SHA-256, and stores it in manifest.json.tsr.

--chart and --tags are the files of fees export: the journals book to the
accounts of the chart. --tags also works alone. Journals for accounting systems
need --chart and --prices. "fees help export" lists the settings of the chart;
"# xero ...: " is for one system. If you close again without --as, the package
keeps its journals, with their chart, tags and prices. A journal that differs
from the report is a finding.

With --prices, the rollforward and the cover also have the value of the opening
balance, of the movements and of the closing balance, and the valuation
difference between them. Gains are not computed.

What changed since the month before is listed: lines of the address book, the
chart, tags, prices and classes, the network table, accounts, options and the
program. The package before is found beside DIR, or named with --since.

An auditor opens check.html in a browser and chooses the package's folder. It
recomputes files, seal, fees and balances without this program, and says what it
did not check.

In the browser, two users can close a month: one prepares the package, the
other approves it, and the ledger's audit trail keeps every act (fees serve
--close).

--check verifies the SHA-256 of every file, compares the hashes and the last
seal with today's ledger, and creates the package again. If the package has its
own network table, it first compares that with the ledger's rules. The acts
and the audit trail are compared with the ledger's. The output lists everything
that was not compared, and the keys that signed. The package is then only partly
verified, and the exit code is 4, unless --offline says that this is wanted. An
audit trail that the ledger has lost is never accepted. Of the earlier versions,
only the files are compared with their manifests; check each with
--check DIR/versions/1.
  without a ledger     name an archive of the blocks with --gateway. If the
                       network table does not contain its checkpoint, add
                       --trust
  without a gateway    the files that need balances are not compared, and of the
                       cover, its figures are not
  with --signers FILE  (ssh-keygen's allowed_signers format) --check requires
                       at least one signature. Every signature must be by a
                       listed key that is valid today
  with --tsa-ca FILE   (a PEM file of the authorities' certificates) --check
                       requires a valid timestamp, and verifies it offline
If no ledger and no archive are available, --signers and --tsa-ca check only
files, signatures and timestamp; add --offline.

Keep the SHA-256 of the manifest, which is printed, in a place where it cannot
be changed.

--ledger a.db --ledger b.db closes several chains: DIR/NETWORK is the package of
each, and DIR has what they state together:
  group.json            for each chain the SHA-256 of its manifest, seal, fees,
                        values and verdicts; and the total in the currency
  totals.csv            the same as a table
  cover.pdf             a cover to sign
Name the pair of each price file, such as GLMR/EUR=FILE, and the chain of each
gateway and each record: --gateway NETWORK=PLACE, --reconcile NETWORK=FILE. Each
account is used on every chain that can have it. The total is the sum of the
chains' rounded values, and not known if one is not known or of part of the
period. group.json is written last. --sign and --timestamp are for each
manifest; group.json follows from these. --check checks each package with the
ledger of its chain, and the three files with the packages.

Exit codes:
  0  all checks passed
  1  the package has findings (it is still created); or --check found a
     difference, or a signature or timestamp that is not valid
  2  usage, or a directory that is not a package
  3  the gateway or the time-stamping authority did not respond as needed
  4  the ledger lacks part of the period, a file of the package was changed, or
     --check could not compare all of it

` + pricesManual + `

The package keeps the price files (inputs/prices.csv, inputs/prices-2.csv and
so on) for --check.

` + cli.LabelsManual + `
The package keeps a copy (inputs/labels.csv) for --check. It labels reports,
statements, journal and reconciliation; --names is for the journal only.`

const closeExamples = `  fees close --month 2026-01 --accounts group:company -o january
  fees close --month 2026-01 --accounts group:company \
      --timezone Europe/Berlin --as beancount --reconcile company.csv \
      -o january-berlin
  fees close --month 2026-01 --accounts group:company -o january \
      --sign id_ed25519
  fees close --month 2026-01 --accounts group:company --prices prices.csv \
      --fiat EUR -o january
  fees close --month 2026-02 --accounts group:company --chart chart.csv \
      --tags tags.csv --since january -o february
  fees close --year 2026 --accounts group:company --partial -o year-2026
  fees close --check january --signers allowed_signers
  fees close --check january --gateway ./archive --trust 150:0xHASH
  fees close --month 2026-01 --accounts group:company -o january \
      --ledger fees.db --ledger river.db \
      --gateway moonbeam=http://127.0.0.1:8080 \
      --gateway moonriver=http://127.0.0.1:8081`

// closeFlags are the flags of fees close.
type closeFlags struct {
	cli.GatewayFlags
	cli.LedgerFlags
	cli.LabelFlags
	cli.QuietFlag
	request                app.PackageRequest
	accounts, check        string
	key, signers           string
	authority, authorities string
	noBalances, strict     bool
	offline                bool
	records                []string // files of --reconcile
	since                  string
	accept                 string // a file of accepted differences
	as                     string // formats of journals
	summarise              journal.By
	withCheck              []string // names of flags allowed with --check
}

func newClose() *cobra.Command {
	var f closeFlags
	return cli.New(&cobra.Command{
		Use: "close --month M|--year Y --accounts LIST|FILE -o DIR\n  fees close --check DIR", Short: "Create or check the close package of a month or year", Long: closeManual, Example: closeExamples, Args: cli.Args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.check != "" {
				return f.checkPackage(c)
			}
			return withCommand(c, nil, f.makePackage(c))
		},
	}, f.Of("the source of balances: a gateway's URL, or an archive with balances; for --check without a ledger, an archive of the blocks"), f.AddTrust, f.LedgerFlags.AddSeveral, f.Concurrent, f.AddQuiet, f.add)
}

func (f *closeFlags) add(c *cobra.Command) {
	flags, q := c.Flags(), &f.request
	flags.VisitAll(func(flag *pflag.Flag) { f.withCheck = append(f.withCheck, flag.Name) })
	f.withCheck = append(f.withCheck, "check", "signers", "tsa-ca", "since", "offline")
	flags.StringVar(&q.Month, "month", "", "the month, such as 2026-01")
	flags.StringVar(&q.Year, "year", "", "the year, such as 2026")
	flags.StringVar(&q.Timezone, "timezone", "UTC", "the time zone of the period, such as Europe/Berlin")
	flags.StringVar(&f.accounts, "accounts", "", "your accounts"+cli.AccountsUsage)
	flags.StringVarP(&q.Dir, "output", "o", "", "the directory of the package")
	cli.NamesPath("output")(c)
	flags.StringVar(&f.check, "check", "", "check the package in this directory")
	flags.BoolVar(&f.offline, "offline", false, "for --check, read no gateway, and accept that what needs one, or a ledger, is not compared")
	flags.StringVar(&f.key, "sign", "", "sign with this SSH key: a private key, or a public key in ssh-agent")
	flags.StringVar(&f.signers, "signers", "", "for --check, the accepted signers, in ssh-keygen's allowed_signers format")
	flags.StringVar(&f.authority, "timestamp", "", "get a timestamp from the RFC 3161 authority at this URL")
	flags.StringVar(&f.authorities, "tsa-ca", "", "for --check, a PEM file of accepted time-stamping authorities")
	flags.StringVar(&f.as, "as", journal.HLedger.Name, "the formats of the journals, as for fees export, separated by commas: "+strings.Join(slices.Concat(app.ProgramNames(), app.JournalForms), ", "))
	f.summarise = journal.ByDay
	cli.Choice(c, &f.summarise, "summarise", "for accounting systems, what an entry has the fees of: transaction, day or month", journal.ByTransaction, journal.ByDay, journal.ByMonth)
	flags.StringVar(&q.With, "with", app.WithFees, "the entries of the journal in tokens: fees or movements")
	flags.StringVar(&q.Company, "company", "", "the company's name, for the cover")
	f.LabelFlags.Add(c)
	flags.StringVar(&q.Names, "names", "", "for the journal, names to use instead of the address book, in a CSV file of the same format")
	flags.StringVar(&q.Classes, "classes", "", "for the rollforward, your own classes: a CSV file of pallet,method,direction,class")
	addChart(c, &q.Chart, &q.Tags)
	flags.StringVar(&f.since, "since", "", "list changed inputs and options since this package (default: the package of the month before, if it is beside DIR)")
	flags.StringVar(&q.Networks, "network-file", "", "a file with your own network tables")
	flags.BoolVar(&q.Partial, "partial", false, "close even if part of the period, or a price, is missing")
	flags.BoolVar(&q.NoRecords, "no-records", false, "leave out the records of the blocks")
	flags.BoolVar(&f.noBalances, "no-balances", false, "do not get balances; statements are not checked")
	addPrices(c, &q.Prices)
	flags.StringArrayVar(&f.records, "reconcile", nil, "your record of fees, csv or xlsx, as for fees reconcile; repeated for several files")
	flags.StringVar(&f.accept, "accept", "", "for --reconcile, a CSV file of accepted differences, written with fees reconcile --differences and filled in")
	addBooks(c, &q.Books, "for --reconcile, ")
	flags.StringVar(&q.Drop, string(app.FieldDrop), "", "what the package before has and this one may lack: "+app.DropAcceptances+" that fit no longer or are not listed, or the "+app.DropRecord)
	cli.Complete(c, string(app.FieldDrop), app.DropAcceptances, app.DropRecord)
	addStrict(c, &f.strict)
	cli.Complete(c, "as", slices.Concat(app.ProgramNames(), app.JournalForms)...)
	cli.Complete(c, "with", app.WithFees, app.WithMovements)
}

// makePackage creates a package.
func (f *closeFlags) makePackage(c *cobra.Command) error {
	ctx, q, stderr := c.Context(), &f.request, c.ErrOrStderr()
	switch {
	case q.Month != "" && q.Year != "":
		return errors.New("--month and --year cannot be combined; leave out one of them")
	case q.Month == "" && q.Year == "" || f.accounts == "" || q.Dir == "":
		err := errors.New("a period, the accounts and a directory are needed: fees close --month 2026-01 --accounts FILE -o DIR")
		if f.accounts == "" {
			if book, unread := f.ReadBook(&f.LedgerFlags, true, stderr); unread == nil {
				err = errors.New(err.Error() + cli.Offer(book))
			}
		}
		return err
	case f.accept != "" && len(f.records) == 0:
		return errors.New("--accept is for the differences of a record; add --reconcile FILE")
	case q.Drop == app.DropRecord && len(f.records) > 0:
		return errors.New("--drop record and --reconcile cannot be combined; leave out one of them")
	case f.offline:
		return errors.New("--offline is only for checking; add --check DIR")
	case f.signers != "":
		return errors.New("--signers is only for checking; add --check DIR")
	case f.authorities != "":
		return errors.New("--tsa-ca is only for checking; add --check DIR")
	case q.With == app.WithMovements && f.noBalances:
		return errors.New("--with movements needs balances; leave out --no-balances")
	case f.IsSeveral() && f.accept != "":
		return errors.New("--accept is for the record of one chain. Close that chain alone into DIR/NETWORK with --accept: the next close of all chains into DIR keeps what it accepts")
	case f.IsSeveral() && f.since != "":
		return errors.New("--since is of one chain; leave it out, or name one --ledger")
	}
	err := f.chooseJournals(c)
	if err != nil {
		return err
	}
	if f.since != "" { // fail before the long work
		if _, err := closing.OpenBefore(f.since); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
	}
	if q.Books.Accepted, err = app.ReadAcceptances(f.accept); err != nil {
		return err
	}
	if err := readOwnProfiles(&q.Books); err != nil {
		return err
	}
	if len(f.records) > 0 && !f.IsSeveral() { // with these profiles
		q.Books.SetPaths(f.records)
	}
	q.PackageOptions = f.options(c)
	if q.Labels, err = f.ReadBook(&f.LedgerFlags, f.Quiet, stderr); err != nil {
		return err
	}
	if f.key != "" {
		if q.Key, err = openKey(ctx, f.key); err != nil {
			return err
		}
		defer q.Key.Close()
	}
	if q.Authority, err = cli.Authority(f.authority); err != nil {
		return err
	}
	q.Accounts, q.Proved = strings.Split(f.accounts, ","), !f.noBalances
	f.Tables = q.Networks
	if f.IsSeveral() {
		return f.makeGroup(c)
	}
	return f.Ask(c, func(d *app.Ledger) error {
		found, err := f.makeOne(c, d, q)
		return cli.Found(err, found)
	})
}

// makeOne creates the package of a chain, and reports whether it has findings.
func (f *closeFlags) makeOne(c *cobra.Command, d *app.Ledger, q *app.PackageRequest) (found bool, err error) {
	closed, err := d.MakePackage(c.Context(), *q)
	if err != nil {
		writeRowErrors(c.ErrOrStderr(), err)
		return false, err
	}
	wrong := unproved(closed.Signatures, closed.Stamp, app.Vouchers{})
	if err := f.writeSince(c, closed.Package); err != nil {
		return false, err
	}
	return !closed.Manifest.Findings.None() || f.strict && closed.Manifest.Findings.Accepted > 0 || len(wrong) > 0, writeClosed(c.OutOrStdout(), closed)
}

// chooseJournals sets the journals of the package. Without --as, it keeps those of the package before.
func (f *closeFlags) chooseJournals(c *cobra.Command) (err error) {
	q := &f.request
	if q.Journal, q.Posted, err = app.JournalsOf(strings.Split(f.as, ",")); err != nil {
		return err
	}
	if !c.Flags().Changed("as") {
		q.Posted, q.KeepJournal = nil, true
	}
	if q.Summarise = string(f.summarise); c.Flags().Changed("summarise") && len(q.Posted) == 0 {
		return fmt.Errorf("--summarise is for %s; name them with --as", strings.Join(app.JournalForms, ", "))
	}
	return nil
}

// options returns the options common to creating and checking a package.
func (f *closeFlags) options(c *cobra.Command) app.PackageOptions {
	return app.PackageOptions{
		Program: cli.Version(), Balances: f.GatewayFlags.Open, Kept: f.check != "" && f.Gateway != "" && !f.offline, Offline: f.offline, Concurrency: f.Concurrency,
		Progress: f.Progress(c, "blocks").Asked(), Asked: f.Progress(c, "balances").Asked(),
	}
}

// checkPackage checks a package.
func (f *closeFlags) checkPackage(c *cobra.Command) error {
	var wrong []string
	c.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(f.withCheck, flag.Name) {
			wrong = append(wrong, "--"+flag.Name)
		}
	})
	if len(wrong) > 0 {
		return fmt.Errorf("--check takes everything from the package's manifest; leave out %s", strings.Join(wrong, ", "))
	}
	if f.offline && c.Flags().Changed("gateway") {
		return errors.New("--offline reads no gateway; leave out --gateway, or --offline")
	}
	vouchers, err := f.readVouchers()
	if err != nil {
		return err
	}
	switch group, err := closing.OpenGroup(f.check); {
	case err == nil:
		return f.checkGroup(c, group, vouchers)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case f.IsSeveral():
		return fmt.Errorf("%s contains no %s, which the packages of several chains have. Close all chains again, or name the --ledger of one package", f.check, closing.GroupFile)
	}
	return f.checkOne(c, f.check, func(ctx context.Context) (*app.Ledger, error) { return f.openToCheck(ctx, vouchers) }, vouchers, f.options(c))
}

// checkOne checks the package of a chain.
func (f *closeFlags) checkOne(c *cobra.Command, dir string, open func(context.Context) (*app.Ledger, error), v app.Vouchers, o app.PackageOptions) error {
	checked, err := app.CheckPackage(c.Context(), dir, open, v, o)
	if err != nil {
		writeRowErrors(c.ErrOrStderr(), err)
		return err
	}
	if len(checked.Damage) == 0 {
		if err := f.writeSince(c, checked.Package); err != nil {
			return err
		}
	}
	return writeChecked(c.OutOrStdout(), dir, checked, v, f.offline)
}

// openToCheck opens the ledger to compare a package with. It returns nil if no ledger is named or exists
// and an archive, signers or authorities are given instead.
func (f *closeFlags) openToCheck(ctx context.Context, v app.Vouchers) (*app.Ledger, error) {
	d, err := f.LedgerFlags.Open(ctx, "")
	if app.KindOf(err) != failure.NotFound || f.LedgerFlags.Named() {
		return d, err
	}
	if v.None() && (f.Gateway == "" || f.offline) {
		return nil, fmt.Errorf("%w; or compare with an archive (--gateway), or only check signatures and timestamp (--signers, --tsa-ca)", err)
	}
	return nil, nil
}
