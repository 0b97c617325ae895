package bookkeeping

import (
	"fmt"

	"github.com/spf13/cobra"

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

func newFollow() *cobra.Command {
	var f followFlags
	c := cli.New(&cobra.Command{
		Use: "follow", Short: "Append each block to the ledger as it becomes final", Long: followManual, Example: followExamples, RunE: f.follow,
		Args: cli.NoneOf("follow takes no argument, and has %q: --from names a height; fees follow --help explains"),
	}, f.AddFinal, f.LedgerFlags.Add, f.HeadFlags.Add, f.MetricsFlags.Add)
	c.Flags().StringVar(&f.from, "from", "", "begin a new ledger at this height (default: the newest final block)")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	return c
}

func (f *followFlags) follow(c *cobra.Command, _ []string) error {
	stderr := c.ErrOrStderr()
	follow, err := f.Options(stderr)
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
	say := o.Follow.Trouble
	o.Follow.Trouble = func(err error) {
		counts.Waits()
		if say != nil {
			say(err)
		}
	}
	o.FillOptions = app.FillOptions{Reader: reader, Signatures: f.signatures, Opened: counts.Opened, Judged: func(r *evidence.Report) {
		tellFindings(stderr, r)
		holds = holds && r.Holds()
	}}
	o.Ended = func(last uint64) {
		p.End()
		fmt.Fprintf(stderr, "fees: the chain has ended with block %d: nothing is left to follow\n", last)
	}
	err = app.Follow(c.Context(), place, o)
	return cli.Found(err, !holds)
}
