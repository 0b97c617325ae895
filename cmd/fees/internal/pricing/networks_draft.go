package pricing

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
)

const networksDraftManual = `Write the network table of a node's chain, as far as the node states it: names,
IDs, the treasury's account, limits of blocks, the existential deposit. They
come from the runtime's metadata, constants and storage.

What only the runtime's source states is listed in to_find, with the place to
look at. Enter those figures, delete the list, name your sources, and compare
the table with blocks: fees networks check. Delete "unverified" when it has
proved the rows.`

const networksDraftExamples = `  fees networks draft --gateway ws://127.0.0.1:9944 > mine.json
  fees networks draft --gateway http://127.0.0.1:9944 -o mine.json
  fees networks check mine.json 120000:+500 --gateway http://127.0.0.1:9944`

// networksDraftFlags are the flags of fees networks draft.
type networksDraftFlags struct {
	cli.NodeFlags
	cli.Output
}

func newNetworksDraft() *cobra.Command {
	f := networksDraftFlags{NodeFlags: cli.NodeFlags{Variables: []string{"FEES_NODE", "FEES_GATEWAY"}}}
	c := cli.New(&cobra.Command{
		Use: "draft", Short: "Write a network table from a node's answers", Long: networksDraftManual, Example: networksDraftExamples,
		Args: cli.Args(0, 0, "no argument"), RunE: f.draft,
	}, f.NodeFlags.Add, f.AddFile)
	c.Flags().StringVar(&f.Node, "gateway", "", "the same as --node")
	return c
}

func (f *networksDraftFlags) draft(c *cobra.Command, _ []string) error {
	node, err := f.Client()
	if err != nil {
		return err
	}
	d, err := app.DraftTable(c.Context(), node)
	if err != nil {
		return err
	}
	err = f.Write(func(w io.Writer) error {
		return jsontext.Write(w, map[string][]network.Network{"networks": {d.Table}})
	})
	if err != nil {
		return err
	}
	return cli.Say(c.ErrOrStderr(), "fees: %s read at block %d; %s to find in the runtime's source: see to_find\n",
		console.Counted(d.Read, "figure"), d.Block.Height, console.Counted(len(d.Table.ToFind), "figure"))
}
