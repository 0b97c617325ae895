package bookkeeping

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const upgradeManual = `Bring a ledger that an earlier version of fees wrote to the layout of this one:
the tables that came since, and the look-ups by account and hash. Blocks, sums
and seals stay as they are. An earlier version cannot read it any more: make a
copy first, where you want to go back.

On PostgreSQL the tables of blocks become partitioned, without a copy of them;
who reads them waits for a moment. Whoever is stopped runs the same again.`

func newLedgerUpgrade(stdout, stderr io.Writer) *cobra.Command {
	var flags cli.LedgerFlags
	var quiet bool
	c := &cobra.Command{
		Use:     "upgrade",
		Short:   "Bring a ledger of an earlier version up to date",
		Long:    upgradeManual,
		Example: "  fees ledger upgrade\n  fees ledger upgrade --ledger postgres://db.intern/fees",
		Args:    cli.NoneOf("upgrade takes no argument, and has %q: --ledger names the ledger"),
		RunE: func(c *cobra.Command, _ []string) error {
			return upgrade(c.Context(), &flags, quiet, stdout, stderr)
		},
	}
	flags.Add(c)
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress on standard error")
	return c
}

func upgrade(ctx context.Context, flags *cli.LedgerFlags, quiet bool, stdout, stderr io.Writer) error {
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	p := cli.NewProgress(stderr, "blocks looked up", quiet)
	defer p.End()
	shown, err := app.Upgrade(ctx, place, p.Asked())
	if err != nil {
		return err
	}
	p.End()
	_, err = fmt.Fprintf(stdout, "%s is of the layout of this version\n", shown)
	return err
}
