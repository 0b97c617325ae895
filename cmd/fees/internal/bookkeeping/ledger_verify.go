package bookkeeping

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

const ledgerVerifyManual = `Verify that a ledger is complete and was not altered: each block against the
SHA-256 of its record, blocks against their parents' hashes, and seals, totals,
indexes and SQL views against the records. The database's tables, keys, views,
triggers, rules and row security are compared with those that fees creates;
keep your own in another schema or file.
Everything that was altered is listed, and the exit code is 4. Missing blocks
below others are listed too, with the exit code 1: nothing above them is sealed.

The head of the audit trail is printed: its number of lines, and a digest of all
of them. Keep it elsewhere. With --trail, the trail must still begin with those
lines: this finds lines that were removed from its end, or all written again.

With --gateway, each block is also read again from a gateway or archive,
priced, verified, and compared with the ledger. If the chain's data differs,
the exit code is 4. If only the results differ, because this version of fees
knows more than the one that filled the ledger, the exit code is 1; the ledger
keeps the old results and stores the new ones beside them (rejudgements).

Requests that were not answered when the ledger was filled are repeated, and
their responses are stored. If the gateway is an archive that proves its
blocks, the ledger records which blocks are now proved. If another program is
writing the ledger, results are shown but not stored.`

const ledgerVerifyExamples = `  fees ledger verify
  fees ledger verify --ledger fees.db --gateway ./gateway
  fees ledger verify --format json`

// ledgerVerifyFlags are the flags of fees ledger verify.
type ledgerVerifyFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.Output
	cli.QuietFlag
	signatures bool
	trail      string
}

func newLedgerVerify() *cobra.Command {
	var f ledgerVerifyFlags
	c := cli.New(&cobra.Command{
		Use: "verify", Short: "Check that a ledger was not altered", Long: ledgerVerifyManual, Example: ledgerVerifyExamples, RunE: f.verify,
		Args: cli.NoneOf("fees ledger verify takes no argument, got %q; name the ledger with --ledger"),
	}, f.SourceFlags.Add, f.LedgerFlags.Add, f.Forms("table", "json"), f.Concurrent, f.AddQuiet)
	c.Flags().Lookup("gateway").Usage = "also compare with this gateway, directory or demo"
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover signers and EVM hashes; use the setting with which the ledger was filled")
	c.Flags().StringVar(&f.trail, "trail", "", "compare the audit trail with this head, kept from an earlier run: LINES:DIGEST")
	return c
}

func (f *ledgerVerifyFlags) verify(c *cobra.Command, _ []string) error {
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	options := app.VerifyOptions{Place: place, Program: cli.Version(), Progress: f.Progress(c, "blocks").Asked()}
	if f.trail != "" {
		head, err := ledger.ParseTrailHead(f.trail)
		if err != nil {
			return fmt.Errorf("--trail: %w", err)
		}
		options.Trail = chain.Some(head)
	}
	if f.Gateway != "" {
		reader, err := f.Reader()
		if err != nil {
			return err
		}
		options.Against = &app.FillOptions{Reader: reader, Concurrency: f.Concurrency, Signatures: f.signatures, Progress: f.Progress(c, "blocks compared").Asked()}
	}
	v, err := app.Verify(c.Context(), options)
	if err != nil {
		return err
	}
	if err := f.Show(cli.Answer{JSON: v, Text: func(p *console.Page) { writeVerification(p, c, v) }}); err != nil {
		return err
	}
	return cmp.Or(v.Err(), cli.Found(nil, v.Rejudged() > 0 || len(v.Gaps) > 0))
}

// writeVerification writes the result of verifying a ledger.
func writeVerification(page *console.Page, c *cobra.Command, v *app.Verification) {
	say := func(format string, values ...any) { page.Line(fmt.Sprintf(format, values...), 2) }
	for _, d := range v.Damage {
		say("%v", d)
	}
	if n := v.Damages - len(v.Damage); n > 0 {
		say("and %d more", n)
	}
	for _, d := range v.Differences {
		say("%v", d)
	}
	if n := v.Differing() - len(v.Differences); n > 0 {
		say("and %d more", n)
	}
	if v.Answered > 0 {
		say("%s answered that %s unanswered when the ledger was filled", console.Counted(v.Answered, "request")+console.Verb(v.Answered, " was", " were"), console.Verb(v.Answered, "was", "were"))
	}
	if v.NotKept != nil {
		say("not stored in the ledger: %s", *v.NotKept)
	}
	if v.Damages == 0 {
		say("%s: %s verified, nothing was altered", v.Place, console.Counted(v.Blocks, "block"))
	}
	if head, known := v.Trail.Get(); known && head.Lines > 0 {
		say("audit trail: %v; keep a copy elsewhere, and compare it later with --trail", head)
	}
	if len(v.Gaps) > 0 {
		say("blocks %s are missing, and nothing above them is sealed. Fill them with: %s", strings.Join(v.Gaps, ", "), cli.MoreSyncLine(c))
	}
	if v.Evidence.Proved > 0 {
		say("evidence: %v", v.Evidence)
	}
	if v.Compared > 0 && len(v.Differences) == 0 {
		say("%s read again, with the same results", console.Counted(v.Compared, "block"))
	}
}
