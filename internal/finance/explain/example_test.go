package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Explain the fee of a transaction, step by step.
func ExampleMake() {
	ctx := context.Background()
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := reader.Read(ctx, source.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	report, err := prove.Block(ctx, &reader, item, evidence.Options{Signatures: true})
	if err != nil {
		log.Fatal(err)
	}
	explained := explain.Make(item, report, 7, string(reader.MultiplierAt))
	for _, step := range explained.Steps {
		fmt.Println(step.Name, "=", step.Result, step.Unit)
	}
	fmt.Println("it holds:", explained.Holds())
	// Output:
	// base fee per gas = 100000000000 wei per gas
	// gas price = 101000000000 wei per gas
	// gas = 51636 gas
	// fee = 5215236000000000 wei
	// priority fee = 51636000000000 wei
	// base part = 5163600000000000 wei
	// it holds: true
}
