package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Serve a ledger and request the fees of a month from the API.
func ExampleHandler() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	place := filepath.Join(directory, "fees.db")
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	blocks, err := app.PeriodInput{Blocks: "24..25"}.ParseWanted()
	if err != nil {
		log.Fatal(err)
	}
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	if _, err := app.Sync(ctx, place, blocks, app.FillOptions{Reader: reader}); err != nil {
		log.Fatal(err)
	}
	d, err := app.Open(ctx, place, network.BuiltIn())
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()

	server := httptest.NewServer(web.Handler(web.Options{Ledgers: []web.Served{{Ledger: d, Network: "moonbeam"}}, Program: "example"}))
	defer server.Close()
	response, err := http.Get(server.URL + "/api/v1/report?period=2026-01&partial=1")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var report struct {
		Totals struct{ Fee string }
	}
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, report.Totals.Fee, "wei")
	// Output: 200 16685921740911341 wei
}
