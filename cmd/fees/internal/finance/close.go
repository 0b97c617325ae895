package finance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/journal"
)

var closeManual = `Make the package of a month or a year for some accounts, a directory that is
whole or not there, and prove an old package against today's ledger.

A package has, of the fees that the accounts paid: a report by day, of a year by
month (report.json, .csv, .xlsx, .html), and by account (accounts.json, .csv,
.xlsx); their statements (statements.json, .xlsx), proved by the gateway's
balances; the rollforward, of a year by month, with every movement, as fees
rollforward makes it (rollforward.json, .xlsx; --classes); the journal for the
program of --as; with --reconcile, the company's own record
beside the ledger (reconciliation.json, .xlsx); findings.csv, all that does not
hold in its blocks; the network's table (networks.json); what it was
made of (inputs/); and manifest.json: the blocks with hashes and the ledger's
seal, how many of them are proved and by which trusted block (evidence; --check
wants as much of the ledger), the totals, the accounts, the options, and the
SHA-256 of every file. No clock is in any of them: closing again gives the same
bytes.

The ledger must reach both ends of the period; --partial takes what is there,
and the manifest and the reports say so. Where the directory has a package of
the same period already and a byte differs, the new one becomes its next
version: changes.json lists the files and totals that changed, and the old ones
stay under versions/. Anything else that is there is refused.

` + cli.LabelsManual + `
The package keeps it (inputs/labels.csv), so that --check makes the same files
whatever the book says by then. The reports by account, the statements, the
journal and the reconciliation have its labels; --names is for the journal.
No account is taken of it unless --accounts says so.

--sign signs the manifest with an SSH key, as "ssh-keygen -Y sign -n fees-close"
does; the signature is in manifest.json.sig, beside those of others who signed
it before. KEY is a private key (the passphrase of an encrypted one is in
FEES_KEY_PASSPHRASE), or a public key whose private half ssh-agent has. The next
version is to be signed again. --check says which keys signed, and with
--signers, a list in the format of ssh-keygen's allowed_signers, who: there must
be a signature then, and each by a key that is listed and valid today.

--timestamp asks a time-stamping authority (RFC 3161) to confirm that the
manifest is there; it sees the SHA-256 alone. Its answer is manifest.json.tsr.
--check with --tsa-ca, the certificates of authorities in PEM, says by whose
word the manifest was there when, without asking anybody: there must be a
timestamp then.

--check reads the manifest, checks every file by its SHA-256, wants today's
ledger to have the same hashes and the same seal at the last height, and makes
the package again. If the package has a network table of its own, that is the
first line, and the table is compared with the ledger's rules, base fees, gas
and fees. What needs a gateway is left out where none is reachable, which is
said. Whether the package is signed is always said. Without a ledger, name an
archive of its blocks with --gateway (and with --trust the block that proves
them): the package is made again from there. With --signers or --tsa-ca alone,
the files, the signatures and the timestamp are checked, and no figure is
compared, which is said.

With prices, the reports, statements, journal and reconciliation have amounts in
the currency; the file is kept in the package (inputs/prices.csv), and --check
makes the package again with it.

` + pricesManual + `

Note the SHA-256 of the manifest, which is shown, where nobody can change it.

Exit codes: 0 all holds that was checked, 1 something in the package does not
hold (it is made nonetheless), or --check found that the ledger differs, or that
a signature or the timestamp does not hold, 2 usage, or a directory that is
something else, 3 the gateway or the authority, 4 the ledger lacks a part of the
period, or a file of the package was changed.`

const closeExamples = `  fees close --month 2026-01 --accounts group:company -o january
  fees close --month 2026-01 --accounts group:company --timezone Europe/Berlin \
      --as beancount --reconcile company.csv -o january-berlin
  fees close --month 2026-01 --accounts group:company -o january \
      --sign id_ed25519
  fees close --month 2026-01 --accounts group:company --prices prices.csv \
      --fiat EUR -o january
  fees close --year 2026 --accounts group:company --partial -o year-2026
  fees close --check january --signers allowed_signers
  fees close --check january --gateway archive --trust 16796696:0xHASH`

// closeFlags are the flags of fees close.
type closeFlags struct {
	cli.GatewayFlags
	cli.LedgerFlags
	cli.LabelFlags
	cli.QuietFlag
	asked                  app.PackageQuestion
	accounts, check        string
	key, signers           string
	authority, authorities string
	noBalances             bool
	ofCheck                []string // the names of those that --check takes
}

func newClose() *cobra.Command {
	var f closeFlags
	return cli.New(&cobra.Command{
		Use: "close --month M --accounts FILE -o DIR", Short: "Make a month's or a year's package, and prove an old one", Long: closeManual, Example: closeExamples, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.check != "" {
				return f.checkPackage(c)
			}
			return withCommand(c, nil, f.makePackage(c))
		},
	}, f.Of("where balances come from: a gateway's URL, or an archive with balances; for --check without a ledger, an archive of the blocks"), f.AddTrust, f.LedgerFlags.Add, f.Concurrent, f.AddQuiet, f.add)
}

