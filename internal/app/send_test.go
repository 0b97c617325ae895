package app_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/test/devkeys"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// sending is a node of recordings that takes transactions, and the keys of those that had sent
// them.
type sending struct {
	node   *nodetest.Node
	pool   *nodetest.Pool
	client *rpc.Client
	keys   map[chain.Address]*keys.Key
	sent   []recordedSend
	stated app.ChainStatement // no table has the recorded chain
}

// prepared is the native extrinsic of a draft, by the draft's own metadata.
func (s *sending) prepared(t *testing.T, d *app.Draft) *app.PreparedNative {
	p, err := app.Prepare(app.SignRequest{Draft: d, Tables: network.BuiltIn(), Chain: s.stated, TrustDraft: true})
	require.NoError(t, err)
	return p.Native
}

// sign signs a draft, trusting its own metadata.
func (s *sending) sign(d *app.Draft, key *keys.Key) (*app.SignedTransaction, error) {
	p, err := app.Prepare(app.SignRequest{Draft: d, Tables: network.BuiltIn(), Chain: s.stated, TrustDraft: true})
	if err != nil {
		return nil, err
	}
	return p.Sign(key)
}

type recordedSend struct {
	Kind, Family, From, Raw, XtHash, EthHash, Call, Tip string
	Height                                              *uint64
	Index                                               int
	Charged                                             string `json:"charged_wei"`
}

func openSending(t *testing.T) *sending {
	node := nodetest.OpenPair(t, "moonbeam-2600")
	var heights []struct{ Parent string }
	text, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "node/heights.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &heights))
	genesis, err := chain.ParseHash(heights[0].Parent)
	require.NoError(t, err)
	s := &sending{node: node, keys: devkeys.All(t)}
	s.stated = app.ChainStatement{Genesis: chain.Some(genesis), EVMChainID: chain.Some[uint64](1284), Token: chain.Some(extrinsic.Token{Symbol: "GLMR", Decimals: 18})}
	s.pool, err = node.OpenPool(genesis, 1284)
	require.NoError(t, err)
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	s.client, err = rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.client.Close() })
	var list struct{ Sent []recordedSend }
	text, err = os.ReadFile(pairs.Path(t, "moonbeam-2600", "gateway/sent.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &list))
	s.sent = list.Sent
	return s
}

// Every recorded native extrinsic without an end is built from its arguments, signed, sent to a
// node that checks it as the runtime does, waited for, and its fee shown: the same bytes, and what
// was charged.
func TestSendNative(t *testing.T) {
	s := openSending(t)
	ctx := t.Context()
	same, other := 0, 0
	for i, r := range s.sent {
		if r.Family != "native" || r.Height == nil || r.Charged == "" || *r.Height > 27 || i%tier.Step(2) > 0 {
			continue
		}
		height := *r.Height
		s.node.SetHead(int(height) - 1)
		before, err := state.Open(ctx, s.client, chain.Optional[uint64]{}, extrinsic.Token{})
		require.NoError(t, err)
		recorded := s.recorded(t, height, r.Index)
		x, err := before.Runtime.Read(recorded)
		require.NoError(t, err)
		require.Equal(t, r.XtHash, x.Hash.String())
		s.pool.SetNonce(x.Signer, x.Nonce.Uint64())

		call, arguments := asWritten(x)
		draft, err := app.Build(ctx, app.BuildRequest{Node: s.client, Chain: s.stated, Call: call, Arguments: arguments, Signer: x.Signer, Tip: r.Tip, Period: x.Era.Period})
		require.NoError(t, err, r.Kind)
		text, err := json.Marshal(draft)
		require.NoError(t, err)
		carried, err := app.ParseDraft(text)
		require.NoError(t, err)
		signed, err := s.sign(carried, s.keys[x.Signer])
		require.NoError(t, err)
		var told []string
		sent, err := app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed, Every: time.Millisecond, Told: func(status string) { told = append(told, status) }})
		require.NoError(t, err, r.Kind)
		require.NotEmpty(t, told)
		if !x.Era.Immortal() && hex.EncodeToString(recorded) != hex.EncodeToString(signed.Raw) {
			other++ // it had been made at another block
			continue
		}
		require.Equal(t, hex.EncodeToString(recorded), hex.EncodeToString(signed.Raw), r.Kind)
		s.node.SetHead(int(height))
		in, err := sent.Wait(ctx, true)
		require.NoError(t, err)
		require.Equal(t, app.Included{Height: height, Block: in.Block, Index: r.Index, Final: true}, in)
		bill, err := in.Charged(ctx, s.client, network.BuiltIn())
		require.NoError(t, err)
		fee, known := bill.Transaction.Fee.Get()
		require.True(t, known, r.Kind)
		require.Equal(t, r.Charged, fee.String(), r.Kind)
		same++
	}
	require.Greater(t, same, 20/tier.Step(2))
	t.Logf("%d sent as recorded, with the fee that was charged; %d of another era", same, other)
}

