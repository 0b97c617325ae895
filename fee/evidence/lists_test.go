package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// A wrong row fails only checks on its list: other failed checks would be reported as faults of the chain.
func TestAWrongRowBreaksChecksOfItsList(t *testing.T) {
	h := load(t, 2100)
	right := h.rules
	for name, c := range map[string]struct {
		list   string
		change func(*network.Rules)
	}{
		"base fee":                 {rule.PriceList, func(r *network.Rules) { r.BaseFee.Static = chain.Some(chain.NewGasPrice(99_999_999_999)) }},
		"a higher base fee":        {rule.PriceList, func(r *network.Rules) { r.BaseFee.Static = chain.Some(chain.NewGasPrice(200_000_000_000)) }},
		"weight per gas":           {rule.PriceList, func(r *network.Rules) { r.WeightPerGas = 25_001 }},
		"half the weight per gas":  {rule.PriceList, func(r *network.Rules) { r.WeightPerGas = 12_500 }},
		"twice the weight per gas": {rule.PriceList, func(r *network.Rules) { r.WeightPerGas = 50_000 }},
		"weight correction":        {rule.PriceList, func(r *network.Rules) { r.WeightCorrection = chain.NewRefTime(25_000) }},
		"uncapped":                 {rule.PriceList, func(r *network.Rules) { r.PriceCapped = false }},
		"destinations": {rule.DestinationList, func(r *network.Rules) {
			d, _ := r.Destinations.Get()
			d.EVMBase = "treasury_21"
			r.Destinations = chain.Some(d)
		}},
		"native's destination": {rule.DestinationList, func(r *network.Rules) {
			d, _ := r.Destinations.Get()
			d.NativeBase = rule.Burned
			r.Destinations = chain.Some(d)
		}},
		"treasury": {rule.DestinationList, func(r *network.Rules) { r.Treasury = chain.Some(chain.Address20([20]byte{1})) }},
		"adjustment": {rule.MultiplierUpdateList, func(r *network.Rules) {
			u, _ := r.Update.Get()
			u.Adjustment = chain.NewMultiplier(30_000_000_000_001)
			r.Update = chain.Some(u)
		}},
		"size of a block": {rule.MultiplierUpdateList, func(r *network.Rules) {
			u, _ := r.Update.Get()
			u.MaxRefTime = chain.NewRefTime(4_000)
			r.Update = chain.Some(u)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h.rules = right
			c.change(&h.rules)
			broken := map[string]bool{}
			for _, r := range h.all(t, thorough) {
				for _, f := range r.Findings {
					if f.Check == "block.time" && f.Block == 2 {
						continue // recorded like that
					}
					broken[evidence.ListOf(f.Check)] = true
					require.NotEmpty(t, evidence.ListOf(f.Check), f.String())
				}
			}
			require.True(t, broken[c.list], "%v", broken)
		})
	}
}

// Data that a check requires of a list is in the list that it is about.
func TestListsOfChecks(t *testing.T) {
	whole := network.Rules{
		Runtime: chain.Some(uint32(1)), MultiplierAt: network.AtParent, Treasury: chain.Some(chain.Address20([20]byte{1})),
		Verification: rule.Verification{
			Update:        chain.Some(rule.MultiplierUpdate{MaxRefTime: chain.NewRefTime(500_000_000_000)}),
			BaseFeeUpdate: chain.Some(rule.BaseFeeUpdate{}),
			NativeFee:     chain.Some(rule.NativeFee{}), ExistentialDeposit: chain.Some(chain.Wei{}),
		},
	}
	whole.BaseFee.Stored = chain.Some(rule.StoredBaseFee{})
	static, noUpdate, noBaseFeeUpdate, noNativeFee, noDeposit := whole, whole, whole, whole, whole
	static.BaseFee.Static = chain.Some(chain.NewGasPrice(1))
	noUpdate.Update = chain.Optional[rule.MultiplierUpdate]{}
	noBaseFeeUpdate.BaseFeeUpdate = chain.Optional[rule.BaseFeeUpdate]{}
	noNativeFee.NativeFee = chain.Optional[rule.NativeFee]{}
	noDeposit.ExistentialDeposit = chain.Optional[chain.Wei]{}
	needs := map[string]int{}
	about := map[string]int{}
	for _, c := range evidence.Checks() {
		if c.ID == "block.weighed" {
			continue // a row can decide whether it is made, but not its result
		}
		revive := whole
		revive.EVM = rule.Revive
		require.True(t, c.WhyNot(&whole) == "" || c.WhyNot(&revive) == "", c.ID)
		for list, without := range map[string]*network.Rules{
			rule.PriceList: &static, rule.MultiplierUpdateList: &noUpdate, rule.BaseFeeUpdateList: &noBaseFeeUpdate, rule.NativeFeeList: &noNativeFee, rule.ExistentialDepositList: &noDeposit,
		} {
			if c.WhyNot(without) != "" && c.WhyNot(&whole) == "" {
				needs[list]++
				require.Equal(t, list, evidence.ListOf(c.ID), c.ID)
			}
		}
		if evidence.ListOf(c.ID) != "" {
			about[evidence.ListOf(c.ID)]++
		}
	}
	require.Equal(t, map[string]int{rule.PriceList: 1, rule.MultiplierUpdateList: 2, rule.BaseFeeUpdateList: 1, rule.NativeFeeList: 1, rule.ExistentialDepositList: 1}, needs)
	require.Equal(t, map[string]int{
		rule.PriceList: 6, rule.DestinationList: 2, rule.MultiplierUpdateList: 2, rule.BaseFeeUpdateList: 1, rule.NativeFeeList: 2, rule.ExistentialDepositList: 1,
	}, about, "each that a list names is a check")
	require.Empty(t, evidence.ListOf("block.parent"))
}

