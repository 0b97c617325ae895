package bookkeeping

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
)

const followManual = `Append each block to the ledger as soon as it is final, until Ctrl-C. It
continues after the ledger's last block; a new ledger starts at the newest
final block, or at --from. Blocks in between, and gaps, are read first.

If the ledger no longer ends where follow left it, as after an old backup was
restored, follow stops with exit code 4. Run it again to continue from there.
If it loses its connection to a PostgreSQL ledger, it connects again and
continues, unless another program writes the ledger by then.

Each block is priced and verified as by fees sync, sealed at once, and must be
the child of the one before. Failed checks are reported on standard error and
stored; the command continues. If the network table lists the chain as ended,
the command ends at its last block.

Sources, --node, retries and waiting work as in fees watch.

` + cli.MetricsManual + `
/readyz returns 200 once the head was reached and the command waits only for
the next block.`

const followExamples = `  fees follow                                  from the gateway on this machine
  fees follow --node ws://127.0.0.1:9944       heads from a node
  fees follow --from 24 --ledger new.db        start a new ledger at block 24`

// followFlags are the flags of fees follow.
type followFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.HeadFlags
	cli.MetricsFlags
	from       string
	signatures bool
}

func newFollow() *cobra.Command {
	var f followFlags
	c := cli.New(&cobra.Command{
		Use: "follow", Short: "Append each block when it becomes final", Long: followManual, Example: followExamples, RunE: f.follow,
		Args: cli.NoneOf("fees follow takes no argument, got %q; pass a height with --from"),
	}, f.AddFinal, f.LedgerFlags.Add, f.HeadFlags.Add, f.MetricsFlags.Add)
	c.Flags().StringVar(&f.from, "from", "", "start a new ledger at this height (default: the newest final block)")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover signers, and hashes of EVM transactions, from signatures")
	return c
}

func (f *followFlags) follow(c *cobra.Command, _ []string) error {
	stderr := c.ErrOrStderr()
	follow, err := f.Options(&f.SourceFlags, stderr)
	if err != nil {
		return err
	}
	from, err := cli.ParseFrom(f.from)
	if err != nil {
		return err
	}
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	o := app.FollowOptions{Follow: follow, From: from}
	all := metrics.New(cli.Version())
	counts := all.Follow()
	f.Observer = all.Source()
	reader, heads, end, err := f.HeadFlags.Open(&f.SourceFlags)
	if err != nil {
		return err
	}
	defer end()
	endMetrics, err := f.MetricsFlags.Serve(c.Context(), all, counts.Ready, stderr)
	if err != nil {
		return err
	}
	defer endMetrics()
	holds := true
	p := cli.NewProgress(stderr, "blocks", f.Quiet)
	defer p.End()
	o.Heads, o.Heard = heads, counts.Heard
	o.Lag = func(height, newest uint64) {
		counts.Wrote(height)
		p.Lag(height, newest)
	}
	report := o.Follow.Trouble
	o.Follow.Trouble = func(err error) {
		counts.Waits(err)
		if report != nil {
			report(err)
		}
	}
	o.FillOptions = app.FillOptions{Reader: reader, Source: f.Remembered(), Signatures: f.signatures, Opened: counts.Opened, Judged: func(r *evidence.Report) {
		writeFindings(stderr, r)
		holds = holds && r.Holds()
	}}
	o.Ended = func(last uint64) {
		p.End()
		fmt.Fprintf(stderr, "fees: the chain ended at block %d\n", last)
	}
	err = app.Follow(c.Context(), place, o)
	return cli.Found(err, !holds)
}
