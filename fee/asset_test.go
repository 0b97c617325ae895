package fee_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

func TestAssetTotals(t *testing.T) {
	amount := func(n byte) chain.TokenAmount { return chain.TokenAmountOf([32]byte{31: n}) }
	var all fee.AssetTotals
	require.NoError(t, all.Add(&fee.AssetFee{Asset: "b", Amount: amount(5), Equivalent: chain.Some(chain.NewWei(7))}))
	require.NoError(t, all.Add(&fee.AssetFee{Asset: "a", Amount: amount(1), Equivalent: chain.Some(chain.NewWei(2))}))
	require.NoError(t, all.Add(&fee.AssetFee{Asset: "b", Amount: amount(6), Equivalent: chain.Some(chain.NewWei(8))}))
	inToken := func(w chain.Wei) string { return w.String() + " PAS" }
	require.Equal(t, []string{
		"1 fee was paid in an asset, and in no total: 1 of the asset a; 2 PAS were credited for it",
		"2 fees were paid in an asset, and in no total: 11 of the asset b; 15 PAS were credited for it",
	}, all.Notes(inToken))
	require.Equal(t, "1 of the asset a; 2 PAS were credited for it; and 11 of the asset b; 15 PAS were credited for it", all.Text(inToken))
	twice := append(fee.AssetTotals{}, all...)
	require.NoError(t, twice.Join(all))
	require.Equal(t, "2 of the asset a; 4 PAS were credited for it; and 22 of the asset b; 30 PAS were credited for it", twice.Text(inToken))
	require.Contains(t, twice.Notes(inToken)[1], "4 fees were paid in an asset")
	var none fee.AssetTotals
	require.Empty(t, none.Text(inToken))
	require.NoError(t, none.Join(all))
	require.Equal(t, all, none)
	require.NoError(t, all.Add(&fee.AssetFee{Asset: "a", Amount: amount(1)}))
	require.Contains(t, all.Notes(inToken)[0], "2 of the asset a; the equivalent is not known")

	most := [32]byte{}
	for i := range most {
		most[i] = 0xff
	}
	require.ErrorContains(t, all.Add(&fee.AssetFee{Asset: "b", Amount: chain.TokenAmountOf(most)}), "total of the fees in the asset b")
	require.ErrorContains(t, all.Join(fee.AssetTotals{{Asset: "b", Transactions: 1, Amount: chain.TokenAmountOf(most)}}), "total of the fees in the asset b")
	highest, err := chain.WeiOf([32]byte{16: 0xff, 17: 0xff, 18: 0xff, 19: 0xff, 20: 0xff, 21: 0xff, 22: 0xff, 23: 0xff, 24: 0xff, 25: 0xff, 26: 0xff, 27: 0xff, 28: 0xff, 29: 0xff, 30: 0xff, 31: 0xff})
	require.NoError(t, err)
	require.ErrorContains(t, all.Add(&fee.AssetFee{Asset: "b", Amount: amount(1), Equivalent: chain.Some(highest)}), "total of the fees in the asset b")
}

// The asset of a fee can be the token: nothing is swapped then, and the fee is one in the token. The transaction is 21-2 of
// the recording pairs/passet-1019002, which paid 36,112,413.
func TestTokenAsTheAsset(t *testing.T) {
	text, rules := hubText(t, "passet-1019002", 21)
	for what, c := range map[string]struct {
		amount    chain.Value
		tip       uint64
		fee, fail string
	}{
		"as recorded":     {chain.Uint64Value(36112413), 0, "36112413", ""},
		"with a tip":      {chain.Uint64Value(36112413), 13, "36112413", ""},
		"tip too high":    {chain.Uint64Value(5), 6, "-", "a tip of 6 wei exceeds the fee of 5 wei that includes it"},
		"amount too high": {chain.NumberValue([32]byte{0: 1}), 0, "-", "event assetTxPayment.AssetTxFeePaid"},
		"no amount":       {chain.Value{}, 0, "-", "data[1]: missing"},
	} {
		b, err := sidecar.DecodeBlock(text)
		require.NoError(t, err)
		events := b.Extrinsics[2].Events
		for i := range events {
			if e := &events[i]; e.Is("transactionPayment", "TransactionFeePaid") {
				e.Pallet, e.Name = "assetTxPayment", "AssetTxFeePaid"
				e.Data = chain.Values{e.Data[0], c.amount, chain.Uint64Value(c.tip), chain.TextValue(`{"parents":"1","interior":{"here":null}}`)}
			}
		}
		x := fee.Price(b, &rules, chain.Optional[chain.StoredMultiplier]{}).Transactions[0]
		require.Nil(t, x.AssetFee, what)
		require.Equal(t, c.fee, digits(x.Fee), what)
		if c.fail != "" {
			require.ErrorContains(t, x.Error, c.fail, what)
		} else {
			require.Equal(t, chain.Some(chain.NewWei(c.tip)), x.Tip, what)
		}
	}
}
