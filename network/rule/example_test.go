package rule_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// The treasury of Moonbeam received 20 % of each fee in runtime 2100; the rest was burned.
func ExampleShare_Split() {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	rules, err := moonbeam.Rules(2100)
	if err != nil {
		fmt.Println(err)
		return
	}
	destinations, known := rules.Destinations.Get()
	if !known {
		return
	}
	parts, err := destinations.EVMBase.Split(chain.NewWei(21_000), chain.Optional[chain.Perbill]{})
	fmt.Println(parts.Burned, "burned,", parts.Treasury, "to the treasury", err)
	// Output:
	// 16800 burned, 4200 to the treasury <nil>
}
