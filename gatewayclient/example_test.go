package gatewayclient_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
)

// Request a block from a gateway, and the fee multiplier after it, in units of 10^-18.
func Example() {
	ctx := context.Background()
	gateway := httptest.NewServer(answers.Handler(demo.Open())) // yours
	defer gateway.Close()
	client, err := gatewayclient.New(gateway.URL, gatewayclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	block, err := client.Block(ctx, 24)
	if err != nil {
		log.Fatal(err)
	}
	multiplier, err := client.Multiplier(ctx, block.Number)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("block", block.Number, "has", len(block.Extrinsics), "extrinsics and leaves", multiplier.Value, "behind")
	// Output: block 24 has 5 extrinsics and leaves 999854223988196835 behind
}
