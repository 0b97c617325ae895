package native_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/native"
)

const (
	stranger = "0x2000000000000000000000000000000000000002"
	treasury = "0x6d6f646C70792f74727372790000000000000000"
)

// charged returns a signed transaction of a runtime without a fee event.
func charged(t testing.TB, tip string, events ...[]any) *chain.Extrinsic {
	t.Helper()
	parts := []string{blocktest.Signed(payer)}
	if tip != "" {
		parts = append(parts, `"tip":`+tip)
	}
	x := blocktest.Extrinsic(t, "balances.transfer", "{}", parts...)
	for _, e := range events {
		data, err := json.Marshal(e[1:])
		require.NoError(t, err)
		x.Events = append(x.Events, blocktest.Event(t, e[0].(string), string(data)))
	}
	return &x
}

func ended(pays string) []any {
	return []any{"system.ExtrinsicSuccess", map[string]any{"weight": "5", "class": "Normal", "paysFee": pays}}
}

func TestReadCash(t *testing.T) {
	withdraw := []any{"balances.Withdraw", payer, "1500"}
	refund := []any{"balances.Deposit", payer, "500"}
	credit := []any{"balances.Deposit", treasury, "200"}
	for what, c := range map[string]struct {
		tip    string
		events [][]any
		fee    uint64
		paid   uint64 // of which the tip
		error  string
	}{
		"refund and credit":              {`"0"`, [][]any{withdraw, refund, credit, ended("Yes")}, 1000, 0, ""},
		"no refund":                      {`"0"`, [][]any{withdraw, credit, ended("Yes")}, 1500, 0, ""},
		"no tip written":                 {"", [][]any{withdraw, refund, ended("Yes")}, 1000, 0, ""},
		"tip null":                       {"null", [][]any{withdraw, refund, ended("Yes")}, 1000, 0, ""},
		"tip":                            {`"0x64"`, [][]any{withdraw, refund, credit, ended("Yes")}, 1000, 100, ""},
		"all is tip":                     {`"1000"`, [][]any{withdraw, refund, credit, ended("No")}, 1000, 1000, ""},
		"tip above the charge":           {`"1001"`, [][]any{withdraw, refund, credit, ended("Yes")}, 0, 0, "the tip of 1001 wei exceeds the 1000 wei charged"},
		"tip malformed":                  {`"lots"`, [][]any{withdraw, refund, credit, ended("Yes")}, 0, 0, `tip: "lots" is not a non-negative integer`},
		"tip an object":                  {`{}`, [][]any{withdraw, refund, credit, ended("Yes")}, 0, 0, "tip: want a number, have an object"},
		"waived: all is given back":      {`"0"`, [][]any{withdraw, {"balances.Deposit", payer, "1500"}, ended("Yes")}, 0, 0, ""},
		"free":                           {`"0"`, [][]any{ended("No")}, 0, 0, ""},
		"free, with a tip":               {`"1"`, [][]any{ended("No")}, 0, 0, "event balances.Withdraw: missing"},
		"nothing withdrawn, yet it pays": {`"0"`, [][]any{ended("Yes")}, 0, 0, "event balances.Withdraw: missing"},
		"nothing withdrawn, no outcome":  {`"0"`, nil, 0, 0, "event balances.Withdraw: missing"},
		// A free call with its own withdrawal, from the signer or from someone else.
		"free, with a Withdraw of its own":                   {`"0"`, [][]any{withdraw, ended("No")}, 0, 0, ""},
		"free, with a Withdraw and a Deposit of its own":     {`"0"`, [][]any{withdraw, {"balances.Deposit", stranger, "1500"}, ended("No")}, 0, 0, ""},
		"free, with a Withdraw of its own from somebody":     {`"0"`, [][]any{{"balances.Withdraw", stranger, "7"}, ended("No")}, 0, 0, ""},
		"free, with a Withdraw of its own after that of tip": {`"100"`, [][]any{{"balances.Withdraw", payer, "100"}, {"xTokens.Sent"}, withdraw, {"xTokens.Sent"}, ended("No")}, 100, 100, ""},
		"free, and yet the treasury was credited": {`"0"`, [][]any{withdraw, refund, credit, {"treasury.Deposit", "200"}, ended("No")}, 0, 0,
			"paysFee is No, but the treasury was credited"},
		"somebody else's Withdraw": {`"0"`, [][]any{{"balances.Withdraw", stranger, "1500"}, ended("Yes")}, 0, 0,
			"event balances.Withdraw is from 0x2000000000000000000000000000000000000002, but the signer is " + payer},
		"more given back than withdrawn": {`"0"`, [][]any{withdraw, {"balances.Deposit", payer, "1501"}, ended("Yes")}, 0, 0, "1500 wei withdrawn but 1501 refunded: overflow"},
	} {
		have, err := native.ReadCash(charged(t, c.tip, c.events...))
		if c.error != "" {
			require.EqualError(t, err, c.error, what)
			require.Zero(t, have, what)
			continue
		}
		require.NoError(t, err, what)
		require.Equal(t, payer, have.Payer.String(), what)
		require.Equal(t, chain.NewWei(c.fee), have.Fee, what)
		require.Equal(t, chain.Some(chain.NewWei(c.paid)), have.Tip, what)
	}
	x := charged(t, `"0"`, withdraw, ended("Yes"))
	for _, signed := range []*chain.Signed{{}, nil} {
		x.Signed = signed
		_, err := native.ReadCash(x)
		require.EqualError(t, err, "signature.signer: missing")
		tip, err := native.ReadTip(x)
		require.NoError(t, err)
		require.True(t, tip.IsZero())
	}
}

// If the runtime's extensions hide the tip, what was withdrawn is still the fee, of which the tip is unknown. A call that is
// free of fees pays only its tip, so nothing is known of it.
func TestReadCashWithAHiddenTip(t *testing.T) {
	withdraw, refund := []any{"balances.Withdraw", payer, "1500"}, []any{"balances.Deposit", payer, "500"}
	hide := func(x *chain.Extrinsic) *chain.Extrinsic {
		x.Signed.Tip = chain.MalformedValue(chain.UnreportedError("hidden"))
		return x
	}
	have, err := native.ReadCash(hide(charged(t, "", withdraw, refund, ended("Yes"))))
	require.NoError(t, err)
	require.Equal(t, chain.NewWei(1000), have.Fee)
	require.Equal(t, payer, have.Payer.String())
	require.False(t, have.Tip.Known())
	have, err = native.ReadCash(hide(charged(t, "", withdraw, refund, ended("No"))))
	require.EqualError(t, err, "tip: hidden")
	require.Zero(t, have)
	_, err = native.ReadTip(hide(charged(t, "")))
	var hidden chain.UnreportedError
	require.ErrorAs(t, err, &hidden)
}

func TestReadCashIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	amount := func() *big.Int {
		n := new(big.Int).SetUint64(r.Uint64())
		return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(r.Uint64())).Rsh(n, r.UintN(128))
	}
	for range 3000 {
		withdrawn, refund, tip := amount(), amount(), amount()
		x := charged(t, `"`+tip.String()+`"`, []any{"balances.Withdraw", payer, withdrawn.String()},
			[]any{"balances.Transfer", payer, stranger, "5"}, []any{"balances.Deposit", payer, refund.String()}, ended("Yes"))
		want := new(big.Int).Sub(withdrawn, refund)
		have, err := native.ReadCash(x)
		if want.Sign() < 0 || want.Cmp(tip) < 0 {
			require.Error(t, err)
			require.Zero(t, have)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%v %v", want, tip), fmt.Sprintf("%v %v", have.Fee, have.Tip))
	}
}
