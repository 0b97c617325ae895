package table_test

import (
	"log"
	"os"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// Write rows as CSV, with each amount exactly, in wei and in the token.
func ExampleWriteCSV() {
	rows := &table.Sheet{
		Name: "fees", Title: "Fees", Token: console.Token{Symbol: "GLMR"},
		Columns: []table.Column{{Name: "label"}, {Name: "fee", Kind: table.Wei}},
		Rows: func(yield func([]any, error) bool) {
			_ = yield([]any{"Payroll", chain.NewWei(5215236000000000)}, nil) &&
				yield([]any{"=SUM(A1)", chain.NewWei(1)}, nil) // no spreadsheet takes it for a formula
		},
	}
	if err := table.WriteCSV(os.Stdout, rows); err != nil {
		log.Fatal(err)
	}
	// Output:
	// label,fee,fee_token
	// Payroll,5215236000000000,0.005215236000000000
	// '=SUM(A1),1,0.000000000000000001
}
