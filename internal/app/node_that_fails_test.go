package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// refusing is a node that refuses one message, by its number.
type refusing struct {
	http.Handler
	refusal string // JSON
	at      int

	guard sync.Mutex
	count int
}

// What a node says that cannot read its database, and one that does not have a method.
const (
	closedDatabase = `{"code":3002,"message":"Client error: the database is closed"}`
	noMethod       = `{"code":-32601,"message":"Method not found"}`
)

func (n *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.guard.Lock()
	n.count++
	now := n.count == n.at
	n.guard.Unlock()
	if !now {
		n.Handler.ServeHTTP(w, r)
		return
	}
	text, _ := io.ReadAll(r.Body)
	type question struct{ ID json.RawMessage }
	refuse := func(q question) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, n.refusal) }
	w.Header().Set("Content-Type", "application/json")
	if batch := []question{}; bytes.HasPrefix(text, []byte("[")) && json.Unmarshal(text, &batch) == nil {
		var list []string
		for _, q := range batch {
			list = append(list, refuse(q))
		}
		io.WriteString(w, "["+strings.Join(list, ",")+"]")
		return
	}
	var one question
	json.Unmarshal(text, &one)
	io.WriteString(w, refuse(one))
}

// eachRefused does something by nodes of which each refuses another message, and the last one none.
func (s *sending) eachRefused(t *testing.T, refusal string, do func(node *rpc.Client) error, check func(err error)) {
	t.Helper()
	for at := 1; at < 100; at++ {
		node := &refusing{Handler: s.node, at: at, refusal: refusal}
		server := httptest.NewServer(node)
		client, err := rpc.New(server.URL, httpclient.Options{})
		require.NoError(t, err)
		err = do(client)
		client.Close()
		server.Close()
		if node.count < at {
			require.NoError(t, err)
			require.Greater(t, at, 3)
			return
		}
		check(err)
	}
	t.Fatal("it asks without end")
}

// refused wants the node's own words, as those of a node that does not answer.
func refused(t *testing.T) func(error) {
	return func(err error) {
		t.Helper()
		var said *rpc.RPCError
		require.ErrorAs(t, err, &said)
		require.Equal(t, "Client error: the database is closed", said.Message)
		require.Equal(t, failure.Unanswered, app.KindOf(err))
	}
}

// transferred is a recorded transfer of Alith's, at its parent.
func (s *sending) transferred(t *testing.T) (signer chain.Address, call string, arguments []string) {
	s.node.SetHead(6)
	view, err := state.Open(t.Context(), s.client, chain.Optional[uint64]{}, extrinsic.Token{})
	require.NoError(t, err)
	at := slices.IndexFunc(s.sent, func(r recordedSend) bool { return r.Kind == "balances.transferKeepAlive" })
	require.EqualValues(t, 7, *s.sent[at].Height)
	x, err := view.Runtime.Read(s.recorded(t, 7, s.sent[at].Index))
	require.NoError(t, err)
	s.pool.SetNonce(x.Signer, x.Nonce.Uint64())
	call, arguments = asWritten(x)
	return x.Signer, call, arguments
}

// feeHistory has the node answer by eth_feeHistory.
func (s *sending) feeHistory(result string) {
	s.node.Methods["eth_feeHistory"] = func([]json.RawMessage) ([]byte, error) { return []byte(result), nil }
}

// threeBlocks are of a base fee of 200 Gwei at last. The normal bid follows the second figure of each
// block: of 3, 7 and 5 Gwei, 5 stands in the middle.
const threeBlocks = `{"oldestBlock":"0x4","baseFeePerGas":["0x2e90edd000","0x2e90edd000","0x2e90edd000","0x2e90edd001"],"gasUsedRatio":[0.5,0.25,0.5],
	"reward":[["0x3b9aca00","0xb2d05e00","0x2540be400"],["0x77359400","0x1a13b8600","0x2540be400"],["0x3b9aca00","0x12a05f200","0x2540be400"]]}`

