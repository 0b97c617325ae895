package rule_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

var (
	unit    = big.NewInt(1_000_000_000_000_000_000)
	billion = big.NewInt(1_000_000_000)
	most128 = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
)

func wei(t testing.TB, n fmt.Stringer) chain.Wei {
	t.Helper()
	w, err := chain.ParseWei(n.String())
	require.NoError(t, err)
	return w
}

func multiplier(t testing.TB, n fmt.Stringer) chain.Multiplier {
	t.Helper()
	m, err := chain.ParseMultiplier(n.String())
	require.NoError(t, err)
	return m
}

// weight returns the case's inputs ref_time and proof_size.
func weight(v *vectors.Values) chain.Weight {
	return chain.Weight{RefTime: chain.NewRefTime(v.Number("ref_time").Uint64()), ProofSize: v.Number("proof_size").Uint64()}
}

// rulesFor returns the built-in rules of the case's network and runtime.
func rulesFor(t *testing.T, v *vectors.Values) network.Rules {
	t.Helper()
	rules, err := vectors.Rules(t, v.Input("network"), v.Input("runtime"))
	require.NoError(t, err, v.Place())
	return rules
}

// everyRuntime calls check with the rules at and around every row of every list.
func everyRuntime(t *testing.T, check func(network.Rules)) {
	t.Helper()
	for _, n := range network.BuiltIn().All() {
		runtimes := map[uint32]bool{n.LastRuntime: true}
		add := func(from uint32) {
			for _, r := range []uint32{from - 1, from, from + 1} {
				runtimes[r] = r >= n.Rows[0].FromRuntime
			}
		}
		for _, row := range n.Destinations {
			add(row.FromRuntime)
		}
		for _, row := range n.MultiplierUpdates {
			add(row.FromRuntime)
		}
		for _, row := range n.NativeFees {
			add(row.FromRuntime)
		}
		for runtime, there := range runtimes {
			if !there {
				continue
			}
			rules, err := vectors.Rules(t, n.Name, strconv.FormatUint(uint64(runtime), 10))
			require.NoError(t, err)
			check(rules)
		}
	}
}

// random returns an integer of at most width bits, of any length alike.
func random(r *rand.Rand, width uint) *big.Int {
	n := new(big.Int).SetUint64(r.Uint64())
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(r.Uint64()))
	return n.Rsh(n, 128-r.UintN(width+1))
}

// scaled returns floor(a × b / by).
func scaled(a, b, by *big.Int) *big.Int {
	product := new(big.Int).Mul(a, b)
	return product.Quo(product, by)
}

// agree checks a result against the exact one, which may exceed a balance.
func agree(t *testing.T, exact *big.Int, have fmt.Stringer, err error, what string) {
	t.Helper()
	if exact.Sign() < 0 || exact.Cmp(most128) > 0 {
		require.ErrorIs(t, err, chain.ErrOverflow, what)
		require.Equal(t, "0", have.String(), what)
		return
	}
	require.NoError(t, err, what)
	require.Equal(t, exact.String(), have.String(), what)
}
