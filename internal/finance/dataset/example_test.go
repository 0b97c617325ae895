package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// fill writes two blocks of the demo to a new ledger and seals them, like fees sync.
func fill(ctx context.Context, book *ledger.Book) error {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		return err
	}
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 24); err != nil {
		return err
	}
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}}
	for p, err := range prover.Range(ctx, chain.Heights{First: 24, Last: 25}, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return err
		}
		entry, err := ledger.NewEntry(p.Block, p.Report)
		if err != nil {
			return err
		}
		if err := book.Write(ctx, []*ledger.Entry{entry}); err != nil {
			return err
		}
	}
	_, err = book.Seal(ctx)
	return err
}

// Export the sealed months of a ledger as Parquet files. January is incomplete here.
func ExampleDataset_Export() {
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
	if err := fill(ctx, book); err != nil {
		log.Fatal(err)
	}

	path := filepath.Join(directory, "dataset")
	of := dataset.Chain{Network: "moonbeam", Token: console.Token{Symbol: "GLMR"}, Program: "example"}
	written, err := dataset.Open(path, of)
	if err != nil {
		log.Fatal(err)
	}
	defer written.Close()
	months, _, err := book.Months(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for i := range months {
		period, err := months[i].Period()
		if err != nil {
			log.Fatal(err)
		}
		has, err := book.Cover(ctx, period)
		if err != nil {
			log.Fatal(err)
		}
		outcome, manifest, err := written.Export(ctx, book, &months[i], has.Lacks, dataset.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(manifest.Month, outcome, "and whole:", manifest.Whole())
		for _, file := range manifest.Files {
			fmt.Println(file.Rows, "rows of", file.Table())
		}
	}
	found, err := dataset.Check(ctx, path, of, book, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found.Problems), "problems in", found.Files, "files")
	// Output:
	// 2026-01 written and whole: false
	// 2 rows of blocks
	// 6 rows of transactions
	// 28 rows of movements
	// 1 rows of transfers
	// 0 rows of unclassified
	// 0 problems in 5 files
}
