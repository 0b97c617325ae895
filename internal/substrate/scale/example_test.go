package scale_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// Read a compact integer and a text; check for an error once, at the end.
func ExampleReader() {
	encoded := scale.AppendBlob(scale.AppendCompact(nil, 2100), []byte("moonbeam"))
	r := scale.NewReader(encoded)
	version, name := r.CompactUint(), r.Text()
	if err := r.End(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(name, version)
	// Output: moonbeam 2100
}
