package pricing

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/jsontext"
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

func newNetworks(stdout, stderr io.Writer) *cobra.Command {
	out := cli.Output{Stdout: stdout}
	var file string
	var sources bool
	c := &cobra.Command{
		Use:       "networks [name]",
		Short:     "List the networks and what prices their blocks",
		Long:      networksManual,
		Example:   networksExamples,
		ValidArgs: network.BuiltIn().Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("networks wants at most one network, and has %d arguments; fees networks --help explains", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := out.Check(); err != nil {
				return err
			}
			tables, err := app.ReadTables(file)
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
			return out.Write(func(w io.Writer) error {
				if out.Format == "json" {
					return jsontext.Write(w, map[string][]network.Network{"networks": networks})
				}
				l := newListing(w, sources, out.Width())
				for i := range networks {
					if i > 0 {
						l.WriteString("\n")
					}
					l.networkRows(&networks[i])
					if len(args) == 1 {
						l.proofs(&networks[i])
					}
				}
				return l.Flush()
			})
		},
	}
	out.Add(c, "table", "json")
	c.Flags().StringVar(&file, "network-file", "", "a file with network tables of your own")
	c.Flags().BoolVar(&sources, "sources", false, "say below each table where its figures are from")
	c.AddCommand(newNetworksCheck(stdout, stderr))
	return c
}
