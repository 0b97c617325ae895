package prove_test

import (
	"context"
	"fmt"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Price and verify a range of blocks, each against its predecessor.
func ExampleProver_Range() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	prover := prove.Prover{
		Reader:      &source.Reader{Source: src, Tables: network.BuiltIn()},
		Options:     evidence.Options{Signatures: true},
		Concurrency: 2,
	}
	blocks, err := source.ParseRange("24..25")
	if err != nil {
		log.Fatal(err)
	}
	for block, err := range prover.Range(context.Background(), blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(block.Report.Report.Number, block.Report.Report.Totals.Fee, "wei, and it holds:", block.Report.Holds())
	}
	// Output:
	// 24 3123722000000000 wei, and it holds: true
	// 25 13562199740911341 wei, and it holds: true
}
