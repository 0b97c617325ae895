package ledger_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Store the demo's blocks in a new ledger, seal them, and verify that nothing was altered.
func Example() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	book, err := ledger.OpenWriter(ctx, filepath.Join(directory, "fees.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer book.Close()

	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}, Options: evidence.Options{Signatures: true}, Concurrency: 2}
	blocks, err := source.ParseRange("1..27")
	if err != nil {
		log.Fatal(err)
	}
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 1); err != nil {
		log.Fatal(err)
	}
	for block, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			log.Fatal(err)
		}
		entry, err := ledger.NewEntry(block.Block, block.Report)
		if err != nil {
			log.Fatal(err)
		}
		if err := book.Write(ctx, []*ledger.Entry{entry}); err != nil {
			log.Fatal(err)
		}
	}
	status, err := book.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	sealed, _ := status.Sealed.Get()
	damaged := 0
	if err := book.Verify(ctx, func(ledger.Damage) { damaged++ }, func(done, of uint64) {}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("sealed up to", sealed, "and damaged in", damaged, "places")
	// Output: sealed up to 27 and damaged in 0 places
}
