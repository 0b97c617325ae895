package desk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/report"
	"github.com/feeledger/fees/source"
)

// A front asks for a report, a statement and the explanation of one fee, and tells its
// user what an error means.
func Example() {
	ctx, tables := context.Background(), network.BuiltIn()
	directory, _ := os.MkdirTemp("", "fees-")
	defer os.RemoveAll(directory)
	place := filepath.Join(directory, "fees.db")
	demo, _ := source.Open("demo", ask.Options{})
	reader := &source.Reader{Source: demo, Tables: tables}
	blocks, _ := desk.WantedInput{Blocks: "0..27"}.Parse()
	if _, err := desk.Sync(ctx, place, blocks, desk.FillOptions{Reader: reader}); err != nil {
		fmt.Println(err)
	}
	d, err := desk.Open(ctx, place, tables)
	if err != nil {
		fmt.Println(desk.KindOf(err), err) // not found, busy, damaged
		return
	}
	defer d.Close()

	period := desk.Heights(1, 27)
	fees, _ := d.Report(ctx, desk.ReportQuestion{Period: period, By: report.Day})
	fmt.Println(fees.Totals.EVM, "EVM and", fees.Totals.Native, "native transactions paid", fees.Totals.Fee, "wei")

	alith, _ := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	made, _ := d.Statements(ctx, desk.StatementQuestion{Period: period, Accounts: []chain.Address{alith}})
	for _, paid := range made.List[0].Fees {
		fmt.Println("alith paid", paid.Charged, "wei for", paid.Transactions, paid.Layer, "transactions")
	}

	which, _ := desk.ParseTransactionRef("25-7", "")
	bill, _ := desk.Explain(ctx, reader, which)
	fmt.Println("the fee of 25-7 is", bill.Steps[3].Result, "=", bill.Steps[3].Formula)

	_, err = d.Report(ctx, desk.ReportQuestion{Period: desk.Heights(1, 99), By: report.Day})
	fmt.Println(desk.KindOf(err))
	// Output:
	// 55 EVM and 29 native transactions paid 1786951749384991759 wei
	// alith paid 81406733777070000 wei for 15 evm transactions
	// alith paid 6292917555565561 wei for 3 native transactions
	// the fee of 25-7 is 5215236000000000 = floor(gas price × weight / 25000)
	// not covered
}