// asWritten is an extrinsic's call as people write it.
func asWritten(x *extrinsic.Extrinsic) (call string, arguments []string) {
	method := x.Call.Member("method")
	pallet, _ := method.Member("pallet").Text()
	name, _ := method.Member("method").Text()
	for _, v := range x.Call.Member("args").Members() {
		if text, is := v.Text(); is {
			arguments = append(arguments, text)
		} else {
			arguments = append(arguments, v.Raw())
		}
	}
	return pallet + "." + name, arguments
}

func (s *sending) recorded(t *testing.T, height uint64, index int) []byte {
	hashes, err := s.client.Hashes(t.Context(), []uint64{height - 1})
	require.NoError(t, err)
	require.True(t, hashes[0].Known())
	s.node.SetHead(int(height))
	defer s.node.SetHead(int(height) - 1)
	hashes, err = s.client.Hashes(t.Context(), []uint64{height})
	require.NoError(t, err)
	hash, _ := hashes[0].Get()
	list, err := s.client.Extrinsics(t.Context(), hash)
	require.NoError(t, err)
	return list[index]
}

// Recorded EVM transactions of all three types are built, signed, sent, found in their block, and
// priced.
func TestSendEVM(t *testing.T) {
	s := openSending(t)
	ctx := t.Context()
	count := map[chain.TransactionType]int{}
	for _, r := range s.sent {
		if r.Family != "evm" || r.Height == nil || r.Charged == "" || *r.Height > 27 {
			continue
		}
		raw := rawBytes(t, r.Raw)
		was, err := ethtx.Parse(raw)
		require.NoError(t, err)
		if was.ChainID == 0 || count[was.Type] >= 5 { // one that any chain takes is not made here
			continue
		}
		from, err := chain.ParseAddress(r.From)
		require.NoError(t, err)
		s.node.SetHead(int(*r.Height) - 1)
		s.pool.SetNonce(from, was.Nonce.Uint64())
		q := app.BuildEVMRequest{
			Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Signer: from, Type: was.Type, To: was.To, Value: was.Value.String(), Input: was.Input, AccessList: was.AccessList,
			GasLimit: chain.Some(was.GasLimit.Uint64()),
		}
		if was.Type == chain.EIP1559 {
			q.MaxFeePerGas, q.MaxPriorityFeePerGas = chain.Some(was.MaxFeePerGas), chain.Some(was.MaxPriorityFeePerGas)
		} else {
			q.GasPrice = chain.Some(was.GasPrice)
		}
		draft, err := app.BuildEVM(ctx, q)
		require.NoError(t, err, r.Kind)
		text, err := json.Marshal(draft)
		require.NoError(t, err)
		carried, err := app.ParseDraft(text)
		require.NoError(t, err)
		signed, err := s.sign(carried, s.keys[from])
		require.NoError(t, err)
		require.Equal(t, r.Raw, "0x"+hex.EncodeToString(signed.Raw), r.Kind)
		sent, err := app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed, Every: time.Millisecond})
		require.NoError(t, err)
		s.node.SetHead(int(*r.Height))
		in, err := sent.Wait(ctx, false)
		require.NoError(t, err)
		require.Equal(t, r.Index, in.Index)
		bill, err := in.Charged(ctx, s.client, network.BuiltIn())
		require.NoError(t, err)
		fee, _ := bill.Transaction.Fee.Get()
		require.Equal(t, r.Charged, fee.String(), r.Kind)
		count[was.Type]++
	}
	require.Len(t, count, 3)
	t.Logf("sent: %v", count)
}

