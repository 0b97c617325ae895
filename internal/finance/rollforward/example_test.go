package rollforward_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/rollforward"
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

// write writes a block to a new ledger, like fees sync with all options.
func write(ctx context.Context, book *ledger.Book, src source.Source, height uint64) error {
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, height); err != nil {
		return err
	}
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}}
	for p, err := range prover.Range(ctx, chain.Heights{First: height, Last: height}, chain.Optional[evidence.Predecessor]{}) {
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
	return nil
}

// Derive an account's closing balance from its opening balance, line by line, in wei.
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
	if err := write(ctx, book, recorded, 25); err != nil {
		log.Fatal(err)
	}

	accounts, err := addressbook.Read(strings.NewReader("address,label\n0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Payroll\n"))
	if err != nil {
		log.Fatal(err)
	}
	made, err := rollforward.Make(ctx, book, rollforward.Request{
		Periods:  []rollforward.Period{{Name: "block 25", Span: chain.Heights{First: 25, Last: 25}}},
		Accounts: accounts,
		Balances: kept{recorded},
	})
	if err != nil {
		log.Fatal(err)
	}
	payroll := made.Columns[0]
	opening, _ := payroll.Opening.Get()
	fmt.Println("opening", opening.Free)
	lines, err := payroll.Lines()
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		if amount, known := line.Free.Get(); line.Count > 0 && known {
			fmt.Println(line.Line, amount)
		}
	}
	closing, _ := payroll.Closing.Get()
	fmt.Println("closing", closing.Free)
	fmt.Println("it holds:", made.Holds())
	// Output:
	// opening 997843903552000000000
	// received 100000000000000
	// sent -3000000000000000
	// fees -11511514556229452
	// closing 997829492037443770548
	// it holds: true
}
