package scalejson_test

import (
	"fmt"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Encode a call in Sidecar's form to call data, and decode it again.
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
	runtime, err := metadata.Parse(text)
	if err != nil {
		log.Fatal(err)
	}

	call, err := jsonscan.Parse(`{"method":{"pallet":"balances","method":"transferKeepAlive"},` +
		`"args":{"dest":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","value":"100000000000000"}}`)
	if err != nil {
		log.Fatal(err)
	}
	encoded, err := scalejson.NewEncoder(runtime).Call(nil, call)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%#x\n", encoded)

	codec := scalejson.New(runtime)
	w := &scalejson.Writer{Reader: scale.NewReader(encoded)}
	if of := codec.Call(w); of != nil {
		fmt.Println(of.Method)
		codec.Arguments(w, of)
	}
	if err := w.End(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", w.Text)
	// Output:
	// 0x0a03f24ff3a9cf04c71dbc94d0b566f7a27b94566cac0b00407a10f35a
	// {"pallet":"balances","method":"transferKeepAlive"}
	// {"dest":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","value":"100000000000000"}
}
