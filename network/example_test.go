package network_test

import (
	"fmt"

	"github.com/feeledger/fees/network"
)

func ExampleNetwork_Rules() {
	moonbeam, ok := network.BuiltIn().Named("moonbeam")
	if !ok {
		return
	}
	for _, runtime := range []uint32{899, 2201, 3702, 9999} {
		rules, err := moonbeam.Rules(runtime)
		if err != nil {
			fmt.Println(err)
			continue
		}
		if static, ok := rules.BaseFee.Static.Get(); ok {
			fmt.Println(rules.Name, "static base fee of", static, "wei")
		} else {
			fmt.Println(rules.Name, "base fee of multiplier ×", rules.BaseFee.Constant, "wei, multiplier at the", rules.MultiplierAt)
		}
	}
	// Output:
	// unknown runtime: the table of moonbeam starts with runtime 900, but runtime 899 executed this block
	// moonbeam/2201 static base fee of 100000000000 wei
	// moonbeam/3702 base fee of multiplier × 31250000000 wei, multiplier at the parent
	// moonbeam/9999? base fee of multiplier × 31250000000 wei, multiplier at the parent
}

func ExampleTables_Find() {
	n, _, err := network.BuiltIn().Find(network.Identity{SpecName: "moonbase", Chain: "Moonbase Alpha"}, "")
	fmt.Println(n.Name, n.Symbol, err)
	_, _, err = network.BuiltIn().Find(network.Identity{SpecName: "moonbase"}, "moonbeam")
	fmt.Println(err)
	// Output:
	// moonbase DEV <nil>
	// conflicting networks: --network is moonbeam, but the gateway serves moonbase. Omit --network, or use a different gateway.
}
