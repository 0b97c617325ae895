package pricing

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsontext"
	"github.com/feeledger/fees/network"
)

const networksManual = `List the networks and, for each, what prices its blocks from which runtime on,
with the source of every figure.

A block is priced by the row of the runtime that executed it. "static" base
fees stand as they are, the others are multiplied by the fee multiplier that
the block's parent stored. The specification's own rows apply with --rules
spec, and where a gateway does not tell the runtime.

Of a network that is named, the tables follow that prove its fees against what
the chain recorded: what its runtimes have from one of them on (events, a digest
and withdrawals that can be compared, accounts that sign and have code), where the parts of a fee go, how a block changes the
multiplier, and how a native fee follows from weight and length. A runtime that
one of them does not reach, or that it calls unknown, is not checked by it. A row
that is uncertain prices, and what it priced is marked with "?". Without the account
of the treasury it is not known where a fee went.

With --format json the output is a file that --network-file takes: copy a
network, change its figures or its name, and price with it. A network of the
same name replaces the built-in one. The lists "destinations",
"multiplier_updates" and "native_fees" may be left out. So may
"fees_treasury_proportion", the SCALE key and the default of the parameter that
decides the treasury's share: it is then not asked for. The numbers "first_…" are
the runtimes that first had something, 0 or left out where all have it; "sources"
says where they and the treasury's account are from.`

const networksExamples = `  fees networks
  fees networks moonriver
  fees networks moonbeam --format json > my-networks.json
  fees networks --network-file my-networks.json      checks the file, too`

func newNetworks(stdout io.Writer) *cobra.Command {
	out := cli.Output{Stdout: stdout}
	var file string
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
			tables, err := desk.ReadTables(file)
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
				return writeNetworks(w, networks, len(args) == 1, out.Width())
			})
		},
	}
	out.Add(c, "table", "json")
	c.Flags().StringVar(&file, "network-file", "", "a file with network tables of your own")
	return c
}

// writeNetworks writes the tables for people, with those that prove fees where
// they are wanted.
func writeNetworks(w io.Writer, networks []network.Network, proofs bool, width int) error {
	var out strings.Builder
	for i, n := range networks {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s (%s), checked up to runtime %d", n.Name, n.Symbol, n.LastRuntime)
		if n.File != "" {
			fmt.Fprintf(&out, ", from %s", console.Printable(n.File))
		}
		out.WriteString("\n\n" + networkRows(n, width) + "\n")
		if proofs {
			writeProofs(&out, n, width)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func networkRows(n network.Network, width int) string {
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"from", "base fee, Gwei", "minimum", "source"})
	for _, row := range n.Rows {
		rows.AppendRow(table.Row{row.FromRuntime, baseFee(row), console.Plain(console.Gwei(row.MinGasPrice())), remarks(row)})
	}
	if s := n.Specification; s != nil {
		rows.AppendRow(table.Row{"spec/" + s.Name, console.Plain(console.Gwei(*s.BaseFeeConstant)) + " × multiplier", console.Plain(console.Gwei(*s.MinGasPrice)), s.Source})
	}
	const others = 47 // columns before the source
	rows.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, WidthMax: max(30, width-others), WidthMaxEnforcer: text.WrapSoft},
	})
	return rows.Render()
}

func baseFee(row network.Row) string {
	if row.StaticBaseFee != nil {
		return console.Plain(console.Gwei(*row.StaticBaseFee)) + " static"
	}
	return console.Plain(console.Gwei(*row.BaseFeeConstant)) + " × multiplier"
}

// remarks are what is particular to a row, and its source.
func remarks(row network.Row) string {
	particular := []string{}
	if row.Uncertain {
		particular = append(particular, "uncertain")
	}
	if row.PriceUncapped {
		particular = append(particular, "eip1559 price not capped")
	}
	if !row.WeightCorrection.IsZero() {
		particular = append(particular, fmt.Sprintf("weight + %v", row.WeightCorrection))
	}
	return sourced(row.Source, row.Note, particular...)
}

// sourced is a row's source after what is particular to it, and its note.
func sourced(source, note string, particular ...string) string {
	text := ""
	if note != "" {
		particular = append(particular, console.Printable(note))
	}
	for _, part := range particular {
		text += "[" + part + "] "
	}
	return text + console.Printable(source)
}
