package bookkeeping

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

const ledgerVerifyManual = `Prove a ledger: each block by the SHA-256 of its record, the blocks by their
parents' hashes, that none is missing, and the seals, the sums, the look-ups and
what SQL shows of transactions by the records. Whatever was altered is named,
and the exit code is 4.

With --gateway, each block is read again, from a gateway or an archive, priced
and proved by this program, and compared with the ledger. Where the chain's own
record is another, the exit code is 4. Where only the judgement is another,
because this program knows more than the one that filled the ledger, the exit
code is 1: the ledger keeps the old judgement and notes the new one beside it
(rejudgements). Questions that were not answered when the ledger was filled are
asked again, and what the answers tell is taken over. Where the gateway is an
archive that proves its blocks, the ledger notes which of its own are proved by
that. Where another program writes the ledger meanwhile, all is shown, and
nothing is kept.`

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
}

func newLedgerVerify() *cobra.Command {
	var f ledgerVerifyFlags
	c := cli.New(&cobra.Command{
		Use: "verify", Short: "Prove that nothing in a ledger was altered", Long: ledgerVerifyManual, Example: ledgerVerifyExamples, RunE: f.verify,
		Args: cli.NoneOf("verify takes no argument, and has %q: --ledger names the ledger"),
	}, f.SourceFlags.Add, f.LedgerFlags.Add, f.Forms("table", "json"), f.Concurrent, f.AddQuiet)
	c.Flags().Lookup("gateway").Usage = "compare with what this gateway, directory or demo says too"
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones; as it was when the ledger was filled")
	return c
}

func (f *ledgerVerifyFlags) verify(c *cobra.Command, _ []string) error {
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	options := app.VerifyOptions{Place: place, Program: cli.Version(), Progress: f.Progress(c, "blocks").Asked()}
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
	if err := f.Show(cli.Answer{JSON: v, Text: func(p *console.Page) { writeVerification(p, v) }}); err != nil {
		return err
	}
	return cmp.Or(v.Err(), cli.Found(nil, v.Rejudged() > 0))
}

// writeVerification writes what came of the verification of a ledger.
func writeVerification(page *console.Page, v *app.Verification) {
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
		say("%s answered that %s not when the ledger was filled", console.Counted(v.Answered, "question")+console.Verb(v.Answered, " was", " were"), console.Verb(v.Answered, "was", "were"))
	}
	if v.NotKept != nil {
		say("not kept in the ledger: %s", *v.NotKept)
	}
	if v.Damages == 0 {
		say("%s: %s, nothing was altered", v.Place, console.Counted(v.Blocks, "block"))
	}
	if v.Evidence.Proved > 0 {
		say("evidence: %v", v.Evidence)
	}
	if v.Compared > 0 && len(v.Differences) == 0 {
		say("%s the same when %s read and judged again", console.Counted(v.Compared, "block")+console.Verb(v.Compared, " is", " are"), console.Verb(v.Compared, "it is", "they are"))
	}
}
