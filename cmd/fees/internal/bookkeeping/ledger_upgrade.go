package bookkeeping

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const upgradeManual = `Bring a ledger that an earlier version of fees wrote to the layout of this one.
Blocks, sums and seals stay as they are. An earlier version cannot read it any
more: make a copy first, where you want to go back.`

func newLedgerUpgrade() *cobra.Command {
	var f cli.LedgerFlags
	return cli.New(&cobra.Command{
		Use: "upgrade", Short: "Bring a ledger of an earlier version up to date", Long: upgradeManual, RunE: func(c *cobra.Command, _ []string) error { return upgrade(c, &f) },
		Example: "  fees ledger upgrade\n  fees ledger upgrade --ledger postgres://db.intern/fees",
		Args:    cli.NoneOf("upgrade takes no argument, and has %q: --ledger names the ledger"),
	}, f.Add)
}

func upgrade(c *cobra.Command, f *cli.LedgerFlags) error {
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	shown, err := app.Upgrade(c.Context(), place)
	if err == nil {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s is of the layout of this version\n", shown)
	}
	return err
}
