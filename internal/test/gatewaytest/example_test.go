package gatewaytest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// Request a block from a gateway that is healthy, that returns a different block, and that returns web pages.
func ExampleHandler() {
	gateway := httptest.NewServer(gatewaytest.Handler("../../../testdata/recordings/moonbeam-2100"))
	defer gateway.Close()
	for _, path := range []string{"", "/other", "/html"} {
		client, err := gatewayclient.New(gateway.URL+path, gatewayclient.Options{})
		if err != nil {
			log.Fatal(err)
		}
		block, err := client.Block(context.Background(), 25)
		switch {
		case err == nil:
			fmt.Println("a block with", len(block.Extrinsics), "extrinsics")
		case errors.Is(err, chain.ErrWrongBlock):
			fmt.Println("another block")
		case errors.Is(err, httpclient.ErrNotJSON):
			fmt.Println("not JSON")
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// a block with 9 extrinsics
	// another block
	// not JSON
}
