package rpc_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

var (
	someAccount, _ = chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	someHash       = chain.Hash{31: 7}
)

// answeredAs is a client of a node that gives each method's answer, and what it was asked.
func answeredAs(t *testing.T, result string) (*rpc.Client, *string) {
	asked := new(string)
	node := &rpcserver.Server{Other: func(method string, params []json.RawMessage) ([]byte, error) {
		text, err := json.Marshal(params)
		*asked = method + string(text)
		return []byte(result), err
	}}
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	return newClient(t, server.URL, quick), asked
}

// What is asked before a transaction is made: each question by its name and its parameters, and what is
// no answer to it.
func TestQuestionsBeforeSending(t *testing.T) {
	ctx := t.Context()
	call := rpc.EthCall{From: someAccount, To: chain.Some(someAccount), Value: chain.NewWei(255), Input: []byte{1, 2}}
	for name, q := range map[string]struct {
		ask    func(*rpc.Client) (string, error)
		answer string
		asked  string
		want   string
		what   string // the answer that is missing
	}{
		"next index": {func(c *rpc.Client) (string, error) {
			n, err := c.NextIndex(ctx, someAccount)
			return n.String(), err
		}, "7", `system_accountNextIndex["0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"]`, "7", "next index"},
		"nonce": {func(c *rpc.Client) (string, error) {
			n, err := c.EthNonce(ctx, someAccount)
			return n.String(), err
		}, `"0x11"`, `eth_getTransactionCount["0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","pending"]`, "17", "transaction count"},
		"gas": {func(c *rpc.Client) (string, error) {
			g, err := c.EstimateGas(ctx, call)
			return g.String(), err
		}, `"0x5208"`, `eth_estimateGas[{"data":"0x0102","from":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","to":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","value":"0xff"}]`, "21000", "gas estimate"},
		"runtime": {func(c *rpc.Client) (string, error) {
			b, err := c.StateCall(ctx, "TransactionPaymentApi_query_info", []byte{1}, someHash)
			return string(b), err
		}, `"0x6869"`, `state_call["TransactionPaymentApi_query_info","0x01","` + someHash.String() + `"]`, "hi", "TransactionPaymentApi_query_info"},
	} {
		t.Run(name, func(t *testing.T) {
			c, asked := answeredAs(t, q.answer)
			have, err := q.ask(c)
			require.NoError(t, err)
			require.Equal(t, []string{q.want, q.asked}, []string{have, *asked})
			for _, wrong := range []string{"{}", "null", `"x"`} {
				c, _ := answeredAs(t, wrong)
				_, err := q.ask(c)
				var decode *rpc.DecodeError
				require.ErrorAs(t, err, &decode, wrong)
			}
			_, err = q.ask(newClient(t, "http://127.0.0.1:1", inVain))
			require.Error(t, err)
		})
	}
	c, _ := answeredAs(t, `"0x504"`)
	id, err := c.EthChainID(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1284, id)
	c, _ = answeredAs(t, `{}`)
	_, err = c.EthChainID(ctx)
	require.ErrorContains(t, err, "chain id")
	_, err = newClient(t, "http://127.0.0.1:1", inVain).EthChainID(ctx)
	require.Error(t, err)
}

// A transaction is sent once: a copy in the pool is not an error; another hash is.
func TestSending(t *testing.T) {
	ctx := t.Context()
	for name, send := range map[string]func(*rpc.Client) error{
		"author_submitExtrinsic": func(c *rpc.Client) error { return c.SubmitExtrinsic(ctx, []byte{4, 2}, someHash) },
		"eth_sendRawTransaction": func(c *rpc.Client) error { return c.SendRawTransaction(ctx, []byte{4, 2}, someHash) },
	} {
		c, asked := answeredAs(t, `"`+someHash.String()+`"`)
		require.NoError(t, send(c))
		require.Equal(t, name+`["0x0402"]`, *asked)
		c, _ = answeredAs(t, `"`+chain.Hash{1}.String()+`"`)
		require.ErrorContains(t, send(c), "the transaction was sent, but the node returned the hash 0x01")
		c, _ = answeredAs(t, `"no hash"`)
		require.ErrorContains(t, send(c), "hash of the transaction")
	}
	native := answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":1013,"message":"Transaction is already imported"}}`)
	require.NoError(t, native.SubmitExtrinsic(ctx, []byte{4}, someHash))
	evm := answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"submit transaction to pool failed: Already Known"}}`)
	require.NoError(t, evm.SendRawTransaction(ctx, []byte{4}, someHash))
	for _, send := range []error{
		answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":1010,"message":"Invalid Transaction"}}`).SubmitExtrinsic(ctx, []byte{4}, someHash),
		answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"nonce too low"}}`).SendRawTransaction(ctx, []byte{4}, someHash),
	} {
		var refused *rpc.RPCError
		require.ErrorAs(t, send, &refused)
	}
}

// What the state has at a key is told at once, and whenever it changes; what is no such change is an
// error.
func TestSubscribeStorage(t *testing.T) {
	told := func(changes ...string) *rpc.Client {
		node := &rpcserver.Server{Subscriptions: map[string]rpcserver.Subscription{"state_subscribeStorage": {
			Unsubscribe: "state_unsubscribeStorage", Notice: "state_storage",
			TellOf: func(ctx context.Context, params []json.RawMessage, tell func([]byte) error) {
				if len(params) != 1 || string(params[0]) != `["0x0a0b"]` {
					return
				}
				for _, c := range changes {
					if tell([]byte(c)) != nil {
						return
					}
				}
				<-ctx.Done()
			},
		}}}
		server := httptest.NewServer(node)
		t.Cleanup(server.Close)
		return newClient(t, "ws"+strings.TrimPrefix(server.URL, "http"), httpclient.Options{Total: patience})
	}
	change := func(key, value string) string {
		return `{"block":"` + someHash.String() + `","changes":[["` + key + `",` + value + `]]}`
	}
	first := func(c *rpc.Client) (s rpc.Stored, err error) {
		for s, err = range c.SubscribeStorage(t.Context(), []byte{10, 11}) {
			return s, err
		}
		return s, context.Canceled
	}
	s, err := first(told(change("0x0A0b", `"0x0102"`)))
	require.NoError(t, err)
	require.Equal(t, []any{someHash, []byte{1, 2}}, []any{s.Block, s.Value})
	s, err = first(told(change("0x0a0b", "null")))
	require.NoError(t, err)
	require.Nil(t, s.Value)
	for text, want := range map[string]string{
		change("0x0c", "null"): "want those of the key 0x0a0b", `{"block":1}`: "block:", change("0x0a0b", "7"): "malformed bytes",
		`{"block":"` + someHash.String() + `","changes":[["0x0a0b",null],["0x0a0b",null]]}`: "want one pair",
	} {
		_, err = first(told(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err = first(newClient(t, "http://127.0.0.1:1", inVain))
	require.ErrorIs(t, err, rpc.ErrNoSubscriptions)
	_, err = first(newClient(t, "ws://127.0.0.1:1", inVain))
	require.Error(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range told(change("0x0a0b", "null")).SubscribeStorage(ctx, []byte{10, 11}) {
		cancel()
	}
}
