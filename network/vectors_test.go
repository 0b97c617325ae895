package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

func TestNetworkVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "static constant minimum_multiplier minimum_price correction capped multiplier_at certain note error",
	}
	vectors.Run(t, "networks.txt", names, func(t *testing.T, v *vectors.Values) {
		rules, err := vectors.Rules(t, v.Input("network"), v.Input("runtime"))
		if v.Wants("error") {
			want := map[string]error{
				"unknown-runtime":  network.ErrUnknownRuntime,
				"no-specification": network.ErrNoSpecification,
			}[v.Wanted("error")]
			require.NotNil(t, want, "%s: unknown error", v.Place())
			require.ErrorIs(t, err, want)
			require.Zero(t, rules)
			return
		}
		require.NoError(t, err, v.Place())
		if static, ok := rules.BaseFee.Static.Get(); ok {
			v.Equal("static", static)
			require.Zero(t, rules.BaseFee.Constant)
		} else {
			v.Equal("constant", rules.BaseFee.Constant)
			if v.Wants("minimum_multiplier") {
				v.Equal("minimum_multiplier", rules.BaseFee.MinMultiplier)
			} else {
				require.True(t, rules.BaseFee.MinMultiplier.IsZero(), v.Place())
			}
		}
		v.Equal("minimum_price", rules.MinGasPrice)
		v.Equal("correction", rules.WeightCorrection)
		v.EqualBool("capped", rules.PriceCapped)
		v.Equal("multiplier_at", rules.MultiplierAt)
		v.EqualBool("certain", rules.Certain)
		if v.Wants("note") || !rules.Certain {
			require.Len(t, rules.Notes, 1, v.Place())
		} else {
			require.Empty(t, rules.Notes, v.Place())
		}
		if v.Wants("note") {
			require.Equal(t, "yes", v.Wanted("note"))
		}
	})
}
