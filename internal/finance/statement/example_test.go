package statement_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// kept contains archived balances.
type kept struct{ *answers.Archive }

func (k kept) Balance(ctx context.Context, account chain.Address, at uint64) (chain.Balance, error) {
	b, err := k.Archive.Balance(ctx, account, chain.Some(at))
	return b.Value.Balance, err
}

// Prove an account's balance in some recorded blocks.
func ExampleMake() {
	ctx := context.Background()
	recorded, err := answers.OpenDirectory("../../../testdata/recordings/moonbeam-2100")
	if err != nil {
		log.Fatal(err)
	}
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
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 24); err != nil {
		log.Fatal(err)
	}
	prover := prove.Prover{Reader: &source.Reader{Source: recorded, Tables: network.BuiltIn()}, Concurrency: 2}
	before, err := prove.Before(ctx, prover.Reader, 24)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range prover.Range(ctx, chain.Heights{First: 24, Last: 26}, before) {
		if err != nil {
			log.Fatal(err)
		}
		entry, err := ledger.NewEntry(p.Block, p.Report)
		if err == nil {
			err = book.Write(ctx, []*ledger.Entry{entry})
		}
		if err != nil {
			log.Fatal(err)
		}
	}

	account, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	if err != nil {
		log.Fatal(err)
	}
	s, err := statement.Make(ctx, book, kept{recorded}, account, chain.Heights{First: 24, Last: 26}, statement.Options{Options: balances.Options{EveryBlock: true}})
	if err != nil {
		log.Fatal(err)
	}
	opening, _ := s.Opening.Get()
	closing, _ := s.Closing.Get()
	fmt.Println(opening.Free, "wei before,", closing.Free, "wei after,", s.Count, "lines")
	fmt.Println(s.Proof(console.Token{}))
	// Output:
	// 997843903552000000000 wei before, 997815633202984036868 wei after, 18 lines
	// proved to the wei: opening + movements = closing, and at 2 heights in between
}
