package metadata_test

import (
	"fmt"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/internal/substrate/metadata"
)

// Parse the metadata of a runtime, and inspect their description of the chain's state.
func ExampleParse() {
	packed, err := os.ReadFile("../../test/chaingen/runtimes/moonbeam-2100.scale.zst") // as state_getMetadata gave them
	if err != nil {
		log.Fatal(err)
	}
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer unpacker.Close()
	text, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		log.Fatal(err)
	}
	runtime, err := metadata.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	version, _ := runtime.RuntimeVersion()
	fmt.Println(version.SpecName, version.SpecVersion)

	multiplier := runtime.Pallet("TransactionPayment").Entry("NextFeeMultiplier")
	fmt.Println("the fee multiplier is a", runtime.Describe(multiplier.Value))
	account := runtime.Pallet("System").Entry("Account")
	fmt.Println("accounts are found by their", runtime.Describe(account.Key))
	fmt.Println(runtime.Pallet("Timestamp").Entry("Then") == nil)
	// Output:
	// moonbeam 2100
	// the fee multiplier is a FixedU128
	// accounts are found by their AccountId20
	// true
}
