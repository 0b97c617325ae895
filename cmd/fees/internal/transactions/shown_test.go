package transactions

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// The lines are aligned, never shortened, and contain no control characters.
func TestShown(t *testing.T) {
	parsed := func(text string) jsonscan.Value {
		v, err := jsonscan.Parse(text)
		require.NoError(t, err)
		return v
	}
	glmr := extrinsic.Token{Symbol: "GLMR", Decimals: 18}
	l := &lines{}
	l.argument("value", parsed(`"1500000000000000000"`), []extrinsic.Balance{{Path: "value", Amount: chain.NewWei(1_500_000_000_000_000_000)}}, glmr)
	l.argument("calls", parsed(`[{"a":"\u001b[2J"}]`), []extrinsic.Balance{{Path: "calls[0].value", Amount: chain.NewWei(7)}}, extrinsic.Token{Symbol: "TAO", Decimals: 9})
	l.argument("note", parsed(`"\u001b[2Jevil\u202etxt"`), nil, glmr)
	var shown bytes.Buffer
	require.NoError(t, l.write(&shown))
	require.NotContains(t, shown.String(), "\x1b")
	require.NotContains(t, shown.String(), "\u202e")
	require.Contains(t, shown.String(), "  value             1.5 GLMR = 1500000000000000000 wei\n")
	require.Contains(t, shown.String(), "    calls[0].value  0.000000007 TAO = 7 of the smallest unit\n")
	require.Equal(t, "7 (smallest unit; the token's decimals are not known)", amount(chain.NewWei(7), extrinsic.Token{}))

	shown.Reset()
	require.NoError(t, show(&shown, &app.Prepared{Chain: &app.KnownChain{Name: "moonbeam", Token: glmr}, EVM: &ethtx.Transaction{
		Type: chain.EIP1559, ChainID: 1284, GasLimit: chain.NewGas(21_000), MaxFeePerGas: chain.NewGasPrice(250_000_000_000), Input: bytes.Repeat([]byte{0xab}, 300),
		AccessList: []chain.AccessEntry{{Address: chain.Address20([20]byte{1}), StorageKeys: []chain.Hash{{2}, {3}}}, {Address: chain.Address20([20]byte{4})}},
	}}))
	require.Regexp(t, `(?m)^chain +moonbeam \(EVM chain ID 1284\)$`, shown.String())
	require.Regexp(t, `(?m)^to +none: creates a contract$`, shown.String())
	require.Regexp(t, `(?m)^access +0x01(00){19}, 2 storage keys\n  key +0x02(00){31}\n  key +0x03(00){31}\naccess +0x04(00){19}, 0 storage keys$`, shown.String())
	require.Regexp(t, `(?m)^data +300 bytes: 0x(ab){256}… \(keccak-256 of all: 0x[0-9a-f]{64}\)$`, shown.String())
	require.Regexp(t, `(?m)^fee +at most 0\.00525 GLMR = 5250000000000000 wei$`, shown.String())
}
