package native_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/native"
)

func TestNativeFeeVectors(t *testing.T) {
	names := vectors.Names{Inputs: "data", Wanted: "payer fee tip error"}
	vectors.Run(t, "native-fee.txt", names, func(t *testing.T, v *vectors.Values) {
		x := &chain.Extrinsic{}
		if v.Input("data") != "none" {
			x = paid(t, v.Input("data"))
		}
		have, err := native.ReadFeePaid(x)
		if v.Wants("error") {
			v.Equal("error", errorName(err))
			require.Zero(t, have, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("payer", have.Payer)
		v.Equal("fee", have.Fee)
		v.Equal("tip", have.Tip)
	})
}

// paid returns an extrinsic with a TransactionFeePaid event for each data.
func paid(t testing.TB, data ...string) *chain.Extrinsic {
	t.Helper()
	x := &chain.Extrinsic{Signed: &chain.Signed{}}
	add := func(name, data string) { x.Events = append(x.Events, blocktest.Event(t, name, data)) }
	add("balances.Withdraw", `["0x", "1"]`)
	add("transactionPayment.Other", `["0x", "1", "1"]`)
	for _, d := range data {
		add("transactionPayment.TransactionFeePaid", d)
	}
	add("other.TransactionFeePaid", `["0x", "1", "1"]`)
	return x
}

// errorName returns the vectors' name for an error.
func errorName(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, chain.ErrMissing):
		return "missing"
	case strings.HasSuffix(text, "is more than 128 bits"):
		return "width"
	case strings.Contains(text, "exceeds the fee"):
		return "tip"
	default:
		return "malformed"
	}
}
