package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Add up a month, prove an account's statement, and explain one fee.
func january(ctx context.Context, place, account string, src source.Source) error {
	tables := network.BuiltIn()
	d, err := app.Open(ctx, place, tables) // such as fees.db, which fees sync fills
	if err != nil {
		return err
	}
	defer d.Close()
	period, err := app.PeriodInput{Month: "2026-01", Partial: true}.Parse()
	if err != nil {
		return err
	}
	accounts, labels, err := app.ReadAccounts([]string{account}, nil) // or the path of a file
	if err != nil {
		return err
	}
	fees, err := d.Report(ctx, app.Request{Period: period}, report.Choice{By: report.Day})
	if err != nil {
		return err
	}
	fmt.Println("fees:", fees.Totals.Fee, "wei")
	list, err := d.Statements(ctx, app.StatementRequest{Request: app.Request{Period: period, Accounts: accounts, Labels: labels}, Balances: src})
	if err != nil {
		return err
	}
	fmt.Println("opening + movements = closing:", list.Holds())
	which, err := app.ParseTransactionRef("25-7", "")
	if err != nil {
		return err
	}
	explained, err := app.Explain(ctx, &source.Reader{Source: src, Tables: tables}, which)
	if err != nil {
		return err
	}
	for _, step := range explained.Steps {
		fmt.Println(step.Name, "=", step.Formula, "=", step.Result, step.Unit)
	}
	return nil
}

// A front end fills a ledger, asks its questions, and shows what an error means.
func Example() {
	ctx := context.Background()
	directory, _ := os.MkdirTemp("", "fees-")
	defer os.RemoveAll(directory)
	place := filepath.Join(directory, "fees.db")
	const account = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

	src, _ := source.Open("../../testdata/recordings/moonbeam-2100", source.Options{})
	err := january(ctx, place, account, src)
	fmt.Println(app.KindOf(err)) // there is no ledger yet

	blocks, _ := app.PeriodInput{Blocks: "0..27"}.ParseWanted()
	if _, err := app.Sync(ctx, place, blocks, app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}}); err != nil {
		fmt.Println(err)
	}
	if err := january(ctx, place, account, src); err != nil {
		fmt.Println(err)
	}
	err = january(ctx, place, "0x12", src)
	fmt.Println(app.KindOf(err))
	// Output:
	// not found
	// fees: 1786951749384991759 wei
	// opening + movements = closing: true
	// base fee per gas = static base fee = 100000000000 wei per gas
	// gas price = gasPrice = 101000000000 wei per gas
	// gas = floor(weight / 25000) = 51636 gas
	// fee = floor(gas price × weight / 25000) = 5215236000000000 wei
	// priority fee = gas × (gas price − base fee per gas) = 51636000000000 wei
	// base part = fee − priority fee = 5163600000000000 wei
	// not understood
}
