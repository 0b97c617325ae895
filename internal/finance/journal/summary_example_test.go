package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
)

// A fee of 2.5 tokens becomes a journal for NetSuite.
func ExampleSummarise() {
	ctx := context.Background()
	accounts, err := chart.Read([]byte("# asset: 1510 Digital assets\naccount,department\n6810 Network fees,Treasury\n"))
	if err != nil {
		panic(err)
	}
	prices, err := money.Read([]byte("# source: Example Exchange\n2026-01-31,0.2315\n"), "EUR")
	if err != nil {
		panic(err)
	}
	fees := paymentsOf(&testing.T{}, fees{payment(&testing.T{}, 25, "2026-01-31T12:00:00Z", 1, "2500000000000000000")})
	j, err := journal.Summarise(ctx, fees, journal.Request{
		Format: journal.NetSuite, Placer: journal.Placer{Chart: accounts}, Prices: prices, By: journal.ByDay, Network: "moonbeam", Token: console.Token{Symbol: "GLMR"},
	})
	if err != nil {
		panic(err)
	}
	err = j.Write(ctx, func(_ int, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		fmt.Print(string(bytes.ReplaceAll(file.Bytes(), []byte("\r\n"), []byte("\n"))))
		return err
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// External ID,Date,Subsidiary,Currency,Memo,Account,Debit,Credit,Line Memo,Department,Class,Location
	// FEE-GLMR-20260131,01/31/2026,,EUR,moonbeam transaction fees 2026-01-31,6810 Network fees,0.58,,fees 2026-01-31: 2.500000000000000000 GLMR,Treasury,,
	// FEE-GLMR-20260131,01/31/2026,,EUR,moonbeam transaction fees 2026-01-31,1510 Digital assets,,0.58,fees 2026-01-31: 2.500000000000000000 GLMR,,,
}
