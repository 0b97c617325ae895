package chain_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// The values of a report are read back from JSON, and print as people write them.
func TestValuesAreReadBack(t *testing.T) {
	amount, err := chain.ParseSignedWei("-5")
	require.NoError(t, err)
	at, err := chain.TimeAt(1_767_225_888_001)
	require.NoError(t, err)
	type values struct {
		Amount  chain.Optional[chain.SignedWei]
		Unknown chain.Optional[chain.Wei]
		At      chain.Time
		Gas     chain.Gas
		Token   chain.TokenAmount
		Nonce   chain.AuthorizationNonce
	}
	v := values{chain.Some(amount), chain.Optional[chain.Wei]{}, at, chain.NewGas(21_000), chain.TokenAmountOf([32]byte{31: 7}), chain.AuthorizationNonceOf([32]byte{31: 9})}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, `{"Amount":"-5","Unknown":null,"At":"2026-01-01T00:04:48.001Z","Gas":"21000","Token":"7","Nonce":"9"}`, string(text))
	var back values
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, v, back)
	require.Equal(t, "-5 unknown 2026-01-01T00:04:48.001Z 21000 7 9", fmt.Sprint(v.Amount, " ", v.Unknown, " ", v.At, " ", v.Gas, " ", v.Token, " ", v.Nonce))
	for _, wrong := range []string{`{"At":"2026-01-01T00:04:48.0001Z"}`, `{"At":"1969-12-31T00:00:00Z"}`, `{"At":"today"}`, `{"Gas":"-1"}`, `{"Amount":"--5"}`, `{"Token":"1.5"}`, `{"Nonce":"x"}`} {
		require.Error(t, json.Unmarshal([]byte(wrong), &back), wrong)
	}
}
