package endpoints

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

const queryManual = `Ask a node for an item of a pallet's storage, by what its runtime says of itself:
system.account, timestamp.now, and every other; fees node storage lists them.
The value is the JSON that a gateway gives.

A key of a map is written by its type: an integer in decimal digits, an account
or a hash as 0x and hex digits, JSON for all else. The state is that of the newest
final block, or of --at.

--follow tells the value at once and whenever it changes, one line each, until
Ctrl-C: on the branch that the node takes for the best, so that a change may be
taken back. It wants a WebSocket.`

const queryExamples = `  fees node query timestamp.now --node ws://127.0.0.1:9944
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --at 25 --format json
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --follow`

func newQuery(stdout io.Writer) *cobra.Command {
	var node cli.NodeFlags
	var at int64
	var follow bool
	out := cli.Output{Stdout: stdout}
	c := &cobra.Command{
		Use:     "query <pallet.item> [key]...",
		Short:   "An item of a pallet's storage, typed by the runtime",
		Long:    queryManual,
		Example: queryExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("query wants an item of a pallet's storage, such as system.account, and its keys")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := out.Check(); err != nil {
				return err
			}
			height, err := cli.At(c, at)
			if err != nil {
				return err
			}
			if follow && height.Known() {
				return errors.New("--follow goes on from now: leave --at out")
			}
			client, err := node.Client()
			if err != nil {
				return err
			}
			view, err := state.Open(c.Context(), client, height, extrinsic.Token{})
			if err != nil {
				return err
			}
			if follow {
				return followItem(c.Context(), view, args, out.Format, stdout)
			}
			v, err := view.Query(c.Context(), args[0], args[1:])
			if err != nil {
				return err
			}
			return out.WriteRecord(storedRecord(v))
		},
	}
	node.Add(c)
	out.Add(c, "table", "json")
	c.Flags().Int64Var(&at, "at", 0, "at this height (default: the newest final block)")
	c.Flags().BoolVar(&follow, "follow", false, "tell it whenever it changes, until Ctrl-C")
	return c
}

func storedRecord(v jsonscan.Value) cli.Record {
	return cli.Record{
		{"at", json.RawMessage(v.Member("at").Member("height").Raw())}, {"at_hash", json.RawMessage(v.Member("at").Member("hash").Raw())},
		{"pallet", json.RawMessage(v.Member("pallet").Raw())}, {"item", json.RawMessage(v.Member("storageItem").Raw())},
		{"keys", json.RawMessage(v.Member("keys").Raw())}, {"value", json.RawMessage(v.Member("value").Raw())},
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

// stateQuestions are those whose answers the runtime types.
var stateQuestions = []question[*rpc.Client]{
	{use: "const <pallet.constant>", short: "A constant of a pallet", args: 1, most: 1, wants: "a pallet and a constant, such as transactionPayment.operationalFeeMultiplier", at: true, ask: askConstant},
	{use: "constants [pallet]", short: "The constants of a pallet, or of all", most: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Constants)},
	{use: "calls [pallet]", short: "The calls of a pallet, or of all, with their arguments", most: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Calls)},
	{use: "events [pallet]", short: "The events of a pallet, or of all, with their data", most: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Events)},
	{use: "storage [pallet]", short: "The items that a pallet, or all, store", most: 1, wants: "at most one pallet", at: true, ask: listed((*state.View).Storage)},
	{use: "chain", short: "The name of the node's chain", ask: askChain},
	{use: "next-index <account>", short: "The nonce of an account's next extrinsic, counting the pool's", args: 1, most: 1, wants: "one account", ask: askNextIndex},
}

func askConstant(ctx context.Context, c *rpc.Client, a asked) (cli.Record, error) {
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

func listed(of func(*state.View, string) ([]state.Member, error)) func(context.Context, *rpc.Client, asked) (cli.Record, error) {
	return func(ctx context.Context, c *rpc.Client, a asked) (cli.Record, error) {
		view, err := state.Open(ctx, c, a.at, extrinsic.Token{})
		if err != nil {
			return nil, err
		}
		pallet := ""
		if len(a.args) > 0 {
			pallet = a.args[0]
		}
		list, err := of(view, pallet)
		if err != nil {
			return nil, err
		}
		members := []cli.Record{}
		for _, m := range list {
			r := cli.Record{{"name", m.Name}, {"type", m.Type}}
			if m.Docs != "" {
				r = append(r, cli.Field{"says", m.Docs})
			} else {
				r = append(r, cli.Field{"says", nil})
			}
			members = append(members, r)
		}
		return cli.Record{{"at", view.At.Height}, {"count", len(members)}, {"members", members}}, nil
	}
}

func askChain(ctx context.Context, c *rpc.Client, _ asked) (cli.Record, error) {
	name, err := c.Chain(ctx)
	if err != nil {
		return nil, err
	}
	return cli.Record{{"chain", name}}, nil
}

func askNextIndex(ctx context.Context, c *rpc.Client, a asked) (cli.Record, error) {
	account, err := chain.ParseAddress(a.args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.NextIndex(ctx, account)
	if err != nil {
		return nil, err
	}
	return cli.Record{{"account", account}, {"next_index", n}}, nil
}
