package evm_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func price(t testing.TB, n *big.Int) chain.GasPrice {
	t.Helper()
	p, err := chain.ParseGasPrice(n.String())
	require.NoError(t, err)
	return p
}

func multiplier(t testing.TB, n *big.Int) chain.Multiplier {
	t.Helper()
	m, err := chain.ParseMultiplier(n.String())
	require.NoError(t, err)
	return m
}

// power is 2^bits.
func power(bits uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), bits) }

// numbers yields edges and then random numbers of random lengths, all of at
// most the given bits.
func numbers(random *rand.Rand, bits uint, count int) []*big.Int {
	list := []*big.Int{}
	for _, edge := range []uint{0, 1, 8, 32, 53, 63, 64, 127, 128, 129, 255, 256} {
		if edge > bits {
			break
		}
		for d := int64(-1); d <= 1; d++ {
			list = append(list, new(big.Int).Add(power(edge), big.NewInt(d)))
		}
	}
	for _, n := range []int64{24_999, 25_000, 25_001, 1_000_000_000, 125_000_000_000, 31_250_000_000, 1_000_000_000_000_000_000} {
		list = append(list, big.NewInt(n))
	}
	for range count {
		n := new(big.Int)
		for range 4 {
			n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(random.Uint64()))
		}
		list = append(list, n.Rsh(n, random.UintN(257)))
	}
	fit := list[:0]
	for _, n := range list {
		if n.Sign() >= 0 && uint(n.BitLen()) <= bits {
			fit = append(fit, n)
		}
	}
	return fit
}

func pick(random *rand.Rand, list []*big.Int) *big.Int { return list[random.IntN(len(list))] }
