package proofs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// Keep some blocks of a node, here that of a made-up chain, and prove them by the hash of the last
// one: trusting it is enough to trust the others.
func Example() {
	ctx := context.Background()
	made := chaingen.New(chaingen.Options{Head: 5, Rooted: true})
	server := httptest.NewServer(made.Node())
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	directory = filepath.Join(directory, "archive")
	if _, err := proofs.Record(ctx, proofs.FromNode(node), directory, proofs.RecordOptions{First: 2, Last: 4}); err != nil {
		log.Fatal(err)
	}

	trusted := chain.Anchor{Height: 4, Hash: made.Hash(4)} // noted elsewhere
	verified, err := proofs.Verify(ctx, directory, chain.Some(trusted), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(verified.Proved, "blocks are proved")
	trusted.Hash = made.Hash(3)
	_, err = proofs.Verify(ctx, directory, chain.Some(trusted), nil)
	fmt.Println("damaged, by another hash:", errors.Is(err, proofs.ErrDamaged))
	// Output:
	// 3 blocks are proved
	// damaged, by another hash: true
}
