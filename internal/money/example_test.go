package money_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

func Example() {
	list, err := money.Read([]byte(`# source: Example Exchange, daily close
date,EUR,USD
2026-01-01,0.2315,0.2718
2026-01-02,0.2289,0.2684
`), "EUR")
	if err != nil {
		panic(err)
	}
	fee, _ := chain.ParseWei("1786951749384991759") // 1.786951749384991759 of the token
	noon, _ := chain.TimeAt(1_767_268_800_000)      // 2026-01-01T12:00:00Z
	worth, _ := money.Value(list.Valuer(), fee, chain.Some(noon)).Get()
	fmt.Println(worth, worth.Currency(), worth.Exact())
	// Output: 0.41 EUR 0.4136793299826255922085
}
