package fee_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

func TestClassify(t *testing.T) {
	paid := []chain.Event{{Pallet: "transactionPayment", Name: "TransactionFeePaid"}}
	executed := []chain.Event{{Pallet: "ethereum", Name: "Executed"}}
	for name, c := range map[string]struct {
		x    chain.Extrinsic
		want fee.Layer
	}{
		"ethereum.transact":                {chain.Extrinsic{Pallet: "ethereum", Call: "transact"}, fee.EVM},
		"ethereum.transact that is signed": {chain.Extrinsic{Pallet: "ethereum", Call: "transact", Signed: &chain.Signed{}}, fee.EVM},
		"ethereum.transact that paid":      {chain.Extrinsic{Pallet: "ethereum", Call: "transact", Events: paid}, fee.EVM},
		"another call of ethereum":         {chain.Extrinsic{Pallet: "ethereum", Call: "transactions", Signed: &chain.Signed{}}, fee.Native},
		"transact of another pallet":       {chain.Extrinsic{Pallet: "ethereumXcm", Call: "transact", Signed: &chain.Signed{}, Events: executed}, fee.Native},
		"upper case is another pallet":     {chain.Extrinsic{Pallet: "Ethereum", Call: "transact"}, fee.Inherent},
		"signed":                           {chain.Extrinsic{Pallet: "balances", Call: "transfer", Signed: &chain.Signed{}}, fee.Native},
		"signed without a fee event":       {chain.Extrinsic{Pallet: "evm", Call: "call", Signed: &chain.Signed{}, Events: executed}, fee.Native},
		"unsigned that paid":               {chain.Extrinsic{Pallet: "crowdloan", Call: "claim", Events: paid}, fee.Native},
		"unsigned":                         {chain.Extrinsic{Pallet: "timestamp", Call: "set"}, fee.Inherent},
		"unsigned that ran EVM code":       {chain.Extrinsic{Pallet: "parachainSystem", Call: "setValidationData", Events: executed}, fee.Inherent},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, fee.Classify(&c.x, rule.Frontier)) })
	}
}

// Call names combine pallet and call, even if one equals a part of an EVM transaction's call.
func TestCallNames(t *testing.T) {
	for _, c := range [][2]string{{"ethereumXcm", "transact"}, {"ethereum", "transactions"}, {"balances", "transferAllowDeath"}} {
		b := decoded(t, good(t))
		x := &b.Extrinsics[3]
		require.Equal(t, fee.Native, fee.Classify(x, rule.Frontier))
		x.Pallet, x.Call = c[0], c[1]
		rules := runtimeRules(t, "moonbeam", 3702)
		report := fee.Price(b, &rules, stored(t, number(unit), b.Number, network.AtParent))
		i := slices.IndexFunc(report.Transactions, func(x fee.Transaction) bool { return x.Index == 3 })
		require.Equal(t, c[0]+"."+c[1], report.Transactions[i].Call)
	}
}

func ExampleClassify() {
	for _, x := range []chain.Extrinsic{
		{Pallet: "timestamp", Call: "set"},
		{Pallet: "ethereum", Call: "transact"},
		{Pallet: "balances", Call: "transferKeepAlive", Signed: &chain.Signed{}},
		{Pallet: "ethereumXcm", Call: "transact", Signed: &chain.Signed{}},
	} {
		fmt.Println(x.Pallet+"."+x.Call, fee.Classify(&x, rule.Frontier))
	}
	// Output:
	// timestamp.set inherent
	// ethereum.transact evm
	// balances.transferKeepAlive native
	// ethereumXcm.transact native
}
