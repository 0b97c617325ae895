package pricing

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

const networksManual = `List the networks and the rules that price their blocks, by runtime.

A block is priced by the row of the runtime that executed it. A "static" base
fee is used as listed; any other is multiplied by the fee multiplier stored by
the block's parent. The specification's rows (the table in its fee rule 6)
apply with --rules spec, and if a gateway does not report the runtime.
--sources shows where the figures come from.

If you name a network, the tables that verify its fees follow: what its
runtimes record from which version on (events, a digest, withdrawals, accounts
that sign and have code), where the parts of a fee go, how a block changes the
multiplier, how a native fee depends on weight and length, and the existential
deposit. A table does not check runtimes that it does not cover or lists as
unknown. Fees priced by an uncertain row are marked "?". If the treasury's
account is unknown, so are the destinations of fees.

For a network that is not listed, write your own table: --format json prints a
file that --network-file accepts. Copy a network and change its name and
figures, then test it with fees networks check. A network with the same name
replaces the built-in one. docs/networks.md explains every field.`

const networksExamples = `  fees networks
  fees networks moonriver --sources
  fees networks moonbeam --format json > my-networks.json
  fees networks --network-file my-networks.json      also checks the file
  fees networks check my-networks.json --gateway http://127.0.0.1:8080`

// networksFlags are the flags of fees networks.
type networksFlags struct {
	cli.Output
	file    string
	sources bool
}

func newNetworks() *cobra.Command {
	var f networksFlags
	c := cli.New(&cobra.Command{
		Use: "networks [name]", Short: "List networks and the rules that price their blocks", Long: networksManual, Example: networksExamples, RunE: f.list,
		ValidArgs: network.BuiltIn().Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("fees networks takes at most one network, got %d arguments; see fees networks --help", len(args))
			}
			return nil
		},
	}, f.Forms("table", "json"))
	c.Flags().StringVar(&f.file, "network-file", "", "a file with your own network tables")
	c.Flags().BoolVar(&f.sources, "sources", false, "show the sources of all figures")
	c.AddCommand(newNetworksCheck(), newNetworksDraft())
	return c
}

func (f *networksFlags) list(_ *cobra.Command, args []string) error {
	tables, err := app.ReadTables(f.file)
	if err != nil {
		return err
	}
	networks := tables.All()
	if len(args) == 1 {
		n, err := tables.Choose(args[0])
		if err != nil {
			return err
		}
		networks = []network.Network{*n}
	}
	return f.Show(cli.Answer{JSON: map[string][]network.Network{"networks": networks}, Text: func(page *console.Page) {
		l := &listing{page, f.sources}
		for i := range networks {
			if i > 0 {
				l.WriteString("\n")
			}
			l.networkRows(&networks[i])
			if len(args) == 1 {
				l.proofs(&networks[i])
			}
		}
	}})
}
