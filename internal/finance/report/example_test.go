package report_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/internal/finance/report"
)

// Ask for some transactions only, in the words of the command line.
func ExampleParseOnly() {
	only, err := report.ParseOnly([]string{"layer=evm", "status=reverted"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(only.Conditions())
	_, err = report.ParseOnly([]string{"status=lost"})
	fmt.Println(err)
	// Output:
	// [layer=evm status=reverted]
	// status=lost: there are succeeded, reverted, out_of_gas, failed
}
