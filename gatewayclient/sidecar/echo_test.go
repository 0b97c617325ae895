package sidecar_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// Every decoder of a storage item rejects a response that names another pallet, item or key than the request.
func TestStorageEcho(t *testing.T) {
	weights := `{"normal":{"refTime":"1","proofSize":"1"},"operational":{"refTime":"1","proofSize":"1"},"mandatory":{"refTime":"1","proofSize":"1"}}`
	for name, c := range map[string]struct {
		pallet, item, keys, value string
		decode                    func(string) error
	}{
		"multiplier": {"transactionPayment", "nextFeeMultiplier", `[]`, `"1"`, func(text string) error { _, err := sidecar.DecodeMultiplier(text); return err }},
		"weight":     {"system", "blockWeight", `[]`, weights, func(text string) error { _, err := sidecar.DecodeBlockWeight(text); return err }},
		"base fee":   {"baseFee", "baseFeePerGas", `[]`, `"1"`, func(text string) error { _, err := sidecar.DecodeBaseFee(text, "BaseFee.BaseFeePerGas"); return err }},
		"proportion": {"parameters", "parameters", `["0x0004"]`, `null`, func(text string) error { _, err := sidecar.DecodeProportion(text, "0x0004"); return err }},
		"any": {"transactionPayment", "nextFeeMultiplier", `["0xAB","7"]`, `null`, func(text string) error {
			_, err := sidecar.DecodeStorage(text, sidecar.StorageItem{Pallet: "transaction-payment", Name: "nextFeeMultiplier", Keys: []string{"0xab", "7"}})
			return err
		}},
	} {
		text := func(pallet, item, keys string) string {
			return fmt.Sprintf(`{"at":{"height":"1"},"pallet":%s,"storageItem":%s,"keys":%s,"value":%s}`, pallet, item, keys, c.value)
		}
		pallet, item := `"`+c.pallet+`"`, `"`+c.item+`"`
		require.NoError(t, c.decode(text(pallet, item, c.keys)), name)
		require.NoError(t, c.decode(`{"at":{"height":"1"},"value":`+c.value+`}`), "%s: a gateway may omit them", name)
		for _, other := range []string{`"balances"`, `""`, `null`, `7`} {
			require.ErrorContains(t, c.decode(text(other, item, c.keys)), "pallet: want ", "%s: %s", name, other)
			require.ErrorContains(t, c.decode(text(pallet, other, c.keys)), "storageItem: want ", "%s: %s", name, other)
		}
		for _, other := range []string{`["0x0005"]`, `["0xab"]`, `["7","0xab"]`, `["0xab","7","8"]`, `"0x0004"`, `{}`, `null`, `[null]`} {
			require.ErrorContains(t, c.decode(text(pallet, item, other)), "keys: want ", "%s: %s", name, other)
		}
	}
}

// A runtime's token is the first of the properties, in both forms that gateways write.
func TestRuntimeToken(t *testing.T) {
	for properties, want := range map[string]chain.Token{
		`{"tokenDecimals":["18","12"],"tokenSymbol":["GLMR","XC"]}`: {Symbol: "GLMR", Decimals: chain.Some[uint64](18)},
		`{"tokenDecimals":9,"tokenSymbol":"TAO"}`:                   {Symbol: "TAO", Decimals: chain.Some[uint64](9)},
		`{"tokenDecimals":null,"tokenSymbol":null}`:                 {},
		`{"tokenDecimals":[],"tokenSymbol":[]}`:                     {},
		`{}`:                                                        {},
	} {
		r, err := sidecar.DecodeRuntime(`{"at":{"height":"1"},"specName":"a","specVersion":"1","properties":` + properties + `}`)
		require.NoError(t, err, properties)
		require.Equal(t, want, r.Value.Token, properties)
	}
	_, err := sidecar.DecodeRuntime(`{"at":{"height":"1"},"specName":"a","specVersion":"1","properties":{"tokenDecimals":["x"]}}`)
	require.ErrorContains(t, err, "properties.tokenDecimals: ")
}
