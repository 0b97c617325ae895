package rpc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// replying is a client of a node that answers each question with a member: a result or an error.
func replying(t *testing.T, member string) *rpc.Client {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,%s}`, readQuestion(r).ID, member)
	})
	return newClient(t, server.URL, httpclient.Options{Total: 50 * time.Millisecond, RetryWait: time.Millisecond})
}

// The answer about a transfer on a recorded chain with pallet revive: 524,400,000 ps, 10,779 bytes of proof, class Normal,
// and a fee of 1,477,446,532.
func TestQueryInfoOfTheRuntime(t *testing.T) {
	const recorded = "0x02d6067d6da800840b1058000000000000000000000000"
	for name, c := range map[string]struct {
		result string
		known  bool
		says   string
	}{
		"recorded":           {`"result":"` + recorded + `"`, true, ""},
		"no such function":   {`"error":{"code":4003,"message":"Client error: Execution failed: Exported method TransactionPaymentApi_query_info is not found"}`, false, ""},
		"an internal error":  {`"error":{"code":-32603,"message":"Internal error"}`, false, ""},
		"a pruned state":     {`"error":{"code":4003,"message":"Client error: Api called for an unknown Block: State already discarded for 0x00"}`, false, ""},
		"a null":             {`"result":null`, false, "answer of TransactionPaymentApi_query_info: null"},
		"no hex":             {`"result":"x"`, false, "answer of TransactionPaymentApi_query_info"},
		"cut off":            {`"result":"` + recorded[:20] + `"`, false, "answer of TransactionPaymentApi_query_info: SCALE"},
		"more than that":     {`"result":"` + recorded + `00"`, false, "1 bytes left over"},
		"nothing":            {`"result":"0x"`, false, "SCALE"},
		"a weight too large": {`"result":"0x33` + strings.Repeat("ff", 16) + recorded[12:] + `"`, false, "compact integer"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := replying(t, c.result).QueryInfos(soon(t), [][]byte{{0x28, 4, 3}}, chain.Hash{})
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Len(t, list, 1)
			info, known := list[0].Get()
			require.Equal(t, c.known, known)
			if known {
				require.Equal(t, chain.QueryInfo{Weight: chain.Weight{RefTime: chain.NewRefTime(524400000), ProofSize: 10779}, PartialFee: chain.NewWei(1477446532)}, info)
			}
		})
	}
	list, err := replying(t, `"result":null`).QueryInfos(soon(t), nil, chain.Hash{})
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = replying(t, `"error":{"code":-32005,"message":"limit exceeded"}`).QueryInfos(soon(t), [][]byte{{1}}, chain.Hash{})
	require.Error(t, err, "a later request may be answered")
}

// The receipts of a recorded block, and answers that are none.
func TestReceiptsOfTheRuntime(t *testing.T) {
	const (
		gas   = "3f61000000000000000000000000000000000000000000000000000000000000"
		price = "10f52ca40b000000000000000000000000000000000000000000000000000000"
	)
	for name, c := range map[string]struct {
		result string
		count  int // -1 if they are unknown
		says   string
	}{
		"recorded":           {`"result":"0x04` + gas + price + `"`, 1, ""},
		"none":               {`"result":"0x00"`, 0, ""},
		"no such function":   {`"error":{"code":4003,"message":"Client error: Execution failed"}`, -1, ""},
		"more than there is": {`"result":"0xfeffffff` + gas + `"`, 0, "do not fit into 32 bytes"},
		"gas of 65 bits":     {`"result":"0x04` + gas[:16] + "01" + gas[18:] + price + `"`, 0, "receipt 0: the gas used has more than 64 bits"},
		"left over":          {`"result":"0x0000"`, 0, "1 bytes left over"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := replying(t, c.result).EthReceipts(soon(t), chain.Hash{})
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			list, known := answer.Get()
			require.Equal(t, c.count >= 0, known)
			require.Len(t, list, max(c.count, 0))
			if c.count > 0 {
				require.Equal(t, chain.Receipt{GasUsed: chain.NewGas(24895), Price: chain.NewGasPrice(49999050000)}, list[0])
			}
		})
	}
}
