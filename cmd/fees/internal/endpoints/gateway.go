package endpoints

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/source"
)

const gatewayManual = `Query single endpoints of a gateway. Responses are checked like those that
price blocks; a response for another block is an error. fees gateway serve runs
a gateway on top of a node.`

const gatewayExamples = `  fees gateway head --gateway http://127.0.0.1:8080
  fees gateway block 11728459 --format json
  fees gateway balance 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --at 25
  fees gateway storage system account --key 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees gateway metadata -o metadata.json
  fees gateway serve --node ws://127.0.0.1:9944`

var gatewayRequests = []request[*gatewayclient.Client]{
	{use: "head", short: "Show the newest final block", unfinalized: true, ask: askHead},
	{use: "header [height]", short: "Show a block's header (default: the newest)", maxArgs: 1, wants: "at most one height", unfinalized: true, ask: asking[*gatewayclient.Client, chain.Header](askHeader).as(
		func(_ arguments, h chain.Header) cli.Record {
			return cli.Record{{"number", h.Number}, {"parent_hash", h.ParentHash}, {"state_root", h.StateRoot}, {"extrinsics_root", h.ExtrinsicsRoot}}
		})},
	{use: "block <height|hash>", short: "Show a block's extrinsics and events", minArgs: 1, maxArgs: 1, wants: "one height or hash", ask: askBlock},
	{use: "balance <address>", short: "Show an account's balance", minArgs: 1, maxArgs: 1, wants: "one address", at: true, ask: askBalance},
	{use: "version", short: "Show the version of the gateway's node", ask: bare((*gatewayclient.Client).NodeVersion).as(
		func(_ arguments, n chain.NodeVersion) cli.Record {
			return cli.Record{{"client_impl_name", n.ClientImplName}, {"chain", n.Chain}, {"client_version", n.ClientVersion}}
		})},
	{use: "storage <pallet> <item>", short: "Show an item of a pallet's storage", minArgs: 2, maxArgs: 2, wants: "a pallet and an item, such as system account", at: true, keys: true, ask: askStorage},
	{use: "multiplier <height>", short: "Show the fee multiplier after a block", minArgs: 1, maxArgs: 1, wants: "one height", ask: with(arguments.height, (*gatewayclient.Client).Multiplier).as(
		func(_ arguments, m chain.AtBlock[chain.Multiplier]) cli.Record {
			return cli.Record{{"at", m.At}, {"at_hash", m.AtHash}, {"value", m.Value}, {"multiplier", console.Plain(console.Scaled(m.Value, 18))}}
		})},
	{use: "spec <height>", short: "Show the runtime after a block", minArgs: 1, maxArgs: 1, wants: "one height", ask: with(arguments.height, (*gatewayclient.Client).Runtime).as(
		func(_ arguments, r chain.AtBlock[chain.Runtime]) cli.Record {
			return cli.Record{{"at", r.At}, {"at_hash", r.AtHash}, {"spec_name", r.Value.SpecName}, {"spec_version", r.Value.SpecVersion}}
		})},
}

func newGateway() *cobra.Command {
	parent := cli.NewParent(&cobra.Command{Use: "gateway", Short: "Query a gateway, or run one on top of a node", Long: gatewayManual, Example: gatewayExamples},
		"unknown command %q; fees gateway --help lists the commands", newMetadata(), newGatewayServe())
	for _, q := range gatewayRequests {
		parent.AddCommand(q.command(&gatewayOnly{}))
	}
	return parent
}

// newMetadata returns the metadata command, which passes the response on unchanged.
func newMetadata() *cobra.Command {
	var gateway gatewayOnly
	var path string
	c := cli.New(&cobra.Command{
		Use: "metadata", Short: "Show the runtime's metadata in the gateway's JSON", Args: cli.Args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := gateway.Client()
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				_, err := client.Metadata(c.Context(), w)
				return err
			}
			if path == "" || path == "-" {
				return write(c.OutOrStdout())
			}
			return cli.ReplaceFile(c.Context(), path, write)
		},
	}, gateway.Add)
	c.Flags().StringVarP(&path, "output", "o", "", "write to this file; - is standard output, the default")
	return c
}

// gatewayOnly selects a gateway by URL; directories and the demo are rejected.
type gatewayOnly struct{ cli.GatewayFlags }

func (f *gatewayOnly) Add(c *cobra.Command) { f.GatewayFlags.Add(c, "the gateway's URL") }

func (f *gatewayOnly) Client() (*gatewayclient.Client, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	if !strings.Contains(f.Place(), "://") {
		return nil, fmt.Errorf("--gateway %s must be a gateway's URL; to query recordings, serve them with fees archive serve", f.Place())
	}
	client, closer, err := source.OpenURL(f.Place(), options)
	f.Closes(closer)
	return client, err
}

func askHead(ctx context.Context, c *gatewayclient.Client, a arguments) (cli.Record, error) {
	b, err := c.Head(ctx, a.unfinalized)
	if err != nil {
		return nil, err
	}
	return app.GatewayBlock(b)
}

func askBlock(ctx context.Context, c *gatewayclient.Client, a arguments) (cli.Record, error) {
	ask := with(arguments.height, (*gatewayclient.Client).Block)
	if hash, err := chain.ParseHash(a.args[0]); err == nil {
		ask = func(context.Context, *gatewayclient.Client, arguments) (*chain.Block, error) {
			return c.BlockByHash(ctx, hash)
		}
	}
	b, err := ask(ctx, c, a)
	if err != nil {
		return nil, err
	}
	return app.GatewayBlock(b)
}

func askHeader(ctx context.Context, c *gatewayclient.Client, a arguments) (chain.Header, error) {
	if len(a.args) == 0 {
		return c.HeadHeader(ctx, a.unfinalized)
	}
	return with(arguments.height, (*gatewayclient.Client).Header)(ctx, c, a)
}

func askBalance(ctx context.Context, c *gatewayclient.Client, a arguments) (cli.Record, error) {
	account, err := a.account()
	if err != nil {
		return nil, err
	}
	return app.GatewayBalance(ctx, c, account, a.at)
}

func askStorage(ctx context.Context, c *gatewayclient.Client, a arguments) (cli.Record, error) {
	s, err := c.Storage(ctx, a.args[0], a.args[1], a.keys, a.at)
	if err != nil {
		return nil, err
	}
	return cli.Record{{"pallet", a.args[0]}, {"item", a.args[1]}, {"at", s.At}, {"at_hash", s.AtHash}, {"value", s.Value}}, nil
}