func (f *closeFlags) add(c *cobra.Command) {
	flags, q := c.Flags(), &f.asked
	flags.VisitAll(func(flag *pflag.Flag) { f.ofCheck = append(f.ofCheck, flag.Name) })
	f.ofCheck = append(f.ofCheck, "check", "signers", "tsa-ca")
	flags.StringVar(&q.Month, "month", "", "the month, such as 2026-01")
	flags.StringVar(&q.Year, "year", "", "instead of a month, the year, such as 2026")
	flags.StringVar(&q.Timezone, "timezone", "UTC", "whose month or year it is, such as Europe/Berlin")
	flags.StringVar(&f.accounts, "accounts", "", "the company's accounts"+cli.AccountsUsage)
	flags.StringVarP(&q.Dir, "output", "o", "", "the directory that becomes the package")
	flags.StringVar(&f.check, "check", "", "prove the package in this directory instead")
	flags.StringVar(&f.key, "sign", "", "sign it with this SSH key: a private one, or a public one that ssh-agent has")
	flags.StringVar(&f.signers, "signers", "", "for --check, who may have signed it: a file as ssh-keygen's allowed_signers")
	flags.StringVar(&f.authority, "timestamp", "", "have the time-stamping authority at this URL say when it was there")
	flags.StringVar(&f.authorities, "tsa-ca", "", "for --check, whose timestamps count: a file of certificates in PEM")
	flags.StringVar(&q.Journal, "as", journal.HLedger.Name, "the journal's program: "+strings.Join(app.ProgramNames(), ", "))
	flags.StringVar(&q.With, "with", app.WithFees, "what the journal has: fees, or movements")
	f.LabelFlags.Add(c)
	flags.StringVar(&q.Names, "names", "", "for the journal, instead of the address book, a CSV file of address,name or address,name,asset account")
	flags.StringVar(&q.Classes, "classes", "", "for the rollforward, a CSV file of pallet,method,direction,class: classes of your own choice")
	flags.StringVar(&q.Networks, "network-file", "", "a file with network tables of your own")
	flags.BoolVar(&q.Partial, "partial", false, "take what the ledger has of the period, where it lacks a part")
	flags.BoolVar(&f.noBalances, "no-balances", false, "ask for no balances: the statements are not proved")
	addPrices(c, &q.Prices, &q.Fiat)
	flags.StringVar(&q.Books.Path, "reconcile", "", "the company's own record of fees, csv or xlsx, as fees reconcile takes it")
	addBooks(c, &q.Books, "of --reconcile: ")
	cli.Complete(c, "as", app.ProgramNames()...)
	cli.Complete(c, "with", app.WithFees, app.WithMovements)
}

// makePackage makes a package.
func (f *closeFlags) makePackage(c *cobra.Command) error {
	ctx, q, stderr := c.Context(), &f.asked, c.ErrOrStderr()
	switch {
	case q.Month != "" && q.Year != "":
		return errors.New("--month and --year: name one of them")
	case q.Month == "" && q.Year == "" || f.accounts == "" || q.Dir == "":
		err := errors.New("name the month or the year, the accounts and the directory: fees close --month 2026-01 --accounts FILE -o DIR")
		if f.accounts == "" {
			if book, unread := f.ReadBook(&f.LedgerFlags, true, stderr); unread == nil {
				err = errors.New(err.Error() + cli.Offer(book))
			}
		}
		return err
	case f.signers != "":
		return errors.New("--signers says who may have signed a package: want --check DIR beside it")
	case f.authorities != "":
		return errors.New("--tsa-ca says whose timestamp a package may have: want --check DIR beside it")
	case q.With == app.WithMovements && f.noBalances:
		return errors.New("--with movements opens the journal with balances, and --no-balances asks for none")
	}
	err := app.OneOf(app.FieldProgram, q.Journal, app.ProgramNames()...)
	if err != nil {
		return err
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
	return f.Ask(c, q.Networks, func(d *app.Desk) error {
		closed, err := d.MakePackage(ctx, *q)
		if err != nil {
			tellRows(stderr, err)
			return err
		}
		wrong := unproved(closed.Signatures, closed.Stamp, app.Vouchers{})
		return cli.Found(writeClosed(c.OutOrStdout(), closed), !closed.Manifest.Findings.None() || len(wrong) > 0)
	})
}

// options are what making a package and checking it have in common.
func (f *closeFlags) options(c *cobra.Command) app.PackageOptions {
	return app.PackageOptions{
		Program: cli.Version(), Balances: f.GatewayFlags.Open, Kept: f.check != "" && f.Gateway != "", Concurrency: f.Concurrency,
		Progress: f.Progress(c, "blocks").Asked(), Asked: f.Progress(c, "balances").Asked(),
	}
}

// checkPackage proves a package.
func (f *closeFlags) checkPackage(c *cobra.Command) error {
	var wrong []string
	c.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(f.ofCheck, flag.Name) {
			wrong = append(wrong, "--"+flag.Name)
		}
	})
	if len(wrong) > 0 {
		return fmt.Errorf("--check takes all from the package's manifest: without %s", strings.Join(wrong, ", "))
	}
	vouchers, err := f.readVouchers()
	if err != nil {
		return err
	}
	checked, err := app.CheckPackage(c.Context(), f.check, func(ctx context.Context) (*app.Desk, error) { return f.openToCheck(ctx, vouchers) }, vouchers, f.options(c))
	if err != nil {
		tellRows(c.ErrOrStderr(), err)
		return err
	}
	return writeChecked(c.OutOrStdout(), f.check, checked, vouchers)
}

// openToCheck opens the ledger that a package is compared with, none where none is named
// or there, and an archive has its blocks or somebody vouches for it.
func (f *closeFlags) openToCheck(ctx context.Context, v app.Vouchers) (*app.Desk, error) {
	d, err := f.LedgerFlags.Open(ctx, "")
	if app.KindOf(err) != failure.NotFound || f.LedgerFlags.Named() {
		return d, err
	}
	if v.None() && f.Gateway == "" {
		return nil, fmt.Errorf("%w; without one, --gateway compares it with an archive, and --signers and --tsa-ca check it by its signatures and its timestamp", err)
	}
	return nil, nil
}
