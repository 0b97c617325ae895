package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
)

// A base fee that the chain stores is read from the node's state, and prices the transfer through the EVM. The item here
// is the number of the block. A base fee that the next block itself sets is not known before it.
func TestEstimateOfAStoredBaseFee(t *testing.T) {
	s := openSending(t)
	signer, call, arguments := s.transferred(t)
	estimated := func(item, at string) (*app.Estimate, error) {
		tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201, "first_fee_event": 1801,
			"rows": [{"from_runtime": 900, "base_fee_stored": {"pallet": "System", "item": "`+item+`", "at": "`+at+`"}, "source": "a test"}]}]}`))
		require.NoError(t, err)
		return app.EstimateCall(t.Context(), app.EstimateRequest{Node: s.client, Chain: s.stated, Tables: tables, Call: call, Arguments: arguments, From: signer})
	}
	e, err := estimated("Number", "parent")
	require.NoError(t, err)
	require.NotNil(t, e.EVM)
	require.Equal(t, []string{"21000", "6", "126000"}, []string{e.EVM.Gas.String(), e.EVM.BaseFeePerGas.String(), e.EVM.Fee.String()}, "block 6, and the gas of a plain transfer")
	total := e.Total
	e, err = estimated("Number", "block")
	require.NoError(t, err)
	require.Nil(t, e.EVM)
	require.Equal(t, total, e.Total)
	_, err = estimated("Nothing", "parent")
	require.ErrorContains(t, err, `has no storage item "Nothing"`)
	for _, item := range []string{"LastRuntimeUpgrade", "ParentHash"} { // no number, and one of 256 bits
		_, err = estimated(item, "parent")
		require.ErrorContains(t, err, "malformed prices", item)
		require.Equal(t, failure.Unanswered, app.KindOf(err), item)
	}
}
