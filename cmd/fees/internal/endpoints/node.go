package endpoints

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
)

const nodeManual = `Query a node by JSON-RPC over HTTP or WebSocket. --node, or FEES_NODE, is its
URL (http, https, ws or wss).

Parameters of call are JSON; anything else is taken as a string. Blocks are
named by hash; the default is the newest one.

query, const, calls, events and storage use the runtime's metadata, and so know
every pallet of the chain.`

const nodeExamples = `  fees node methods --node ws://127.0.0.1:9944
  fees node header --format json
  fees node fee-history 20 --percentile 25 --percentile 75
  fees node query-info 0x4d028400…
  fees node query system.account 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees node const transactionPayment.operationalFeeMultiplier
  fees node calls balances
  fees node call chain_getBlockHash 25`

func newNode() *cobra.Command {
	parent := cli.NewParent(&cobra.Command{Use: "node", Short: "Query a node by JSON-RPC", Long: nodeManual, Example: nodeExamples},
		"unknown command %q; fees node --help lists the commands, and fees node call calls any method", newQuery())
	for _, q := range append(nodeRequests, stateRequests...) {
		parent.AddCommand(q.command(&cli.NodeFlags{}))
	}
	return parent
}

// maxParams exceeds the parameters of any method.
const maxParams = 16

var nodeRequests = []request[*rpc.Client]{
	{use: "methods", short: "List the node's methods", ask: bare((*rpc.Client).Methods).as(methodsRecord)},
	{use: "block [hash]", short: "Show a block's header and encoded extrinsics", maxArgs: 1, wants: "at most one hash", ask: with(arguments.hash, (*rpc.Client).Block).as(nodeBlockRecord)},
	{use: "finalized-head", short: "Show the hash of the newest final block", ask: bare((*rpc.Client).FinalizedHead).as(
		func(_ arguments, hash chain.Hash) cli.Record { return cli.Record{{"hash", hash}} })},
	{use: "header [hash]", short: "Show a block's header", maxArgs: 1, wants: "at most one hash", ask: with(arguments.hash, (*rpc.Client).Header).as(headerRecord)},
	{use: "fee-history [blocks]", short: "Show base and priority fees of the newest blocks", maxArgs: 1, wants: "at most one number of blocks", percentiles: true, ask: asking[*rpc.Client, rpc.FeeHistory](askFeeHistory).as(historyRecord)},
	{use: "query-info <extrinsic>", short: "Estimate the fee of a native extrinsic in 0x-hex", minArgs: 1, maxArgs: 1, wants: "one extrinsic in 0x-hex", ask: asking[*rpc.Client, rpc.DispatchInfo](askQueryInfo).as(infoRecord)},
	{use: "call <method> [parameter]...", short: "Call any method", minArgs: 1, maxArgs: 1 + maxParams, wants: "a method and its parameters", ask: asking[*rpc.Client, jsonscan.Value](askCall).as(
		func(a arguments, result jsonscan.Value) cli.Record {
			return cli.Record{{"method", a.args[0]}, {"result", json.RawMessage(result.Raw())}}
		})},
}

func methodsRecord(_ arguments, names []string) cli.Record {
	methods := []cli.Record{}
	for _, name := range names {
		methods = append(methods, cli.Record{{"method", name}})
	}
	return cli.Record{{"count", len(methods)}, {"methods", methods}}
}

func nodeBlockRecord(a arguments, b rpc.Block) cli.Record {
	extrinsics := []cli.Record{}
	for i, x := range b.Extrinsics {
		extrinsics = append(extrinsics, cli.Record{{"index", i}, {"bytes", len(x)}, {"encoded", "0x" + hex.EncodeToString(x)}})
	}
	return append(headerRecord(a, b.Header), cli.Field{"extrinsics", extrinsics})
}

func headerRecord(_ arguments, h rpc.Header) cli.Record {
	return cli.Record{{"number", h.Number}, {"hash", h.Hash}, {"parent_hash", h.ParentHash}, {"state_root", h.StateRoot}, {"extrinsics_root", h.ExtrinsicsRoot}}
}

// defaultHistory is the default number of blocks of fee history.
const defaultHistory = 10

func askFeeHistory(ctx context.Context, c *rpc.Client, a arguments) (none rpc.FeeHistory, err error) {
	blocks := uint64(defaultHistory)
	if len(a.args) > 0 {
		if blocks, err = strconv.ParseUint(a.args[0], 10, 10); err != nil || blocks == 0 {
			return none, fmt.Errorf("the number of blocks %q must be from 1 to 1023", a.args[0])
		}
	}
	return c.FeeHistory(ctx, blocks, "latest", a.percentiles)
}

func historyRecord(_ arguments, history rpc.FeeHistory) cli.Record {
	list := []cli.Record{}
	for i, ratio := range history.GasUsedRatio {
		rewards := []chain.GasPrice{}
		if i < len(history.Reward) {
			rewards = history.Reward[i]
		}
		list = append(list, cli.Record{
			{"number", history.OldestBlock + uint64(i)}, {"base_fee_per_gas", history.BaseFeePerGas[i]},
			{"gas_used_ratio", ratio}, {"priority_fees_per_gas", rewards},
		})
	}
	var predicted chain.Optional[chain.GasPrice] // by Ethereum's rule
	if n := len(history.BaseFeePerGas); n > 0 {
		predicted = chain.Some(history.BaseFeePerGas[n-1])
	}
	return cli.Record{{"next_base_fee_per_gas", history.NextBaseFee()}, {"predicted_base_fee_per_gas", predicted}, {"blocks", list}}
}

func askQueryInfo(ctx context.Context, c *rpc.Client, a arguments) (rpc.DispatchInfo, error) {
	return c.QueryInfo(ctx, a.args[0], chain.Optional[chain.Hash]{})
}

func infoRecord(_ arguments, info rpc.DispatchInfo) cli.Record {
	return cli.Record{{"partial_fee", info.PartialFee}, {"class", info.Class}, {"ref_time", info.Weight.RefTime}, {"proof_size", info.Weight.ProofSize}}
}

func askCall(ctx context.Context, c *rpc.Client, a arguments) (jsonscan.Value, error) {
	params := []any{}
	for _, text := range a.args[1:] {
		if _, err := jsonscan.Parse(text); err == nil {
			params = append(params, json.RawMessage(text))
		} else {
			params = append(params, text)
		}
	}
	return c.Call(ctx, a.args[0], params...)
}
