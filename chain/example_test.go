package chain_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

func ExampleParseWei() {
	for _, text := range []string{"21000", "0x5208", "0x005208", "1.5", "0x100000000000000000000000000000000"} {
		fmt.Println(chain.ParseWei(text))
	}
	// Output:
	// 21000 <nil>
	// 21000 <nil>
	// 21000 <nil>
	// 0 "1.5" is not a non-negative integer
	// 0 0x100000000000000000000000000000000 is more than 128 bits
}

// A multiplier of 0.25 takes a quarter of a price, rounded down.
func ExampleMultiplier_Of() {
	quarter := chain.NewMultiplier(250_000_000_000_000_000)
	price, err := quarter.Of(chain.NewGasPrice(125_000_000_003))
	fmt.Println(price, err)
	// Output:
	// 31250000000 <nil>
}

// A price times gas is wei. A result that exceeds a balance is an error.
func ExampleGasPrice_Times() {
	price := chain.NewGasPrice(31_250_000_000)
	fmt.Println(price.Times(chain.NewGas(21_000)))

	absurd, err := chain.ParseGasPrice("0xffffffffffffffffffffffffffffffff")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(absurd.Times(chain.NewGas(2)))
	// Output:
	// 656250000000000 <nil>
	// 0 overflow
}

func ExampleAddress_String() {
	a, err := chain.ParseAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
	fmt.Println(a, err)
	// Output:
	// 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed <nil>
}
