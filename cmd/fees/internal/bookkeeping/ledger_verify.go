package bookkeeping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

const ledgerVerifyManual = `Prove a ledger: the rows of each block by their digests, the blocks by their
parents' hashes, that none is missing, the seals by the digests, the totals by
the rows, and the indexes by what they find. Whatever was altered is named, and
the exit code is 4.

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
	signatures bool
	quiet      bool
}

func newLedgerVerify(stdout, stderr io.Writer) *cobra.Command {
	flags := ledgerVerifyFlags{Output: cli.Output{Stdout: stdout}}
	c := &cobra.Command{
		Use:     "verify",
		Short:   "Prove that nothing in a ledger was altered",
		Long:    ledgerVerifyManual,
		Example: ledgerVerifyExamples,
		Args:    cli.NoneOf("verify takes no argument, and has %q: --ledger names the ledger"),
		RunE: func(c *cobra.Command, _ []string) error {
			return verifyLedger(c.Context(), flags, stderr)
		},
	}
	flags.SourceFlags.Add(c)
	flags.LedgerFlags.Add(c)
	flags.Output.Add(c, "table", "json")
	flags.AddConcurrency(c)
	c.Flags().Lookup("gateway").Usage = "compare with what this gateway, directory or demo says too"
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones; as it was when the ledger was filled")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func verifyLedger(ctx context.Context, flags ledgerVerifyFlags, stderr io.Writer) error {
	if err := errors.Join(flags.Output.Check(), flags.CheckConcurrency()); err != nil {
		return err
	}
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	p := cli.NewProgress(stderr, "blocks", flags.quiet)
	defer p.End()
	options := app.VerifyOptions{Place: place, Program: cli.Version(), Progress: p.Asked()}
	if flags.Gateway != "" {
		reader, err := flags.Reader()
		if err != nil {
			return err
		}
		compared := cli.NewProgress(stderr, "blocks compared", flags.quiet)
		defer compared.End()
		options.Against = &app.FillOptions{Reader: reader, Concurrency: flags.Concurrency, Signatures: flags.signatures, Progress: compared.Asked()}
	}
	v, err := app.Verify(ctx, options)
	if err != nil {
		return err
	}
	if err := flags.Output.Write(func(w io.Writer) error { return writeVerification(w, v, flags.Format, flags.Width()) }); err != nil {
		return err
	}
	if v.Rejudged() > 0 {
		return cmp.Or(v.Err(), cli.ErrFinding)
	}
	return v.Err()
}

// writeVerification writes what came of the verification of a ledger.
func writeVerification(w io.Writer, v *app.Verification, format string, width int) error {
	if format == "json" {
		return jsontext.Write(w, v)
	}
	page := console.NewPage(w, width)
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
	return page.Flush()
}
