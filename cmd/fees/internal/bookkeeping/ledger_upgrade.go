package bookkeeping

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const upgradeManual = `Bring a ledger that an earlier version of fees wrote to the layout of this one.
Blocks, sums and seals stay as they are. An earlier version cannot read it any
more: make a copy first, where you want to go back.`

func newLedgerUpgrade(stdout io.Writer) *cobra.Command {
	var flags cli.LedgerFlags
	c := &cobra.Command{
		Use:     "upgrade",
		Short:   "Bring a ledger of an earlier version up to date",
		Long:    upgradeManual,
		Example: "  fees ledger upgrade\n  fees ledger upgrade --ledger postgres://db.intern/fees",
		Args:    cli.NoneOf("upgrade takes no argument, and has %q: --ledger names the ledger"),
		RunE: func(c *cobra.Command, _ []string) error {
			return upgrade(c.Context(), &flags, stdout)
		},
	}
	flags.Add(c)
	return c
}

func upgrade(ctx context.Context, flags *cli.LedgerFlags, stdout io.Writer) error {
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	shown, err := app.Upgrade(ctx, place)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is of the layout of this version\n", shown)
	return err
}
