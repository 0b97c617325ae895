package demo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/feeledger/fees/internal/archive/demo"
)

// Ask the built-in archive for a block. It is a source of blocks as a gateway is.
func ExampleOpen() {
	recorded := demo.Open()
	first, last, err := recorded.Range()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("blocks", first, "to", last)
	block, err := recorded.Block(context.Background(), 25)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(block.Hash, "has", len(block.Extrinsics), "extrinsics")
	// Output:
	// blocks 3 to 27
	// 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f has 9 extrinsics
}
