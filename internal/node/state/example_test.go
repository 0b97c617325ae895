package state_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// Look at what block 25 left behind: an item of the state, and a constant of its runtime. The node
// is that of a made-up chain, which has a block every 12 seconds since the beginning of 2025.
func Example() {
	ctx := context.Background()
	server := httptest.NewServer(chaingen.New(chaingen.Options{Head: 30}).Node())
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()
	view, err := state.Open(ctx, node, chain.Some[uint64](25), extrinsic.Token{})
	if err != nil {
		log.Fatal(err)
	}
	now, err := view.Query(ctx, "timestamp.now", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("now", now.Member("value").Raw(), "ms since 1970")
	multiplier, kind, err := view.Constant("transactionPayment.operationalFeeMultiplier")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("operationalFeeMultiplier", multiplier.Raw(), kind)
	// Output:
	// now "1735689888000" ms since 1970
	// operationalFeeMultiplier "5" u8
}
