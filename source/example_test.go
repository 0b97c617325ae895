package source_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Price one block of the built-in demo; a gateway's URL or a directory of
// recorded responses works the same way.
func Example() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := reader.Read(context.Background(), source.Height(25))
	if err != nil {
		log.Fatal(err)
	}
	report := fee.Price(item.Block, &item.Rules, item.Multiplier)
	fmt.Println(report.Totals.Fee, "wei, by", report.Rules)
	// Output: 13562199740911341 wei, by moonbeam/2100
}

// Price the blocks of a range.
func ExampleReader_Range() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	blocks, err := source.ParseRange("20..27")
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	for item, err := range reader.Range(context.Background(), blocks, 4) {
		if err != nil {
			log.Fatal(err)
		}
		report := fee.Price(item.Block, &item.Rules, item.Multiplier)
		fmt.Println(report.Number, report.Totals.Fee)
	}
	// Output:
	// 20 7071509516924623
	// 21 3054042434076503
	// 22 2164278873378556
	// 23 1349931686287872
	// 24 3123722000000000
	// 25 13562199740911341
	// 26 12009513929026543
	// 27 12183528043645049
}

// Price the blocks since block 25, then each new block as soon as it is final. A
// gateway's chain never ends; the demo's does.
func ExampleReader_Follow() {
	src, err := source.Open("demo", source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	options := source.FollowOptions{
		From:    chain.Some(uint64(25)),
		Trouble: func(err error) { log.Print("waiting: ", err) },
	}
	for item, err := range reader.Follow(context.Background(), source.Poll(src, 3*time.Second), options) {
		if err != nil {
			log.Fatal(err)
		}
		report := fee.Price(item.Block, &item.Rules, item.Multiplier)
		fmt.Println(report.Number, report.Totals.Fee)
	}
	// Output:
	// 25 13562199740911341
	// 26 12009513929026543
	// 27 12183528043645049
}
