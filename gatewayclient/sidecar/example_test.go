package sidecar_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// Decode a gateway's response for the fee multiplier, in units of 10^-18. A malformed response is an error.
func ExampleDecodeMultiplier() {
	stored, err := sidecar.DecodeMultiplier(`{"at":{"hash":"0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f","height":"24"},` +
		`"pallet":"transactionPayment","palletIndex":"32","storageItem":"nextFeeMultiplier","value":"999854223988196835"}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.Value, "stored at block", stored.At)
	_, err = sidecar.DecodeMultiplier(`{"at":{"height":"24"},"value":null}`)
	fmt.Println(err != nil)
	// Output:
	// 999854223988196835 stored at block 24
	// true
}
