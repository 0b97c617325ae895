package pricing

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const suggestManual = `Suggest maxFeePerGas and maxPriorityFeePerGas for the next block: a slow, a
normal and a fast bid, with the reasons for each.

The node (--node, or FEES_NODE) is asked for the fee history of its newest
blocks (eth_feeHistory). Where it does not have that method, or no node is
named, the gateway is asked instead: the base fee of the block after the
newest final one follows from the network's rule, and the priority fees from
the EVM transactions of recent blocks.

The priority fee is the median, over the blocks in which gas was used, of the
10th, 50th or 90th percentile of each block's gas. The max fee is that plus
the base fee with headroom for it to rise: 1.125, 1.5 or 2 times, and none
where it does not move. How many full blocks in a row that outlasts follows from
the runtime's rule, and is counted to 100000. What a transaction is charged is
base fee + priority fee, so that headroom costs nothing while the base fee
stays.

An API key goes to the node where one is named, and else to the gateway.`

const suggestExamples = `  fees suggest --node http://127.0.0.1:9944
  fees suggest --gateway http://127.0.0.1:8080 --blocks 50
  fees suggest --gateway demo --format json`

// The blocks that are looked at: those of a few minutes by default, and at most
// those that a node has for the asking.
const (
	defaultRecent = 20
	maxRecent     = 1023
)

// suggestFlags are the flags of fees suggest.
type suggestFlags struct {
	cli.GatewayFlags
	cli.Output
	node        string
	network     string
	networkFile string
	unfinalized bool
	blocks      uint64
}

func newSuggest() *cobra.Command {
	var f suggestFlags
	c := cli.New(&cobra.Command{
		Use: "suggest", Short: "What to bid for gas in the next block, and why", Long: suggestManual, Example: suggestExamples,
		Args: cli.NoArgument("fees suggest --help explains"), RunE: f.suggest,
	}, f.Of("where blocks come from without a node: a gateway's URL, a directory of recordings, or demo"), f.Forms("table", "json"))
	c.Flags().StringVar(&f.node, "node", "", "the node's URL: http, https, ws or wss (default: FEES_NODE)")
	c.Flags().StringVar(&f.network, "network", "", "the network, where node or gateway do not tell; an error if they tell another")
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	c.Flags().BoolVar(&f.unfinalized, "unfinalized", false, "go by the gateway's newest block, final or not")
	c.Flags().Uint64Var(&f.blocks, "blocks", defaultRecent, "look at the priority fees of this many recent blocks")
	cli.Complete(c, "gateway", demo.Name)
	cli.Complete(c, "network", network.BuiltIn().Names()...)
	return c
}

func (f *suggestFlags) suggest(c *cobra.Command, _ []string) (err error) {
	if f.blocks == 0 || f.blocks > maxRecent {
		return fmt.Errorf("--blocks %d: want a number from 1 to %d", f.blocks, maxRecent)
	}
	q := app.SuggestQuestion{Blocks: f.blocks, Network: f.network}
	if q.Tables, err = app.ReadTables(f.networkFile); err != nil {
		return err
	}
	if q.Node, err = f.nodeClient(); err != nil {
		return err
	}
	f.WithoutKey = q.Node != nil // it is for the node
	q.Gateway = func() (*source.Reader, error) {
		src, err := f.Open()
		return &source.Reader{Source: src, Tables: q.Tables, Network: f.network, Unfinalized: f.unfinalized}, err
	}
	stop := waiting(c, f.Place(), false)
	s, err := app.Suggest(c.Context(), q)
	stop()
	if err != nil {
		return err
	}
	return f.Show(cli.Answer{JSON: suggestionRecord(s), Text: func(p *console.Page) { writeSuggestion(p, s) }, Finding: !s.Certain})
}

// nodeClient is the node that is named, nil for none.
func (f *suggestFlags) nodeClient() (*rpc.Client, error) {
	address, err := cli.NodeAddress(f.node)
	if err != nil || address == "" {
		return nil, err
	}
	node := cli.NodeFlags{Node: f.node, ConnectionFlags: f.ConnectionFlags}
	return node.Client()
}
