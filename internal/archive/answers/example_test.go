package answers_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
)

// Keep a gateway's answers, read one again, and find out that a file was changed.
func Example() {
	ctx := context.Background()
	gateway := httptest.NewServer(answers.Handler(demo.Open())) // yours
	defer gateway.Close()
	client, err := gatewayclient.New(gateway.URL, gatewayclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	kept, err := answers.Record(ctx, client, directory, answers.RecordOptions{First: 25, Last: 25})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept", kept.LastHash)

	recorded, err := answers.OpenDirectory(directory)
	if err != nil {
		log.Fatal(err)
	}
	block, err := recorded.Block(ctx, 25)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("block 25 has", len(block.Extrinsics), "extrinsics")

	_, err = answers.Verify(ctx, directory, nil)
	fmt.Println("damaged:", errors.Is(err, answers.ErrDamaged))
	if err := os.WriteFile(filepath.Join(directory, "blocks", "25.json"), []byte("{}"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = answers.Verify(ctx, directory, nil)
	fmt.Println("damaged:", errors.Is(err, answers.ErrDamaged))
	// Output:
	// kept 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f
	// block 25 has 9 extrinsics
	// damaged: false
	// damaged: true
}
