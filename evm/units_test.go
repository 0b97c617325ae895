package evm_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/network"
)

// A fee in the token's smallest units is rounded down once, whether the gas used or the gas limit is charged. So is its
// priority part.
func TestFeesInTheTokensUnit(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 3))
	odd := 0
	for range 10_000 {
		perGas := []uint64{20_000, 25_000, 40_000, 66_666}[random.IntN(4)]
		unit := []uint64{0, 1, 1_000_000, 1_000_000_000}[random.IntN(4)]
		gas, limit := random.Uint64N(75_000_000), random.Uint64N(75_000_000)
		p := new(big.Int).Rsh(new(big.Int).SetUint64(random.Uint64()), uint(random.IntN(40)))
		base := new(big.Int).SetUint64(random.Uint64() >> (20 + random.IntN(20)))
		by := func(price *big.Int, gas uint64) *big.Int {
			product := new(big.Int).Mul(price, new(big.Int).SetUint64(gas))
			quotient, rest := product.QuoRem(product, new(big.Int).SetUint64(max(unit, 1)), new(big.Int))
			if rest.Sign() > 0 {
				odd++
			}
			return quotient
		}
		for charges, charged := range map[bool]uint64{false: gas, true: limit} {
			rules := &network.Rules{WeightPerGas: network.WeightPerGas(perGas), ChargesLimit: charges, EVMUnit: unit}
			have, err := evm.FeeOf(rules, price(t, p), chain.NewRefTime(gas*perGas), chain.NewGas(limit))
			require.NoError(t, err)
			require.Equal(t, by(p, charged).String(), have.String(), "%v × %d / %d", p, charged, unit)

			priority, err := evm.PriorityFee(price(t, p), price(t, base), chain.NewGas(charged), unit)
			require.NoError(t, err)
			above := new(big.Int).Sub(p, base)
			part, known := priority.Get()
			require.Equal(t, above.Sign() >= 0, known)
			if known {
				require.Equal(t, by(above, charged).String(), part.String())
			}
		}
	}
	require.Greater(t, odd, 1000)
	_, err := evm.FeeOf(&network.Rules{ChargesLimit: true}, price(t, new(big.Int).Lsh(big.NewInt(1), 127)), chain.RefTime{}, chain.NewGas(2))
	require.ErrorIs(t, err, chain.ErrOverflow)
	_, err = evm.FeeOf(&network.Rules{EVMUnit: 10}, price(t, new(big.Int).Lsh(big.NewInt(1), 127)), chain.NewRefTime(50_000), chain.NewGas(2))
	require.ErrorIs(t, err, chain.ErrOverflow)
}
