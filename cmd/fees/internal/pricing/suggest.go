package pricing

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const suggestManual = `Suggest maxFeePerGas and maxPriorityFeePerGas for the next block: slow, normal
and fast, with the reasons.

The fee history of the newest blocks comes from the node (--node or FEES_NODE,
eth_feeHistory). Without a node, or if it lacks that method, the gateway is
used: the next base fee follows from the network's rule, and priority fees come
from recent EVM transactions.

The priority fee is the median, over blocks that used gas, of the 10th, 50th or
90th percentile of each block's gas. The max fee adds the base fee with
headroom of 1.125, 1.5 or 2 times, or none if the base fee is static. The
headroom is also shown as the number of full blocks in a row that it outlasts,
counted to 100000. A transaction is charged base fee + priority fee, so unused
headroom is free.

The API key is sent to the node if there is one, otherwise to the gateway.`

const suggestExamples = `  fees suggest --node http://127.0.0.1:9944
  fees suggest --gateway http://127.0.0.1:8080 --blocks 50
  fees suggest --gateway demo --format json`

// The number of recent blocks: a few minutes' worth by default, and at most what nodes return at once.
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
		Use: "suggest", Short: "Suggest gas prices for the next block", Long: suggestManual, Example: suggestExamples,
		Args: cli.NoArgument("see fees suggest --help"), RunE: f.suggest,
	}, f.Of("the source without a node: a gateway's URL, an archive, a directory of recorded responses, or demo"), f.Forms("table", "json"))
	c.Flags().StringVar(&f.node, "node", "", "the node's URL: http, https, ws or wss (default: FEES_NODE)")
	c.Flags().StringVar(&f.network, "network", "", "the network, if node or gateway do not report it; if they do, both must agree")
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with your own network tables, in the format of fees networks --format json")
	c.Flags().BoolVar(&f.unfinalized, "unfinalized", false, "use the gateway's newest block, final or not")
	c.Flags().Uint64Var(&f.blocks, "blocks", defaultRecent, "use the priority fees of this many recent blocks")
	cli.Complete(c, "gateway", app.Demo)
	cli.Complete(c, "network", network.BuiltIn().Names()...)
	return c
}

func (f *suggestFlags) suggest(c *cobra.Command, _ []string) (err error) {
	if f.blocks == 0 || f.blocks > maxRecent {
		return fmt.Errorf("--blocks %d must be from 1 to %d", f.blocks, maxRecent)
	}
	q := app.SuggestRequest{Blocks: f.blocks, Network: f.network}
	if q.Tables, err = app.ReadTables(f.networkFile); err != nil {
		return err
	}
	if q.Node, err = f.nodeClient(); err != nil {
		return err
	}
	f.WithoutKey = q.Node != nil // the key is the node's
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

// nodeClient returns a client of the named node, nil if none is named.
func (f *suggestFlags) nodeClient() (*rpc.Client, error) {
	address, err := cli.NodeAddress(f.node)
	if err != nil || address == "" {
		return nil, err
	}
	node := cli.NodeFlags{Node: f.node, ConnectionFlags: f.ConnectionFlags}
	return node.Client()
}
