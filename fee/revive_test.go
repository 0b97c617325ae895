package fee_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// hubText returns a recorded block of a chain with pallet revive, and the chain's rules.
func hubText(t *testing.T, name string, height int) (string, network.Rules) {
	t.Helper()
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "blocks", fmt.Sprintf("%d.json", height)))
	require.NoError(t, err)
	return string(text), pairs.HubRules(t, name)
}

func priceText(t *testing.T, text string, rules network.Rules, multiplier uint64) *fee.Report {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	stored := chain.Optional[chain.StoredMultiplier]{}
	if multiplier > 0 {
		stored = chain.Some(chain.StoredMultiplier{At: b.Number - 1, Value: chain.NewMultiplier(multiplier)})
	}
	return fee.Price(b, &rules, stored)
}

// Transactions of recorded blocks, with what sent.json beside them says that was sent and charged.
func TestPriceOfRevive(t *testing.T) {
	text, rules := hubText(t, "stack-template-3", 5)
	r := priceText(t, text, rules, 999926120180785523)
	require.True(t, r.Holds())
	require.Equal(t, "49996300000", digits(r.BaseFeePerGas))
	require.Equal(t, []int{6, 0, 2}, []int{r.Totals.EVM, r.Totals.Native, r.Totals.Inherents})
	require.EqualValues(t, 2, r.Totals.EVMFailed)
	var file struct {
		Sent []struct {
			Height, Index, Type                 int
			From, Payer, Hash, Charged, BaseFee string
			Nonce                               uint64
		}
	}
	sent, err := os.ReadFile(pairs.Path(t, "stack-template-3", "gateway", "sent.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(sent, &file))
	compared := 0
	for _, s := range file.Sent {
		if s.Height != 5 {
			continue
		}
		x := r.Transactions[compared]
		compared++
		require.Equal(t, s.Index, x.Index)
		require.Equal(t, []string{"evm", "revive.ethTransact", s.Hash, s.From, s.Payer, s.Charged, s.BaseFee, "0", fmt.Sprint(s.Nonce)},
			[]string{string(x.Layer), x.Call, digits(x.EVMHash), digits(x.From), digits(x.Payer), digits(x.Fee), digits(x.GasPrice), digits(x.PriorityFee), digits(x.Nonce)})
		require.False(t, x.Gas.Known(), "the fee does not follow from gas")
	}
	require.Equal(t, 6, compared)
	// The contract that the first one creates is in its event revive.Instantiated.
	require.Equal(t, "0x21cb3940e6ba5284e1750f1109131a8e8062b9f1", strings.ToLower(digits(r.Transactions[0].To)))
	require.Equal(t, []fee.Outcome{fee.Succeeded, fee.Reverted}, []fee.Outcome{outcomeOf(r, 0), outcomeOf(r, 2)})

	unknown := priceText(t, text, rules, 0)
	require.False(t, unknown.Transactions[0].GasPrice.Known(), "the multiplier is unknown")
	require.Equal(t, r.Totals.Fee, unknown.Totals.Fee)

	rules.EVM, rules.BaseFee = rule.NoEVM, network.BaseFee{None: true}
	require.False(t, priceText(t, text, rules, 999926120180785523).BaseFeePerGas.Known(), "without an EVM there is no base fee")
	require.Equal(t, []int{0, 6}, []int{priceText(t, text, rules, 0).Totals.EVM, priceText(t, text, rules, 0).Totals.Native})
}

func outcomeOf(r *fee.Report, i int) fee.Outcome {
	o, _ := r.Transactions[i].Outcome.Get()
	return o
}

// A part that cannot be read leaves the others; the fee needs the chain's statement.
func TestPriceOfReviveWithoutAPart(t *testing.T) {
	text, rules := hubText(t, "stack-template-3", 5)
	const paid = `"pallet":"transactionPayment","method":"TransactionFeePaid"`
	for what, c := range map[string]struct {
		from, to    string
		note, error string
	}{
		"no payload":   {`"args":{"payload":"0x`, `"args":{"other":"0x`, "args.payload: want a string of 0x and hex digits", ""},
		"no RLP":       {`"args":{"payload":"0x0`, `"args":{"payload":"0x7`, "args.payload: unknown transaction type", ""},
		"no fee event": {paid, strings.Replace(paid, "TransactionFeePaid", "Other", 1), "", "event transactionPayment.TransactionFeePaid: missing"},
		"no outcome":   {`"pallet":"system","method":"ExtrinsicSuccess"`, `"pallet":"system","method":"Other"`, "missing", ""},
	} {
		i := strings.Index(text, `"method":"ethTransact"`)
		require.Contains(t, text[i:], c.from, what)
		r := priceText(t, text[:i]+strings.Replace(text[i:], c.from, c.to, 1), rules, 999926120180785523)
		x := r.Transactions[0]
		require.Equal(t, c.error == "", x.Fee.Known(), what)
		if c.error != "" {
			require.ErrorContains(t, x.Error, c.error, what)
		} else {
			require.Contains(t, strings.Join(x.Notes, "\n"), c.note, what)
		}
		require.Equal(t, r.Totals.Undetermined == 0, c.error == "", what)
	}
}

// A native call signed by an Ethereum key has a note: its receipt says nothing of its fee. The recording has four.
func TestPriceOfSubstrateCall(t *testing.T) {
	calls := 0
	for height := range 38 {
		text, rules := hubText(t, "stack-template-3", height)
		for _, x := range priceText(t, text, rules, 0).Transactions {
			if strings.Contains(strings.Join(x.Notes, ""), "dispatched a native call") {
				calls++
				require.Equal(t, "0x6d6f646c70792f70616464720000000000000000", strings.ToLower(digits(x.To)))
			}
		}
	}
	require.Equal(t, 4, calls)
}

// A fee paid in an asset is 0 in the token, and in a total of its own.
func TestPriceOfAssetFee(t *testing.T) {
	text, rules := hubText(t, "passet-1019002", 39)
	const event = `"pallet":"balances","method":"Deposit"`
	last := strings.LastIndex(text, event)
	require.Positive(t, last)
	burned := text[:last] + strings.Replace(text[last:], event, `"pallet":"balances","method":"BurnedDebt"`, 1)
	burned = strings.Replace(burned, `["5EYCAe5cKPAoFh2HnQQvpKqRYZGqBpaA87u4Zzw89qPE58is","47459241"]`, `["47459241"]`, 1)
	for what, c := range map[string]struct{ text, amount, equivalent, error string }{
		"as recorded":   {text, "476690", "47459241", ""},
		"burned":        {burned, "476690", "47459241", ""},
		"no credit":     {text[:last] + strings.Replace(text[last:], event, `"pallet":"other","method":"Deposit"`, 1), "476690", "-", ""},
		"no amount":     {strings.Replace(text, `"47459241"]`, `"lots"]`, 1), "", "", "event balances.Deposit"},
		"burned a word": {strings.Replace(burned, `["47459241"]`, `["lots"]`, 1), "", "", "event balances.BurnedDebt: data[0]"},
		"no fee":        {strings.Replace(text, `"476690"`, `"lots"`, 1), "", "", "event assetTxPayment.AssetTxFeePaid: data[1]"},
	} {
		r := priceText(t, c.text, rules, 999850372560488321)
		require.Len(t, r.Transactions, 1, what)
		x := r.Transactions[0]
		if c.error != "" {
			require.ErrorContains(t, x.Error, c.error, what)
			require.Nil(t, x.AssetFee, what)
			require.Empty(t, r.AssetFees, what)
			continue
		}
		require.Equal(t, []string{"0", c.amount, c.equivalent}, []string{digits(x.Fee), x.AssetFee.Amount.String(), digits(x.AssetFee.Equivalent)}, what)
		require.Equal(t, fee.AssetTotals{{Asset: x.AssetFee.Asset, Transactions: 1, Amount: x.AssetFee.Amount, Equivalent: x.AssetFee.Equivalent}}, r.AssetFees, what)
	}
}

// Totals of two assets are apart, sorted, and unknown if a part is.
func TestTotalsOfAssetFees(t *testing.T) {
	text, rules := hubText(t, "passet-1019002", 39)
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	x := b.Extrinsics[2]
	other := x
	other.Events = append([]chain.Event{}, x.Events...)
	for i := range other.Events {
		if other.Events[i].Is("assetTxPayment", "AssetTxFeePaid") {
			data := append(chain.Values{}, other.Events[i].Data...)
			data[3] = chain.TextValue(`"1"`)
			other.Events[i].Data = data
			other.Events[i-1].Name = "Other"
		}
	}
	b.Extrinsics = append(b.Extrinsics, other, x)
	for i := range b.Extrinsics {
		b.Extrinsics[i].Index = i
	}
	r := fee.Price(b, &rules, chain.Optional[chain.StoredMultiplier]{})
	require.Len(t, r.AssetFees, 2)
	require.Equal(t, []string{`"1"`, "1", "476690", "-"}, totalOf(r.AssetFees[0]))
	require.Equal(t, []string{"2", "953380", "94918482"}, totalOf(r.AssetFees[1])[1:])
}

func totalOf(t fee.AssetTotal) []string {
	return []string{t.Asset, fmt.Sprint(t.Transactions), t.Amount.String(), digits(t.Equivalent)}
}

// digits returns a value, or "-".
func digits[T fmt.Stringer](v chain.Optional[T]) string {
	if value, known := v.Get(); known {
		return value.String()
	}
	return "-"
}