// A node that fails, at whatever question, makes no transaction of a half of what it said, and sends
// none. What cannot do without an answer ends with the node's own words.
func TestTransactionsOfANodeThatFails(t *testing.T) {
	s := openSending(t)
	s.feeHistory(threeBlocks)
	ctx := t.Context()
	signer, call, arguments := s.transferred(t)
	var native, ethereum *app.Draft
	s.eachRefused(t, closedDatabase, func(node *rpc.Client) (err error) {
		native, err = app.Build(ctx, app.BuildRequest{Node: node, Chain: s.stated, Call: call, Arguments: arguments, Signer: signer, Period: 64})
		if err != nil {
			require.Nil(t, native)
		}
		return err
	}, refused(t))
	s.eachRefused(t, closedDatabase, func(node *rpc.Client) (err error) {
		ethereum, err = app.BuildEVM(ctx, app.BuildEVMRequest{Node: node, Chain: s.stated, Tables: network.BuiltIn(), Type: chain.EIP1559, To: chain.Some(chain.Address20([20]byte{19: 1})), Signer: signer})
		if err != nil {
			require.Nil(t, ethereum)
		}
		return err
	}, refused(t))
	for _, draft := range []*app.Draft{native, ethereum} {
		signed, err := s.sign(draft, s.keys[signer])
		require.NoError(t, err)
		taken := len(s.pool.Taken)
		s.pool.SetNonce(signer, native.Native.Nonce.Uint64())
		s.eachRefused(t, closedDatabase, func(node *rpc.Client) error {
			_, err := app.Send(ctx, app.SendRequest{Node: node, Signed: signed})
			return err
		}, func(err error) {
			refused(t)(err)
			require.Len(t, s.pool.Taken, taken)
		})
		require.Equal(t, [][]byte{signed.Raw}, s.pool.Taken[taken:])
	}
}

// Who waits for a transaction while the node fails is told so, or where it is: never another place.
func TestWaitingOfANodeThatFails(t *testing.T) {
	s := openSending(t)
	s.feeHistory(threeBlocks)
	ctx := t.Context()
	signer, call, arguments := s.transferred(t)
	draft, err := app.Build(ctx, app.BuildRequest{Node: s.client, Chain: s.stated, Call: call, Arguments: arguments, Signer: signer})
	require.NoError(t, err)
	signed, err := s.sign(draft, s.keys[signer])
	require.NoError(t, err)
	estimated, err := app.EstimateCall(ctx, app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Call: call, Arguments: arguments, From: signer})
	require.NoError(t, err)
	r := s.sent[slices.IndexFunc(s.sent, func(r recordedSend) bool { return r.Family == "evm" && r.Height != nil && *r.Height > 7 })]
	raw := rawBytes(t, r.Raw)
	ethereum, err := ethtx.Parse(raw)
	require.NoError(t, err)
	from, err := ethereum.Sender()
	require.NoError(t, err)
	hash, err := ethereum.Hash()
	require.NoError(t, err)
	for name, wait := range map[string]func(*rpc.Client) (app.Included, error){
		"evm": func(node *rpc.Client) (in app.Included, err error) {
			s.node.SetHead(int(*r.Height) - 1)
			s.pool.SetNonce(from, ethereum.Nonce.Uint64())
			sent, err := app.Send(ctx, app.SendRequest{Node: node, Every: time.Millisecond,
				Signed: &app.SignedTransaction{Layer: app.EVMLayer, Signer: from, Hash: hash, Raw: raw}})
			if err != nil {
				return in, err
			}
			s.node.SetHead(int(*r.Height))
			return sent.Wait(ctx, true)
		},
		"sent": func(node *rpc.Client) (in app.Included, err error) {
			s.node.SetHead(6)
			s.pool.SetNonce(signer, draft.Native.Nonce.Uint64())
			sent, err := app.Send(ctx, app.SendRequest{Node: node, Signed: signed, Every: time.Millisecond})
			if err != nil {
				return in, err
			}
			s.node.SetHead(7)
			return sent.Wait(ctx, true)
		},
		"estimated": func(node *rpc.Client) (app.Included, error) {
			s.node.SetHead(7)
			return estimated.Watch(ctx, app.EstimateRequest{Node: node, Chain: s.stated, From: signer}, time.Millisecond)
		},
	} {
		var in app.Included
		s.eachRefused(t, closedDatabase, func(node *rpc.Client) (err error) {
			in, err = wait(node)
			return err
		}, func(err error) {
			refused(t)(err)
			require.Zero(t, in, name)
		})
		want := app.Included{Height: 7, Block: in.Block, Index: 6, Final: true}
		if name == "evm" {
			want.Height, want.Index = *r.Height, r.Index
		}
		require.Equal(t, want, in, name)
	}
}

