package fees_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/feeledger/fees"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Price a block of the built-in demo.
func Example() {
	src, err := fees.Open("demo")
	if err != nil {
		log.Fatal(err)
	}
	block, err := src.Block(context.Background(), fees.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(block.Totals.Fee, "wei, and it holds:", block.Holds())
	// Output: 13562199740911341 wei, and it holds: true
}

// Price a range, each block compared with the one before.
func ExampleSource_Blocks() {
	src, err := fees.Open("demo")
	if err != nil {
		log.Fatal(err)
	}
	for block, err := range src.Blocks(context.Background(), 24, 25) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(block.Number, block.Totals.Fee, "wei")
	}
	// Output:
	// 24 3123722000000000 wei
	// 25 13562199740911341 wei
}

// Price the newest final block of a provider, with time limits and a key.
func ExampleOpenWith() {
	src, err := fees.OpenWith("https://gateway.example", fees.Options{Source: source.Options{Options: gatewayclient.Options{
		Timeout: 10 * time.Second, // one attempt
		Total:   time.Minute,      // one request with its retries
		RPS:     20,
		APIKey:  os.Getenv("FEES_API_KEY"),
	}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // everything
	defer cancel()
	block, err := src.Block(ctx, fees.Head)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(block.Number, block.Totals.Fee, "wei")
}

// Price a block that is at hand, with its rules and its multiplier. A reader has them.
func ExamplePrice() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := reader.Read(context.Background(), source.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	report := fees.Price(item.Block, &item.Rules, item.Multiplier)
	fmt.Println(report.Totals.Fee, "wei, by", report.Rules)
	// Output: 13562199740911341 wei, by moonbeam/2100
}

// A recording never gets another block, so the error does not pass.
func ExampleIsTransient() {
	src, err := fees.Open("demo")
	if err != nil {
		log.Fatal(err)
	}
	_, err = src.Block(context.Background(), fees.Height(99))
	fmt.Println(err)
	fmt.Println(fees.IsTransient(err))
	// Output:
	// demo: blocks/99.json: the archive lacks it; it contains blocks 3 to 27
	// false
}

// Stop if a fee of a block is unknown.
func ExampleUndetermined() {
	src, err := fees.Open("demo")
	if err != nil {
		log.Fatal(err)
	}
	block, err := src.Block(context.Background(), fees.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	var reason *fee.Error
	if errors.As(fees.Undetermined(block), &reason) {
		log.Fatalf("extrinsic %d: %v", reason.Extrinsic, reason.Err)
	}
	fmt.Println("all fees are known")
	// Output: all fees are known
}
