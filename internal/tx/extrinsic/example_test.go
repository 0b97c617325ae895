package extrinsic_test

import (
	"fmt"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
)

// Build a transfer according to a runtime's metadata, sign it, and encode it. It is extrinsic 8 of block 25 of
// the recorded chain.
func Example() {
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
	said, err := metadata.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	runtime, err := extrinsic.NewRuntime(said, extrinsic.Token{Symbol: "GLMR", Decimals: 18})
	if err != nil {
		log.Fatal(err)
	}

	call, err := runtime.Call("balances.transferKeepAlive", []string{"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0.0001GLMR"})
	if err != nil {
		log.Fatal(err)
	}
	genesis, err := chain.ParseHash("0x4545454545454545454545454545454545454545454545454545454545454545")
	if err != nil {
		log.Fatal(err)
	}
	beside := &extrinsic.Signing{Nonce: chain.NewNonce(5), Birth: genesis, Genesis: genesis, SpecVersion: 2100, TransactionVersion: 2}
	payload, err := runtime.Payload(call, beside)
	if err != nil {
		log.Fatal(err)
	}
	key, err := keys.FromMnemonic([]byte("bottom drive obey lake curtain smoke basket hold race lonely fit walk"), "", 1)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Wipe()
	signature, err := key.Sign(extrinsic.Digest(payload))
	if err != nil {
		log.Fatal(err)
	}
	sent, err := runtime.Encode(call, beside, key.Address(), signature)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("call %#x\n", call)
	fmt.Println("sent by", key.Address(), "as", extrinsic.Hash(sent))
	// Output:
	// call 0x0a03f24ff3a9cf04c71dbc94d0b566f7a27b94566cac0b00407a10f35a
	// sent by 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 as 0xc8115da16e7af8b96be455c6169331b5e3cf15ec2c6d72356d02f2b8db0b8144
}