// A price follows the base fee if another base fee would change it.
func TestFollowsBaseFee(t *testing.T) {
	const r, s = `"r":"0x0000000000000000000000000000000000000000000000000000000000000001"`, `"s":"0x0000000000000000000000000000000000000000000000000000000000000001"`
	const rest = `"nonce":"1","gasLimit":"21000","action":{"call":"0x1000000000000000000000000000000000000001"},"value":"0","input":"0x"`
	const signed = `"chainId":"1284","accessList":[],"oddYParity":true,` + r + `,` + s + `,` + rest
	bids := map[string]string{
		"legacy":  `{"legacy":{"gasPrice":"110","signature":{"v":"2604",` + r + `,` + s + `},` + rest + `}}`,
		"eip2930": `{"eip2930":{"gasPrice":"110",` + signed + `}}`,
		"eip1559": `{"eip1559":{"maxPriorityFeePerGas":"10","maxFeePerGas":"110",` + signed + `}}`,
		"none":    `{"eip1559":{}}`,
	}
	for _, c := range []struct {
		bid      string
		price    uint64
		uncapped bool
		want     bool
	}{
		{"legacy", 110, false, false},
		{"legacy", 110, true, false},
		{"eip2930", 110, false, false},
		{"eip1559", 109, false, true},
		{"eip1559", 110, false, false}, // its maxFeePerGas
		{"eip1559", 110, true, true},   // the base fee is 100
		{"eip1559", 160, true, true},   // it paid more than its maxFeePerGas
		{"none", 109, false, false},
	} {
		x := *transact(t, bids[c.bid])
		priced := evidence.Transaction{Transaction: &fee.Transaction{Layer: fee.EVM, GasPrice: chain.Some(chain.NewGasPrice(c.price))}}
		rules := network.Rules{PriceCapped: !c.uncapped}
		require.Equal(t, c.want, priced.FollowsBaseFee(&x, &rules), "%+v", c)
		priced.GasPrice = chain.Optional[chain.GasPrice]{}
		require.False(t, priced.FollowsBaseFee(&x, &rules), "it has no price")
	}
	require.False(t, (&evidence.Transaction{Transaction: &fee.Transaction{Layer: fee.Native}}).FollowsBaseFee(&chain.Extrinsic{}, &network.Rules{}))
}

// A passed check proves a row as often as no other row would have let it pass.
func TestProves(t *testing.T) {
	h := load(t, 2100)
	type proof struct {
		held   int
		whyNot string
	}
	proofs := func(r *evidence.Report, height int) map[string]proof {
		list := map[string]proof{}
		b := decoded(t, h.blocks[height])
		for _, c := range evidence.Checks() {
			held, whyNot := r.Proves(&c, b)
			if held > 0 || whyNot != "" {
				list[c.ID] = proof{held, whyNot}
			}
		}
		return list
	}
	reports := h.all(t, thorough)
	following, natives, evm := 0, 0, 0
	for height, r := range reports[1:] {
		p := proofs(r, height+1)
		following += p["evm.cash"].held
		evm += p["evm.split"].held
		natives += p["native.split"].held
		require.Equal(t, proof{1, ""}, p["block.multiplier"])
		for _, id := range []string{"block.base_fee", "evm.weight", "evm.gas", "evm.price", "block.weight", "block.parent"} {
			require.NotContains(t, p, id, "it holds with many a row")
		}
	}
	// In the recorded payloads, of 55 EVM and 29 native transactions, 8 pay base fee and priority fee, and less
	// than their maxFeePerGas.
	require.Equal(t, []int{8, 55, 29}, []int{following, evm, natives})

	const named = "no transaction's price follows the base fee: each states its whole price, or pays its maxFeePerGas"
	require.Equal(t, proof{0, named}, proofs(reports[10], 10)["evm.cash"])

	// A multiplier at its minimum or maximum follows from many rows.
	right := h.rules
	update, _ := right.Update.Get()
	multiplier, known := reports[6].Multiplier.Get() // block 5 stored it
	require.True(t, known)
	least, highest, constant := update, update, rule.MultiplierUpdate{Constant: chain.Some(multiplier.Value)}
	least.Minimum = multiplier.Value
	highest.Maximum = chain.Some(multiplier.Value)
	for _, c := range []struct {
		update rule.MultiplierUpdate
		want   proof
	}{
		{least, proof{0, "the multiplier stays at its minimum or maximum"}},
		{highest, proof{0, "the multiplier stays at its minimum or maximum"}},
		{constant, proof{1, ""}},
		{update, proof{1, ""}},
	} {
		h.rules = right
		h.rules.Update = chain.Some(c.update)
		parent, err := stored(h.multipliers[4])
		require.NoError(t, err)
		p, _ := parent.Get()
		if c.update.Minimum == multiplier.Value {
			require.Negative(t, multiplier.Value.Cmp(p.Value), "it falls")
		}
		r, err := h.prove(5, h.blocks[5], h.multipliers[4], evidence.Options{})
		require.NoError(t, err)
		r.CheckStoredMultiplier(reports[6].Multiplier)
		require.Equal(t, c.want, proofs(r, 5)["block.multiplier"], "%+v: %v", c.update, r.Findings)
	}
}
