package bookkeeping

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const upgradeManual = `Upgrade a ledger written by an earlier version of fees to the current schema
version. Blocks, totals and seals do not change. Earlier versions cannot read
the ledger afterwards; make a backup first if you may need to go back.`

func newLedgerUpgrade() *cobra.Command {
	var f cli.LedgerFlags
	return cli.New(&cobra.Command{
		Use: "upgrade", Short: "Upgrade a ledger written by an earlier version", Long: upgradeManual, RunE: func(c *cobra.Command, _ []string) error { return upgrade(c, &f) },
		Example: "  fees ledger upgrade\n  fees ledger upgrade --ledger postgres://db.internal/fees",
		Args:    cli.NoneOf("fees ledger upgrade takes no argument, got %q; name the ledger with --ledger"),
	}, f.Add)
}

func upgrade(c *cobra.Command, f *cli.LedgerFlags) error {
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	shown, err := app.Upgrade(c.Context(), place)
	if err == nil {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: has the current schema version\n", shown)
	}
	return err
}
