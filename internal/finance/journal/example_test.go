package journal_test

import (
	"context"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
)

// Write the fees that an account paid for hledger.
func ExampleFeeJournal() {
	ctx := context.Background()
	book := bookOf(&testing.T{}, "moonbeam-2100") // of fees sync

	accounts, err := addressbook.Read(strings.NewReader("address,label\n0xC41C5F1123ECCd5ce233578B2e7ebd5693869d73,Payroll\n"))
	if err != nil {
		log.Fatal(err)
	}
	names, err := journal.NewNames(accounts)
	if err != nil {
		log.Fatal(err)
	}
	payroll, err := chain.ParseAddress("0xC41C5F1123ECCd5ce233578B2e7ebd5693869d73")
	if err != nil {
		log.Fatal(err)
	}
	block24 := chain.Some(chain.Heights{First: 24, Last: 24})
	payments, err := journal.Find(ctx, book, journal.Selection{Accounts: []chain.Address{payroll}, Period: ledger.Period{Heights: block24}, Span: block24})
	if err != nil {
		log.Fatal(err)
	}
	if count, _ := payments.Undetermined(); count > 0 {
		log.Fatal(count, " payments with unknown amounts")
	}
	fees, err := journal.FeeJournal(ctx, payments, journal.Request{Names: names, Token: console.Token{Symbol: "GLMR"}, Title: "Fees of block 24"})
	if err != nil {
		log.Fatal(err)
	}
	if err := fees.Write(context.Background(), os.Stdout, journal.HLedger); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ; Fees of block 24
	//
	// decimal-mark .
	// commodity 1000.000000000000000000 GLMR
	// account Assets:Payroll
	// account Expenses:Fees:EVM
	//
	// 2026-01-01 * (0x581621a9ef6a80c9c64b0d67f581c4c3f6687e66f030c555e9e56fa324e360eb) block 24-4 ethereum.transact
	//     ; time: 2026-01-01T00:04:36Z
	//     Expenses:Fees:EVM  0.003123722000000000 GLMR
	//     Assets:Payroll  -0.003123722000000000 GLMR
}
