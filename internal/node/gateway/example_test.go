package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// Ask a node what a gateway would be asked. Here it is the node of a made-up chain, which has a
// block every 12 seconds since the beginning of 2025.
func Example() {
	ctx := context.Background()
	server := httptest.NewServer(chaingen.New(chaingen.Options{Head: 30}).Node())
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()
	gateway := gateway.New(node)
	block, err := gatewayclient.Of(gateway).Block(ctx, 7) // reads what gateway.Answer says
	if err != nil {
		log.Fatal(err)
	}
	made, err := block.Time()
	if err != nil {
		log.Fatal(err)
	}
	if when, known := made.Get(); known {
		fmt.Println("block", block.Number, "was made at", when.Std().UTC().Format(time.RFC3339))
	}
	_, err = gateway.Get(ctx, "/blocks/31")
	fmt.Println("no block 31:", errors.Is(err, chain.ErrNoBlock))
	// Output:
	// block 7 was made at 2025-01-01T00:01:12Z
	// no block 31: true
}
