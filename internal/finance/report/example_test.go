package report_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/internal/finance/report"
)

// Parse filters in the form of the command line.
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
	// status=lost is not valid; use one of succeeded, reverted, out_of_gas, failed
}
