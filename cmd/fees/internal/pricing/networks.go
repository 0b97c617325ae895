package pricing

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

const networksManual = `List the networks and, for each, what prices its blocks from which runtime on.

A block is priced by the row of the runtime that executed it. "static" base
fees stand as they are, the others are multiplied by the fee multiplier that
the block's parent stored. The specification's own rows apply with --rules
spec, and where a gateway does not tell the runtime. With --sources, it stands
below each table where its figures are from.

Of a network that is named, the tables follow that prove its fees against what
the chain recorded: what its runtimes have from one of them on (events, a digest
and withdrawals that can be compared, accounts that sign and have code), where
the parts of a fee go, how a block changes the multiplier, how a native fee
follows from weight and length, and what an account has at least. A runtime that
one of them does not reach, or that it calls unknown, is not checked by it. A row
that is uncertain prices, and what it priced is marked with "?". Without the
account of the treasury it is not known where a fee went.

A network that is not here needs a table of your own. With --format json the
output is a file that --network-file takes: copy a network, change its figures
or its name, and price with it. fees networks check says what a chain's own
blocks make of the file, and docs/networks.md explains every field. A network of
the same name replaces the built-in one.`

const networksExamples = `  fees networks
  fees networks moonriver --sources
  fees networks moonbeam --format json > my-networks.json
  fees networks --network-file my-networks.json      checks the file, too
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
		Use: "networks [name]", Short: "List the networks and what prices their blocks", Long: networksManual, Example: networksExamples, RunE: f.list,
		ValidArgs: network.BuiltIn().Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("networks wants at most one network, and has %d arguments; fees networks --help explains", len(args))
			}
			return nil
		},
	}, f.Forms("table", "json"))
	c.Flags().StringVar(&f.file, "network-file", "", "a file with network tables of your own")
	c.Flags().BoolVar(&f.sources, "sources", false, "say below each table where its figures are from")
	c.AddCommand(newNetworksCheck())
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
