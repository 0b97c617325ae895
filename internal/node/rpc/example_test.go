package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// Ask a node what an extrinsic would cost, in wei.
func Example() {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // yours
		var question struct{ ID uint64 }
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
			panic(err)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{"weight":{"ref_time":525000000,"proof_size":0},"class":"normal","partialFee":"8742000000000000"}}`, question.ID)
	}))
	defer node.Close()

	client, err := rpc.New(node.URL, httpclient.Options{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	info, err := client.QueryInfo(context.Background(), "0x280403000be04ddc769b01", chain.Optional[chain.Hash]{})
	if err != nil {
		panic(err)
	}
	fmt.Println(info.PartialFee, "wei")
	// Output: 8742000000000000 wei
}

// This tells how far the chain is, until ctx ends.
func ExampleClient_SubscribeFinalizedHeads() {
	follow := func(ctx context.Context, client *rpc.Client) error {
		for header, err := range client.SubscribeFinalizedHeads(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(header.Number)
		}
		return ctx.Err()
	}
	_ = follow // needs a node
}
