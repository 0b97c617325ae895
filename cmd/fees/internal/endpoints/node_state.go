package endpoints

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

const queryManual = `Read an item of a pallet's storage from a node, decoded with the runtime's
metadata, such as system.account or timestamp.now; fees node storage lists the
items. The value is JSON, as from a gateway.

Write the key of a map by its type: an integer in decimal digits, an account or
hash as 0x and hex digits, anything else as JSON. The state is that of the
newest final block, or of --at.

--follow shows the value now and after every change, one line each, until
Ctrl-C. It follows the node's best branch, so a change may be reverted. It
needs a WebSocket.`

const queryExamples = `  fees node query timestamp.now --node ws://127.0.0.1:9944
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --at 25 --format json
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --follow`

// queryFlags are the flags of fees node query.
type queryFlags struct {
	cli.NodeFlags
	cli.Output
	at     int64
	follow bool
}

func newQuery() *cobra.Command {
	var f queryFlags
	c := cli.New(&cobra.Command{
		Use: "query <pallet.item> [key]...", Short: "Show an item of a pallet's storage", Long: queryManual, Example: queryExamples, RunE: f.query,
		Args: cli.AnyArgs("fees node query needs an item of a pallet's storage, such as system.account, and its keys"),
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	c.Flags().Int64Var(&f.at, "at", 0, "at this height (default: the newest final block)")
	c.Flags().BoolVar(&f.follow, "follow", false, "show every change, until Ctrl-C")
	return c
}

func (f *queryFlags) query(c *cobra.Command, args []string) error {
	height, err := cli.At(c, f.at)
	if err != nil {
		return err
	}
	if f.follow && height.Known() {
		return errors.New("--follow and --at cannot be combined; leave out one of them")
	}
	client, err := f.Client()
	if err != nil {
		return err
	}
	view, err := state.Open(c.Context(), client, height, extrinsic.Token{})
	if err != nil {
		return err
	}
	if f.follow {
		return followItem(c.Context(), view, args, f.Format, f.Stdout())
	}
	v, err := view.Query(c.Context(), args[0], args[1:])
	if err != nil {
		return err
	}
	return f.WriteRecord(storedRecord(v))
}

func storedRecord(v jsonscan.Value) cli.Record {
	raw := func(v jsonscan.Value) json.RawMessage { return json.RawMessage(v.Raw()) }
	at := v.Member("at")
	return cli.Record{
		{"at", raw(at.Member("height"))}, {"at_hash", raw(at.Member("hash"))}, {"pallet", raw(v.Member("pallet"))}, {"item", raw(v.Member("storageItem"))},
		{"keys", raw(v.Member("keys"))}, {"value", raw(v.Member("value"))},
	}
}

// followItem writes a line for each change.
func followItem(ctx context.Context, view *state.View, args []string, format string, stdout io.Writer) error {
	for v, err := range view.Follow(ctx, args[0], args[1:]) {
		if err != nil {
			return err
		}
		if format == "json" {
			err = jsontext.WriteLine(stdout, storedRecord(v))
		} else {
			height, _ := v.Member("at").Member("height").Text()
			err = cli.Say(stdout, "block %s: %s\n", height, v.Member("value").Raw())
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// stateRequests are the subcommands that use the runtime's metadata.
var stateRequests = []request[*rpc.Client]{
	{use: "const <pallet.constant>", short: "Show a constant of a pallet", minArgs: 1, maxArgs: 1, wants: "a pallet and a constant, such as transactionPayment.operationalFeeMultiplier", at: true, ask: askConstant},
	{use: "constants [pallet]", short: "List the constants of one or all pallets", maxArgs: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Constants)},
	{use: "calls [pallet]", short: "List the calls of one or all pallets", maxArgs: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Calls)},
	{use: "events [pallet]", short: "List the events of one or all pallets", maxArgs: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Events)},
	{use: "storage [pallet]", short: "List the storage items of one or all pallets", maxArgs: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Storage)},
	{use: "chain", short: "Show the name of the node's chain", ask: bare((*rpc.Client).Chain).as(func(_ arguments, name string) cli.Record { return cli.Record{{"chain", name}} })},
	{use: "next-index <account>", short: "Show an account's next nonce, including pending extrinsics", minArgs: 1, maxArgs: 1, wants: "one account", ask: with(arguments.account, (*rpc.Client).NextIndex).as(
		func(a arguments, n chain.Nonce) cli.Record {
			account, _ := a.account() // it was read before
			return cli.Record{{"account", account}, {"next_index", n}}
		})},
}

func askConstant(ctx context.Context, c *rpc.Client, a arguments) (cli.Record, error) {
	view, err := state.Open(ctx, c, a.at, extrinsic.Token{})
	if err != nil {
		return nil, err
	}
	value, kind, err := view.Constant(a.args[0])
	if err != nil {
		return nil, err
	}
	return cli.Record{{"constant", a.args[0]}, {"type", kind}, {"value", json.RawMessage(value.Raw())}, {"at", view.At.Height}, {"at_hash", view.At.Hash}}, nil
}

func listed(of func(*state.View, string) ([]state.Member, error)) asking[*rpc.Client, cli.Record] {
	return func(ctx context.Context, c *rpc.Client, a arguments) (cli.Record, error) {
		view, err := state.Open(ctx, c, a.at, extrinsic.Token{})
		if err != nil {
			return nil, err
		}
		list, err := of(view, strings.Join(a.args, "")) // one or none
		if err != nil {
			return nil, err
		}
		members := []cli.Record{}
		for _, m := range list {
			var docs any
			if m.Docs != "" {
				docs = m.Docs
			}
			members = append(members, cli.Record{{"name", m.Name}, {"type", m.Type}, {"says", docs}})
		}
		return cli.Record{{"at", view.At.Height}, {"count", len(members)}, {"members", members}}, nil
	}
}
