package gatewayclient_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/feeledger/fees/gatewayclient"
)

// Request the fee multiplier that a block stored, in units of 10^-18.
func Example() {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // yours
		fmt.Fprint(w, `{"at": {"hash": "0x1f0b5e5ca9bd9a3d1f3ac4ff37eef5b4f7ed9dbb5f9e4a6c0b6b9f3a7d0c5e21", "height": "24"},
			"pallet": "transaction-payment", "storageItem": "nextFeeMultiplier", "value": "999854223988196835"}`)
	}))
	defer gateway.Close()
	client, err := gatewayclient.New(gateway.URL, gatewayclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	multiplier, err := client.Multiplier(context.Background(), 24)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(multiplier.Value)
	// Output: 999854223988196835
}
