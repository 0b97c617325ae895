package fee_test

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Compute the fees of a block of the built-in demo, recorded from a chain with
// the real runtime 2100 of Moonbeam.
func ExamplePrice() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := reader.Read(context.Background(), source.Height(25))
	if err != nil {
		fmt.Println(err)
		return
	}
	report := fee.Price(item.Block, &item.Rules, item.Multiplier)
	for _, transaction := range report.Transactions {
		paid, known := transaction.Fee.Get()
		if !known {
			fmt.Println(transaction.Error)
			continue
		}
		fmt.Println(transaction.Index, transaction.Layer, transaction.Call, paid)
	}
	fmt.Println(report.Rules, "block", report.Number, "total", report.Totals.Fee, "complete", report.Totals.Complete)
	// Output:
	// 4 evm ethereum.transact 2100000000000000
	// 5 evm ethereum.transact 2100000000000000
	// 6 native balances.transfer 2096278556229452
	// 7 evm ethereum.transact 5215236000000000
	// 8 native balances.transferKeepAlive 2050685184681889
	// moonbeam/2100 block 25 total 13562199740911341 complete true
}
