package serve_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/serve"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// Serve a gateway before a node, here that of a made-up chain, and ask it.
func ExampleHandler() {
	ctx := context.Background()
	upstream := httptest.NewServer(chaingen.New(chaingen.Options{Head: 30}).Node())
	defer upstream.Close()
	node, err := rpc.New(upstream.URL, httpclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()
	server := httptest.NewServer(serve.Handler(node, "1.0.0"))
	defer server.Close()

	client, err := gatewayclient.New(server.URL, gatewayclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	head, err := client.FinalHead(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the newest final block is", head.Number)

	response, err := http.Get(server.URL + "/readyz")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, string(text))
	// Output:
	// the newest final block is 30
	// 200 ready
}
