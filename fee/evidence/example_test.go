package evidence_test

import (
	"context"
	"fmt"
	"log"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Price a block, and verify its fees against the records of the chain.
func ExampleProve() {
	demo, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := &source.Reader{Source: demo, Tables: network.BuiltIn()}
	item, err := reader.Read(context.Background(), source.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	priced := fee.Price(item.Block, &item.Rules, item.Multiplier)
	proved := evidence.Prove(item.Block, priced, item.Rules, evidence.Options{Signatures: true})
	fmt.Println(proved.Totals.Drift, "drifts,", proved.Holds())
	// Output: 0 drifts, true
}
