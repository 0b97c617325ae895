package native_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/native"
)

// The event of block 38 of the recording pairs/passet-1019002.
func TestAssetFeePaid(t *testing.T) {
	const (
		bob   = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
		asset = `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`
		good  = `["` + bob + `","388776","777",` + asset + `]`
	)
	for name, c := range map[string]struct {
		data  []string
		error string
	}{
		"once":          {[]string{good}, ""},
		"none":          {nil, "event assetTxPayment.AssetTxFeePaid: missing"},
		"twice":         {[]string{good, good}, "2 events assetTxPayment.AssetTxFeePaid, want one"},
		"no payer":      {[]string{`["bob","388776","777",` + asset + `]`}, `event assetTxPayment.AssetTxFeePaid: data[0]: `},
		"no amount":     {[]string{`["` + bob + `",{},"777",` + asset + `]`}, "event assetTxPayment.AssetTxFeePaid: data[1]: want a number, have an object"},
		"no tip":        {[]string{`["` + bob + `","1",null,` + asset + `]`}, "event assetTxPayment.AssetTxFeePaid: data[2]: missing"},
		"no asset":      {[]string{`["` + bob + `","1","0"]`}, "event assetTxPayment.AssetTxFeePaid: data[3]: missing"},
		"no values":     {[]string{`[]`}, "event assetTxPayment.AssetTxFeePaid: data[0]: missing"},
		"a large asset": {[]string{`["` + bob + `","1","0","` + long(2100) + `"]`}, "event assetTxPayment.AssetTxFeePaid: data[3]: the value is too long: want at most 2048 bytes"},
	} {
		x := blocktest.Extrinsic(t, "balances.transferKeepAlive", "{}", blocktest.Signed(bob))
		for _, data := range c.data {
			x.Events = append(x.Events, blocktest.Event(t, "assetTxPayment.AssetTxFeePaid", data))
		}
		require.Equal(t, len(c.data) > 0, native.HasAssetFeeEvent(&x), name)
		have, err := native.ReadAssetFeePaid(&x)
		if c.error != "" {
			require.ErrorContains(t, err, c.error, name)
			require.Zero(t, have, name)
			continue
		}
		require.NoError(t, err, name)
		payer, err := chain.ParseAccount(bob)
		require.NoError(t, err)
		require.Equal(t, payer, have.Payer)
		require.Equal(t, []string{asset, "388776", "777"}, []string{have.Asset, have.Amount.String(), have.Tip.String()})
	}
}

func long(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a'
	}
	return string(text)
}
