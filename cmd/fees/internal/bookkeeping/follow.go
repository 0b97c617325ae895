package bookkeeping

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
)

const followManual = `Append each block to the ledger as soon as it is final, until Ctrl-C: from
where the ledger ends, or for a new one from the newest final block or the
height that --from names. What came between is read first. Each block is priced
and proved as by fees sync, sealed at once, and must be the child of the one
before. What does not hold is said on standard error, and stored; it goes on.
A chain that has ended, as its table says, is followed up to its last block.

Where blocks come from, how it is known that there is a new one, and what passes
and is waited for, is as in fees watch.

` + cli.MetricsManual + `
/readyz is 200 when the head was reached once, and nothing but the next block is
waited for.`

const followExamples = `  fees follow                                  ask the gateway of this machine
  fees follow --node ws://127.0.0.1:9944       told by the node
  fees follow --from 24 --ledger new.db        a new ledger from there on`

// followFlags are the flags of fees follow.
type followFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.HeadFlags
	cli.MetricsFlags
	from       string
	signatures bool
}

func newFollow(stderr io.Writer) *cobra.Command {
	var flags followFlags
	c := &cobra.Command{
		Use:     "follow",
		Short:   "Append each block to the ledger as it becomes final",
		Long:    followManual,
		Example: followExamples,
		Args:    cli.NoneOf("follow takes no argument, and has %q: --from names a height; fees follow --help explains"),
		RunE: func(c *cobra.Command, _ []string) error {
			return follow(c.Context(), flags, stderr)
		},
	}
	flags.SourceFlags.AddFinal(c)
	flags.LedgerFlags.Add(c)
	flags.HeadFlags.Add(c)
	flags.MetricsFlags.Add(c)
	c.Flags().StringVar(&flags.from, "from", "", "begin a new ledger at this height (default: the newest final block)")
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	return c
}

func follow(ctx context.Context, flags followFlags, stderr io.Writer) error {
	options, err := flags.Options(stderr)
	if err != nil {
		return err
	}
	o := app.FollowOptions{Follow: options}
	if flags.from != "" {
		height, err := cli.ParseHeight(flags.from)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		o.From = chain.Some(height)
	}
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	all := metrics.New(cli.Version())
	counts := all.Follow()
	flags.Observer = all.Source()
	reader, heads, end, err := flags.HeadFlags.Open(&flags.SourceFlags)
	if err != nil {
		return err
	}
	defer end()
	endMetrics, err := flags.MetricsFlags.Serve(ctx, all, counts.Ready, stderr)
	if err != nil {
		return err
	}
	defer endMetrics()
	holds := true
	p := cli.NewProgress(stderr, "blocks", flags.Quiet)
	defer p.End()
	o.Heads, o.Heard = heads, counts.Heard
	o.Lag = func(height, newest uint64) {
		counts.Wrote(height)
		p.Lag(height, newest)
	}
	say := o.Follow.Trouble
	o.Follow.Trouble = func(err error) {
		counts.Waits()
		if say != nil {
			say(err)
		}
	}
	o.FillOptions = app.FillOptions{Reader: reader, Signatures: flags.signatures, Opened: counts.Opened, Judged: func(r *evidence.Report) {
		tellFindings(stderr, r)
		holds = holds && r.Holds()
	}}
	o.Ended = func(last uint64) {
		p.End()
		fmt.Fprintf(stderr, "fees: the chain has ended with block %d: nothing is left to follow\n", last)
	}
	if err := app.Follow(ctx, place, o); err != nil {
		return err
	}
	if !holds {
		return cli.ErrFinding
	}
	return nil
}
