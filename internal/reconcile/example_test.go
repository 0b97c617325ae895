package reconcile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// fill writes block 25 of the demo to a new ledger, like fees sync.
func fill(ctx context.Context, book *ledger.Book) error {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		return err
	}
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 25); err != nil {
		return err
	}
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}}
	for p, err := range prover.Range(ctx, chain.Heights{First: 25, Last: 25}, chain.Optional[evidence.Predecessor]{}) {
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

// Compare a company's record of fees with a ledger. Two fees are right, one has two digits swapped, one was never paid, and
// one is missing from the record.
func ExampleMatch() {
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

	const record = `extrinsic,fee (wei)
25-4,2100000000000000
25-6,2096278556229452
25-7,5125236000000000
25-9,2100000000000000
`
	company, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	if err != nil {
		log.Fatal(err)
	}
	options := reconcile.Options{Accounts: []chain.Address{company}}
	file, err := reconcile.ReadFile(ctx, strings.NewReader(record), options)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	result, err := reconcile.MatchAll(ctx, book, []reconcile.Record{{Rows: file.Rows.All(), Options: options}})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	for _, sum := range result.Sums {
		if sum.Count > 0 {
			fmt.Println(sum.Outcome, sum.Count)
		}
	}
	for item, err := range result.Items() {
		if err != nil {
			log.Fatal(err)
		}
		if item.Outcome == reconcile.AmountDiffers {
			less, _ := item.Difference.Get()
			fmt.Println("line", item.Row.Line, "differs by", less, "wei")
		}
	}
	// Output:
	// matched 2
	// amount_differs 1
	// only_in_books 1
	// only_on_chain 1
	// line 4 differs by -90000000000000 wei
}
