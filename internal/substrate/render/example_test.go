package render_test

import (
	"encoding/hex"
	"fmt"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Build Sidecar's response for an item of a chain's state from a node's data.
func ExampleRuntime_Item() {
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
	runtime, err := render.NewRuntime(said)
	if err != nil {
		log.Fatal(err)
	}

	now, err := runtime.Item("timestamp", "now", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ask state_getStorage for %#x\n", now.Place())
	stored, err := hex.DecodeString("c0cfe3769b010000") // from the node
	if err != nil {
		log.Fatal(err)
	}
	hash, err := chain.ParseHash("0x1dcb18a31352d7ac096d1ab1dc02063e1814c6787bc04c8c38aa6e20732782d7")
	if err != nil {
		log.Fatal(err)
	}
	json, err := now.Answer(render.At{Hash: hash, Height: 51}, stored)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(json))
	// Output:
	// ask state_getStorage for 0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb
	// {"at":{"hash":"0x1dcb18a31352d7ac096d1ab1dc02063e1814c6787bc04c8c38aa6e20732782d7","height":"51"},"pallet":"timestamp","palletIndex":"3","storageItem":"now","keys":[],"value":"1767226200000"}
}