// A transaction in a block is reported before the block is final. Giving up is reported, too.
func TestWaitingForTheEnd(t *testing.T) {
	s := openSending(t)
	signer, call, arguments := s.transferred(t)
	draft, err := app.Build(t.Context(), app.BuildRequest{Node: s.client, Chain: s.stated, Call: call, Arguments: arguments, Signer: signer})
	require.NoError(t, err)
	signed, err := s.sign(draft, s.keys[signer])
	require.NoError(t, err)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	var told []string
	sent, err := app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed, Every: time.Millisecond, Told: func(status string) {
		if told = append(told, status); strings.Contains(status, "not final") {
			s.node.SetHead(7)
		}
	}})
	require.NoError(t, err)
	s.node.SetBest(8)
	in, err := sent.Wait(ctx, true)
	require.NoError(t, err)
	require.Equal(t, []string{"sent " + signed.Hash.String(), fmt.Sprintf("in block 7 (%v), not final yet", in.Block)}, told)

	s.node.SetHead(6)
	s.node.SetBest(6)
	s.pool.SetNonce(signer, draft.Native.Nonce.Uint64())
	sent, err = app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed})
	require.NoError(t, err)
	giveUp()
	_, err = sent.Wait(ctx, true)
	require.Equal(t, failure.Stopped, app.KindOf(err))
}

// An estimate from a failing node returns the node's error, or notes that a part is not available,
// in the node's words: what it does tell is the same.
func TestEstimatesOfANodeThatFails(t *testing.T) {
	s := openSending(t)
	s.feeHistory(threeBlocks)
	signer, call, arguments := s.transferred(t)
	q := app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Call: call, Arguments: arguments, From: signer, Blocks: 2}
	whole, err := app.EstimateCall(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, "7076979846949941", whole.Total.String(), "as was charged")
	require.Empty(t, whole.Notes)
	require.Len(t, whole.Bids, 3)

	// A normal bid is of 5 Gwei (see threeBlocks): as much for each of the 21000 gas of a plain transfer, and
	// for the native one's, of which 25,000 of weight are one (specification, rule 10).
	gas := new(big.Int).SetUint64(whole.Native.Weight.RefTime.Uint64() / 25_000)
	require.Positive(t, gas.Sign())
	require.Equal(t, "5000000000", whole.Bids[1].MaxPriorityFeePerGas.String())
	require.Equal(t, "105000000000000", known(t, whole.Bids[1].EVMPriorityFee))
	require.Equal(t, new(big.Int).Mul(gas, big.NewInt(5_000_000_000)).String(), known(t, whole.Bids[1].NativeTip))
	require.Equal(t, new(big.Int).Div(big.NewInt(7076979846949941), gas).String(), known(t, whole.FeePerGas))

	degraded := map[string]int{}
	s.eachRefused(t, closedDatabase, func(node *rpc.Client) error {
		asked := q
		asked.Node = node
		e, err := app.EstimateCall(t.Context(), asked)
		if err == nil && len(e.Notes) > 0 {
			require.Len(t, e.Notes, 1)
			degraded[e.Notes[0]]++
			require.Equal(t, whole.Total, e.Total)
			require.True(t, e.EVM == nil || len(e.Bids) == 0)
			return errDegraded
		}
		if err == nil {
			require.Equal(t, whole, e)
		}
		return err
	}, func(err error) {
		if !errors.Is(err, errDegraded) {
			refused(t)(err)
		}
	})
	require.Equal(t, map[string]int{
		"the node cannot estimate the gas of the transfer: Client error: the database is closed":  1,
		"no priority fees: the node refuses to report them: Client error: the database is closed": 2, // eth_feeHistory, and its runtime
	}, degraded)
}

var errDegraded = errors.New("a part is not told")

