package source_test

import (
	"context"
	"fmt"
	"log"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Price one block of the built-in demo; a gateway's URL or a directory of
// recorded answers does as well.
func Example() {
	src, err := source.Open("demo", gatewayclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := reader.Read(context.Background(), source.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	report := fee.Price(item.Block, item.Rules, item.Multiplier)
	fmt.Println(report.Totals.Fee, "wei, by", report.Rules)
	// Output: 13562199740911341 wei, by moonbeam/2100
}
