package evm_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/network"
)

// A transfer of 21,000 gas in a block of Moonbeam with the lowest multiplier.
func ExampleFee() {
	rules := network.BaseFee{Constant: chain.NewGasPrice(31_250_000_000)}
	baseFee, err := evm.BaseFeePerGas(rules, chain.Some(chain.StoredMultiplier{At: 25, Value: chain.NewMultiplier(1_000_000_000_000_000_000)}))
	if err != nil {
		return
	}
	transaction := chain.Payload{
		Type:                 chain.EIP1559,
		MaxFeePerGas:         chain.NewGasPrice(60_000_000_000),
		MaxPriorityFeePerGas: chain.NewGasPrice(1_000_000_000),
	}
	price, err := evm.GasPrice(&transaction, baseFee, true)
	if err != nil {
		return
	}
	fee, err := evm.Fee(price, chain.NewRefTime(525_000_000), 0)
	fmt.Println(price, "wei per gas,", fee, "wei,", err)
	// Output: 32250000000 wei per gas, 677250000000000 wei, <nil>
}
