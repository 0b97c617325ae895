package app_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

func gwei(n uint64) chain.GasPrice { return chain.NewGasPrice(n * 1_000_000_000) }

// Prices that are not given are those of a normal bid: of 5 Gwei of priority (see threeBlocks), and
// good for one and a half times the base fee. What a legacy transaction offers is what it pays: the
// base fee, or 125 Gwei where that is more (the network's least), and the priority fee.
func TestBuildEVMPrices(t *testing.T) {
	s := openSending(t)
	s.node.SetHead(20)
	const cheap = `{"oldestBlock":"0x4","baseFeePerGas":["0x3b9aca00","0x3b9aca00"],"gasUsedRatio":[0.5],"reward":[["0x1","0x12a05f200","0x12a05f201"]]}` // 1 Gwei
	none, some := chain.Optional[chain.GasPrice]{}, func(n uint64) chain.Optional[chain.GasPrice] { return chain.Some(gwei(n)) }
	for _, c := range []struct {
		history                           string
		kind                              chain.TransactionType
		price, most, priority             chain.Optional[chain.GasPrice] // that are given
		wantPrice, wantMost, wantPriority chain.Optional[chain.GasPrice]
	}{
		{threeBlocks, chain.EIP1559, none, none, none, none, some(305), some(5)},
		{threeBlocks, chain.EIP1559, none, some(400), none, none, some(400), some(5)},
		{threeBlocks, chain.EIP1559, none, none, some(9), none, some(305), some(9)},
		{threeBlocks, chain.Legacy, none, none, none, some(205), none, none},
		{threeBlocks, chain.EIP2930, some(7), none, none, some(7), none, none},
		{cheap, chain.Legacy, none, none, none, some(130), none, none},
	} {
		s.feeHistory(c.history)
		d, err := app.BuildEVM(t.Context(), app.BuildEVMRequest{
			Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Type: c.kind, Signer: address(t, alith), To: chain.Some(address(t, baltathar)), Value: "1.5GLMR",
			GasPrice: c.price, MaxFeePerGas: c.most, MaxPriorityFeePerGas: c.priority,
		})
		require.NoError(t, err)
		require.Equal(t, []any{c.wantPrice, c.wantMost, c.wantPriority}, []any{d.EVM.GasPrice, d.EVM.MaxFeePerGas, d.EVM.MaxPriorityFeePerGas}, c.kind)
		require.Equal(t, []any{"1500000000000000000", uint64(1284), uint64(21000)}, []any{d.EVM.Value.String(), d.EVM.ChainID, d.EVM.GasLimit})
	}
}

// What cannot be made is not understood, with why. Where the node does not tell what was paid for
// gas, the prices have to be given.
func TestBuildEVMRefused(t *testing.T) {
	s := openSending(t)
	s.node.SetHead(20)
	one := chain.Some(gwei(1))
	for want, change := range map[string]func(*app.BuildEVMRequest){
		"value: ":                    func(q *app.BuildEVMRequest) { q.Value = "1,5" },
		`"1DOT" is an amount of DOT`: func(q *app.BuildEVMRequest) { q.Value = "1DOT" },
		"state the gas prices":       func(q *app.BuildEVMRequest) { q.MaxFeePerGas = chain.Optional[chain.GasPrice]{} },
		"gas_price: not allowed in a transaction of type eip1559":      func(q *app.BuildEVMRequest) { q.GasPrice = one },
		"max_fee_per_gas: not allowed in a transaction of type legacy": func(q *app.BuildEVMRequest) { q.Type, q.GasPrice = chain.Legacy, one },
		"a legacy transaction cannot have an access list": func(q *app.BuildEVMRequest) {
			*q = app.BuildEVMRequest{Node: q.Node, Chain: s.stated, Signer: q.Signer, Type: chain.Legacy, GasPrice: one, AccessList: []chain.AccessEntry{{}}}
		},
		`transaction type "eip7702": want legacy, eip2930 or eip1559`: func(q *app.BuildEVMRequest) {
			*q = app.BuildEVMRequest{Node: q.Node, Chain: s.stated, Signer: q.Signer, Type: "eip7702", GasPrice: one}
		},
	} {
		q := app.BuildEVMRequest{Node: s.client, Chain: s.stated, Tables: network.BuiltIn(), Signer: address(t, alith), Type: chain.EIP1559, MaxFeePerGas: one, MaxPriorityFeePerGas: one}
		change(&q)
		d, err := app.BuildEVM(t.Context(), q)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), want)
		require.Nil(t, d)
	}
}

// An era of 4 blocks that begins at block 22 is over before block 26: its phase is 22 mod 4.
func TestBuildEra(t *testing.T) {
	s := openSending(t)
	s.node.SetHead(22)
	q := app.BuildRequest{Node: s.client, Chain: s.stated, Call: "system.remark", Arguments: []string{"0x1234"}, Signer: address(t, alith), Period: 4}
	d, err := app.Build(t.Context(), q)
	require.NoError(t, err)
	hashes, err := s.client.Hashes(t.Context(), []uint64{22})
	require.NoError(t, err)
	birth, _ := hashes[0].Get()
	p := s.prepared(t, d)
	require.Equal(t, extrinsic.Era{Period: 4, Phase: 2}, p.Era)
	require.Equal(t, []any{uint64(22), chain.Some[uint64](26), birth}, []any{p.Birth, p.Dies, p.Signing.Birth})
	q.Period = 0
	d, err = app.Build(t.Context(), q)
	require.NoError(t, err)
	p = s.prepared(t, d)
	require.Equal(t, extrinsic.Era{}, p.Era)
	require.Equal(t, []any{chain.Optional[uint64]{}, p.Genesis}, []any{p.Dies, p.Signing.Birth})
}

// What cannot be built is not understood, with why. A node without the blocks that a transaction is
// bound to builds none.
func TestBuildRefused(t *testing.T) {
	s := openSending(t)
	s.node.SetHead(20)
	for want, change := range map[string]func(*app.BuildRequest){
		`has no call "nothing"`:    func(q *app.BuildRequest) { q.Call = "balances.nothing" },
		"tip: ":                    func(q *app.BuildRequest) { q.Tip = "much" },
		"0.1234567890123456789":    func(q *app.BuildRequest) { q.Tip = "0.1234567890123456789GLMR" },
		"a period of 65537 blocks": func(q *app.BuildRequest) { q.Period = extrinsic.MaxPeriod + 1 },
	} {
		q := app.BuildRequest{Node: s.client, Chain: s.stated, Call: "system.remark", Arguments: []string{"0x"}, Signer: address(t, alith)}
		change(&q)
		d, err := app.Build(t.Context(), q)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), want)
		require.Nil(t, d)
	}
	hashes := s.node.Methods["chain_getBlockHash"]
	for lacking, want := range map[string]string{"[0]": "does not have block 0", "[18]": "does not have block 18, where the era begins"} {
		s.node.Methods["chain_getBlockHash"] = func(params []json.RawMessage) ([]byte, error) {
			if string(params[0]) == lacking {
				return []byte("[null]"), nil
			}
			return hashes(params)
		}
		s.node.SetHead(19) // the era begins at 18: one of 8192 blocks does so at even heights
		_, err := app.Build(t.Context(), app.BuildRequest{Node: s.client, Chain: s.stated, Call: "system.remark", Arguments: []string{"0x"}, Signer: address(t, alith), Period: 8192})
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, chain.ErrNoBlock)
	}
}
