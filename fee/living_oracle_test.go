package fee_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// 10,000 generated blocks of each source of a base fee (fixed, a constant times a moving multiplier, stored), with gas used
// or gas limit, a unit of 1, 10^6 or 10^9 wei, and six weights of one gas, against math/big. In a third of them, an event
// sets a stored base fee.
func TestGeneratedBlocksOfLivingChains(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	changed, kinds := 0, map[string]int{}
	const one = 1_000_000_000_000_000_000
	blocks := 30_000
	if testing.Short() {
		blocks = 6_000
	}
	for i := range blocks {
		kind, byLimit := []string{"fixed", "multiplier", "stored"}[i%3], random.IntN(2) == 0
		stored := kind == "stored"
		unit := []uint64{1, 1_000_000, 1_000_000_000}[random.IntN(3)]
		perGas := []uint64{20_000, 25_000, 40_000, 50_000, 66_666, 75_000}[random.IntN(6)]
		kinds[fmt.Sprint(kind, byLimit, unit, perGas)]++
		base := new(big.Int).SetUint64(1 + random.Uint64N(1_000_000_000_000))
		rules := network.Rules{WeightPerGas: network.WeightPerGas(perGas), ChargesLimit: byLimit, EVMUnit: unit, PriceCapped: true, MultiplierAt: network.AtParent}
		multiplier := one/10 + random.Uint64N(9*one)
		before := chain.StoredMultiplier{At: blockNumber - 1, Value: chain.NewMultiplier(multiplier)}
		switch kind {
		case "stored":
			rules.BaseFee.Stored = chain.Some(rule.StoredBaseFee{Pallet: "BaseFee", Item: "BaseFeePerGas"})
			before.BaseFee = chain.Some(chain.NewGasPrice(base.Uint64()))
		case "fixed":
			rules.BaseFee.Static = chain.Some(chain.NewGasPrice(base.Uint64()))
		default:
			rules.BaseFee.Constant = chain.NewGasPrice(base.Uint64())
			base.Mul(base, new(big.Int).SetUint64(multiplier)).Quo(base, big.NewInt(one))
		}
		inForce := new(big.Int).Set(base)
		extrinsics, wants := []extrinsic{timestamp()}, map[int][2]*big.Int{}
		sets := -1
		if random.IntN(3) == 0 {
			sets = random.IntN(4)
		}
		for n := range 4 {
			gas := 21_000 + random.Uint64N(1_000_000)
			limit := gas + random.Uint64N(100_000)
			priority, most := random.Uint64N(1_000_000_000), random.Uint64N(2_000_000_000_000)
			price := new(big.Int).Add(base, new(big.Int).SetUint64(priority))
			fields := object{"nonce": "1", "gasLimit": fmt.Sprint(limit), "value": "0"}
			envelope := []string{"legacy", "eip1559"}[random.IntN(2)]
			if envelope == "legacy" {
				fields["gasPrice"], price = fmt.Sprint(most), new(big.Int).SetUint64(most)
			} else {
				fields["maxPriorityFeePerGas"], fields["maxFeePerGas"] = fmt.Sprint(priority), fmt.Sprint(most)
				if price.Cmp(new(big.Int).SetUint64(most)) > 0 {
					price = new(big.Int).SetUint64(most)
				}
			}
			x := transact(n, object{envelope: fields}, gas*perGas, stopped)
			charged := gas
			if byLimit {
				charged = limit
			}
			of := func(price *big.Int) *big.Int {
				product := new(big.Int).Mul(price, new(big.Int).SetUint64(charged))
				return product.Quo(product, new(big.Int).SetUint64(unit))
			}
			want := [2]*big.Int{of(price), nil}
			if above := new(big.Int).Sub(price, base); above.Sign() >= 0 {
				want[1] = of(above)
			}
			wants[len(extrinsics)] = want
			if n == sets {
				base = new(big.Int).SetUint64(random.Uint64N(1_000_000_000_000))
				x.Events = append([]event{{method{"baseFee", "NewBaseFeePerGas"}, []any{base.String()}}}, x.Events...)
				if !stored {
					base = inForce // the event is another pallet's
				} else {
					changed++
				}
			}
			extrinsics = append(extrinsics, x)
		}
		b, err := sidecar.DecodeBlock(gatewayBlock(t, extrinsics...))
		require.NoError(t, err)
		r := fee.Price(b, &rules, chain.Some(before))
		total := new(big.Int)
		for i := range r.Transactions {
			x := &r.Transactions[i]
			paid, known := x.Fee.Get()
			require.True(t, known, x.Error)
			require.Equal(t, wants[x.Index][0].String(), paid.String())
			priority, known := x.PriorityFee.Get()
			require.Equal(t, wants[x.Index][1] != nil, known)
			if known {
				require.Equal(t, wants[x.Index][1].String(), priority.String())
			}
			total.Add(total, wants[x.Index][0])
		}
		require.Len(t, r.Transactions, len(wants))
		require.Equal(t, total.String(), r.Totals.Fee.String())
	}
	require.Len(t, kinds, 3*2*3*6)
	require.Greater(t, changed, blocks/30)
}
