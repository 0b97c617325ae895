package chain_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// quoted returns the JSON string of a text.
func quoted(t testing.TB, text string) jsonscan.Value {
	t.Helper()
	escaped, err := json.Marshal(text)
	require.NoError(t, err)
	return blocktest.JSON(t, string(escaped))
}

// power returns 2^n + add.
func power(n uint, add int64) *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), n)
	return p.Add(p, big.NewInt(add))
}

// edges returns the integers of at most width bits where carries and limits are.
func edges(width uint) []*big.Int {
	list := []*big.Int{big.NewInt(0), big.NewInt(1), big.NewInt(2), big.NewInt(10)}
	for _, n := range []uint{53, 63, 64, 65, 127, 128, 129, 191, 192, 255, 256} {
		for add := int64(-1); add <= 1; add++ {
			if p := power(n, add); p.BitLen() <= int(width) {
				list = append(list, p)
			}
		}
	}
	for _, n := range []uint64{999_999_999_999_999_999, 1e18, 1_000_000_000_000_000_001, 1e19, 1e19 - 1} {
		list = append(list, new(big.Int).SetUint64(n))
	}
	return list
}

// random returns an integer of at most width bits, of any length alike.
func random(r *rand.Rand, width uint) *big.Int {
	n := new(big.Int)
	for range 4 {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(r.Uint64()))
	}
	return n.Rsh(n, 256-r.UintN(width+1))
}

// pairs calls check with all edges of two widths, and with random values that
// are the same in each run.
func pairs(firstWidth, secondWidth uint, check func(x, y *big.Int)) {
	for _, x := range edges(firstWidth) {
		for _, y := range edges(secondWidth) {
			check(x, y)
		}
	}
	r := rand.New(rand.NewPCG(uint64(firstWidth), uint64(secondWidth)))
	for range 5000 {
		check(random(r, firstWidth), random(r, secondWidth))
	}
}

// requireResult compares an operation with math/big: the same result, or ErrOverflow and zero if it does not
// fit the width. A nil want never fits.
func requireResult[T fmt.Stringer](t *testing.T, want *big.Int, width int, have T, err error, operation string, x, y fmt.Stringer) {
	t.Helper()
	if want == nil || want.Sign() < 0 || want.BitLen() > width {
		require.ErrorIs(t, err, chain.ErrOverflow, "%s with %v and %v", operation, x, y)
		require.Equal(t, "0", have.String(), "result beside an error: %s with %v and %v", operation, x, y)
		return
	}
	require.NoError(t, err, "%s with %v and %v", operation, x, y)
	require.Equal(t, want.String(), have.String(), "%s with %v and %v", operation, x, y)
}

func wei(t testing.TB, n *big.Int) chain.Wei {
	t.Helper()
	w, err := chain.ParseWei(n.String())
	require.NoError(t, err)
	return w
}

func gasPrice(t testing.TB, n *big.Int) chain.GasPrice {
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