// What recorded native extrinsics would have cost, asked at their parents, is what was charged for
// them, unless weight was given back or the fee was waived: then less was.
func TestEstimates(t *testing.T) {
	s := openSending(t)
	ctx := t.Context()
	exact, less := 0, 0
	for i, r := range s.sent {
		if r.Family != "native" || r.Height == nil || r.Charged == "" || *r.Height > 27 || i%tier.Step(2) > 0 {
			continue
		}
		s.node.SetHead(int(*r.Height) - 1)
		view, err := state.Open(ctx, s.client, chain.Optional[uint64]{}, extrinsic.Token{})
		require.NoError(t, err)
		x, err := view.Runtime.Read(s.recorded(t, *r.Height, r.Index))
		require.NoError(t, err)
		s.pool.SetNonce(x.Signer, x.Nonce.Uint64())
		call, arguments := asWritten(x)
		q := app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Call: call, Arguments: arguments, From: x.Signer, Tip: r.Tip, Blocks: 5}
		e, err := app.EstimateCall(ctx, q)
		require.NoError(t, err, r.Kind)
		charged, err := chain.ParseWei(r.Charged)
		require.NoError(t, err)
		if e.Total == charged {
			exact++
		} else {
			require.Negative(t, charged.Cmp(e.Total), r.Kind)
			less++
		}
		require.Equal(t, strings.HasPrefix(call, "balances.transfer") && call != "balances.transferAll", e.EVM != nil, r.Kind)
		if e.EVM != nil { // the base fee that the recorded blocks charged
			block, err := source.Of(gateway.New(s.client)).Block(ctx, *r.Height-1)
			require.NoError(t, err)
			require.Equal(t, block.Hash, e.At.Hash)
			require.Equal(t, uint64(21000), e.EVM.Gas.Uint64())
			text, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "gateway/multiplier", strconv.FormatUint(*r.Height-1, 10)+".json"))
			require.NoError(t, err)
			var stored struct{ Value string }
			require.NoError(t, json.Unmarshal(text, &stored))
			base, ok := new(big.Int).SetString(stored.Value, 10) // × 125 Gwei / 10^18 (rule 6)
			require.True(t, ok)
			base.Mul(base, big.NewInt(125_000_000_000)).Div(base, big.NewInt(1_000_000_000_000_000_000))
			require.Equal(t, base.String(), e.EVM.BaseFeePerGas.String())
			require.Equal(t, base.Mul(base, big.NewInt(21000)).String(), e.EVM.Fee.String())
		}
		blocks := 0
		for _, h := range e.Hours {
			blocks += h.Blocks
		}
		require.Equal(t, int(min(5, *r.Height-1)), blocks)

		s.node.SetHead(int(*r.Height))
		in, err := e.Watch(ctx, q, time.Millisecond)
		require.NoError(t, err)
		require.Equal(t, r.Index, in.Index)
		difference, _ := e.Beside(chain.Some(charged)).Get()
		require.LessOrEqual(t, difference.Sign(), 0)
	}
	require.Greater(t, exact, 20/tier.Step(2))
	t.Logf("%d estimates are what was charged, %d are above it", exact, less)
}

// What the runtime would not take, the node refuses; what is for another chain or key is not
// even sent.
func TestSendRefused(t *testing.T) {
	s := openSending(t)
	ctx := t.Context()
	s.node.SetHead(20)
	alith, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	build := func(q app.BuildRequest) *app.Draft {
		q.Node, q.Chain, q.Signer, q.Call, q.Arguments = s.client, s.stated, alith, "system.remark", []string{"0x1234"}
		d, err := app.Build(ctx, q)
		require.NoError(t, err)
		return d
	}
	send := func(d *app.Draft) error {
		signed, err := s.sign(d, s.keys[alith])
		require.NoError(t, err)
		_, err = app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed})
		return err
	}
	s.pool.SetNonce(alith, 5)
	require.ErrorContains(t, send(build(app.BuildRequest{Nonce: chain.Some[uint64](4)})), "outdated")
	d := build(app.BuildRequest{Period: 4})
	s.node.SetHead(26)
	require.ErrorContains(t, send(d), "bad signature", "its era is over")
	s.node.SetHead(20)
	for address, key := range s.keys {
		if address != alith {
			_, err = s.sign(build(app.BuildRequest{}), key)
			require.ErrorIs(t, err, app.ErrOtherKey)
			break
		}
	}
	signed, err := s.sign(build(app.BuildRequest{}), s.keys[alith])
	require.NoError(t, err)
	signed.Genesis = chain.Some(chain.Hash{1})
	_, err = app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed})
	require.ErrorContains(t, err, "for genesis hash 0x01")
	require.Empty(t, s.pool.Taken)

	// One whose era ends before it is in a block.
	d = build(app.BuildRequest{Period: 4})
	signed, err = s.sign(d, s.keys[alith])
	require.NoError(t, err)
	sent, err := app.Send(ctx, app.SendRequest{Node: s.client, Signed: signed, Every: time.Millisecond})
	require.NoError(t, err)
	s.node.SetHead(27)
	_, err = sent.Wait(ctx, true)
	require.ErrorIs(t, err, app.ErrDied)
}