// What a node does not have is asked for otherwise, or not told, and a note says so.
func TestEstimatesOfANodeThatHasLess(t *testing.T) {
	s := openSending(t)
	signer, call, arguments := s.transferred(t)
	q := app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Call: call, Arguments: arguments, From: signer}
	lacks := func([]json.RawMessage) ([]byte, error) { return nil, rpcserver.Refused(noMethod) }
	for _, c := range []struct {
		method string
		answer rpcserver.Method
		notes  []string
	}{
		{"system_name", nil, nil},
		{"eth_estimateGas", lacks, []string{"the node cannot estimate the gas of the transfer: Method not found"}},
		{"state_getRuntimeVersion", func([]json.RawMessage) ([]byte, error) {
			return []byte(`{"specName":"elsewhere","specVersion":7}`), nil
		},
			[]string{"runtime elsewhere 7 is not in any table; no EVM estimate"}},
	} {
		t.Run(c.method, func(t *testing.T) {
			if c.answer != nil {
				was, there := s.node.Methods[c.method]
				s.node.Methods[c.method] = c.answer
				defer func() {
					if delete(s.node.Methods, c.method); there {
						s.node.Methods[c.method] = was
					}
				}()
			}
			e, err := app.EstimateCall(t.Context(), q)
			require.NoError(t, err)
			require.Equal(t, "7076979846949941", e.Total.String())
			require.Equal(t, c.notes == nil, e.EVM != nil)
			require.Empty(t, e.Bids)
			const history = "no priority fees: the node does not support eth_feeHistory"
			if c.method != "state_getRuntimeVersion" { // where no table knows the runtime, nothing is made of it
				c.notes = append(c.notes, history)
			}
			require.Equal(t, c.notes, e.Notes)
		})
	}

	// The node's own method replaces a runtime call that is not available.
	s.node.Methods["state_call"] = lacks
	s.node.Methods["payment_queryInfo"] = func([]json.RawMessage) ([]byte, error) {
		return []byte(`{"weight":{"ref_time":250000000,"proof_size":1},"class":"normal","partialFee":"1000"}`), nil
	}
	q.Tip = "0.000000000000000234GLMR"
	e, err := app.EstimateCall(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []string{"1000", "234", "1234"}, []string{e.Native.Fee.String(), e.Tip.String(), e.Total.String()})
	require.Equal(t, "0", known(t, e.FeePerGas), "1234 wei for 10,000 gas, rounded down")
	s.node.Methods["system_accountNextIndex"] = lacks
	e, err = app.EstimateCall(t.Context(), q)
	require.NoError(t, err)
	require.Contains(t, e.Notes[0], "does not report the next nonce")
	s.node.Methods["payment_queryInfo"] = lacks
	_, err = app.EstimateCall(t.Context(), q)
	require.ErrorIs(t, err, rpc.ErrNoMethod)
	s.node.Methods["state_call"] = func([]json.RawMessage) ([]byte, error) { return []byte(`"0x00"`), nil }
	_, err = app.EstimateCall(t.Context(), q)
	require.ErrorContains(t, err, "malformed dispatch info")
	require.Equal(t, failure.Unanswered, app.KindOf(err))

	for _, wrong := range []func(*app.EstimateRequest){
		func(q *app.EstimateRequest) { q.Call = "balances.nothing" },
		func(q *app.EstimateRequest) { q.Tip = "1.5DOT" },
	} {
		asked := q
		wrong(&asked)
		_, err = app.EstimateCall(t.Context(), asked)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), err)
	}
}

// Prices and gas that no chain can have are the node's trouble, and no figure is made of them.
func TestEstimatesOfMalformedPrices(t *testing.T) {
	s := openSending(t)
	signer, call, arguments := s.transferred(t)
	q := app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Call: call, Arguments: arguments, From: signer}
	most := "0x" + strings.Repeat("f", 64)
	history := func(base, priority string) string {
		return `{"oldestBlock":"0x4","baseFeePerGas":["` + base + `","` + base + `"],"gasUsedRatio":[0.5],"reward":[["` + priority + `","` + priority + `","` + priority + `"]]}`
	}
	for _, c := range []struct{ gas, history, want string }{
		{`"0x5208"`, history("0x1", "0x1"), ""},
		{`"21000 gas"`, history("0x1", "0x1"), "gas"},
		{`"0x7fffffffffffffff"`, history("0x1", "0xf"+strings.Repeat("0", 15)), ""}, // 63 and 64 bits fit into the 128 of a balance
		{`"0x7fffffffffffffff"`, history("0x1", "0xf"+strings.Repeat("0", 16)), "overflow"},
		{`"0x5208"`, history("0x1", "0xf"+strings.Repeat("0", 63)), "overflow"},
		{`"0x5208"`, history(most, "0x1"), "overflow"},
		{`"0x5208"`, history("0x1", "0x0x"), "fee history"},
	} {
		s.node.Methods["eth_estimateGas"] = func([]json.RawMessage) ([]byte, error) { return []byte(c.gas), nil }
		s.feeHistory(c.history)
		e, err := app.EstimateCall(t.Context(), q)
		if c.want == "" {
			require.NoError(t, err)
			require.Empty(t, e.Notes)
			require.False(t, e.Beside(chain.Optional[chain.Wei]{}).Known(), "what was charged is not known")
			continue
		}
		require.ErrorContains(t, err, c.want, c)
		require.Equal(t, failure.Unanswered, app.KindOf(err), err)
		require.Nil(t, e)
	}
}
