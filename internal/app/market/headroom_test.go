package market_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// rise is the rule of a dynamic base fee as a test states it, in fixed-point numbers of 18 decimals: the
// adjustment v is 4/1000 and the multiplier is at least 1 and at most 10^5.
type rise struct {
	target   int64 // in millionths
	constant int64 // in wei per gas
}

// raise returns v × d + v²/2 × d², with a full block d = 1 − target above it.
func (r rise) raise() *big.Int {
	d := new(big.Int).Mul(big.NewInt(1_000_000-r.target), big.NewInt(1e12))
	v := big.NewInt(4e15)
	second := product(new(big.Int).Rsh(product(v, v), 1), product(d, d))
	return second.Add(second, product(v, d))
}

func (r rise) next(m *big.Int) *big.Int {
	m = new(big.Int).Add(m, product(r.raise(), m))
	if largest := new(big.Int).Mul(big.NewInt(1e5), big.NewInt(1e18)); m.Cmp(largest) > 0 {
		return largest
	}
	return m
}

func (r rise) baseFee(m *big.Int) *big.Int { return product(m, big.NewInt(r.constant)) }

// product returns the product of two fixed-point numbers, or of one and a whole number.
func product(a, b *big.Int) *big.Int {
	p := new(big.Int).Mul(a, b)
	return p.Quo(p, big.NewInt(1e18))
}

// A headroom outlasts exactly the stated number of full blocks, in runtimes of every target. The figures of
// their sources are repeated here: targets of 25, 50 and 35 %, and constants of 125 and 31.25 Gwei. With 35 %,
// a full block raises the base fee by 0.0026 + 0.0026² / 2.
func TestHeadroomOutlastsFullBlocks(t *testing.T) {
	for _, c := range []struct {
		name    string
		runtime uint32
		rise    rise
		raise   string
		blocks  [3]int // ln 1.125, ln 1.5 and ln 2 by ln (1 + raise)
	}{
		{"moonbeam", 2302, rise{250_000, 125_000_000_000}, "3004500000000000", [3]int{39, 135, 231}},
		{"moonbeam", 2802, rise{500_000, 125_000_000_000}, "2002000000000000", [3]int{58, 202, 346}},
		{"moonbeam", 3702, rise{350_000, 31_250_000_000}, "2603380000000000", [3]int{45, 155, 266}},
		{"moonbeam", 4401, rise{350_000, 31_250_000_000}, "2603380000000000", [3]int{45, 155, 266}},
		{"datahaven", 1500, rise{350_000, 31_250_000_000}, "2603380000000000", [3]int{45, 155, 266}},
	} {
		u := updateOf(t, c.name, c.runtime)
		raise, err := u.Raise()
		require.NoError(t, err)
		require.Equal(t, []string{c.raise, c.raise}, []string{raise.String(), c.rise.raise().String()}, c.name)
		for _, m := range []*big.Int{big.NewInt(1e18), big.NewInt(1_008e15), big.NewInt(7_123_456_789_012_345_678)} {
			for _, told := range []bool{true, false} { // the multiplier, or only the base fee
				what := fmt.Sprintf("%s/%d at %v, told: %v", c.name, c.runtime, m, told)
				conditions := market.Conditions{BaseFeePerGas: gasPrice(t, c.rise.baseFee(m).String())}
				movement := market.Movement{Update: u, Constant: chain.NewGasPrice(uint64(c.rise.constant))}
				if told {
					movement.Multiplier = chain.Some(chain.NewMultiplier(m.Uint64()))
				}
				conditions.Movement = chain.Some(movement)
				bids, err := market.Suggest(conditions)
				require.NoError(t, err, what)
				for i, b := range bids {
					n, known := b.FullBlocks.Get()
					require.True(t, known, what)
					require.Equal(t, c.blocks[i], n, "%s, %s", what, b.Speed)
					at := m
					for range n {
						at = c.rise.next(at)
					}
					require.LessOrEqual(t, c.rise.baseFee(at).Cmp(b.MaxFeePerGas.Big()), 0, what)
					require.Positive(t, c.rise.baseFee(c.rise.next(at)).Cmp(b.MaxFeePerGas.Big()), what)
				}
			}
		}
	}
}

func updateOf(t *testing.T, name string, runtime uint32) rule.MultiplierUpdate {
	t.Helper()
	n, ok := network.BuiltIn().Named(name)
	require.True(t, ok)
	rules, err := n.Rules(runtime)
	require.NoError(t, err)
	u, known := rules.Update.Get()
	require.True(t, known)
	return u
}

// full returns the number of full blocks that each bid outlasts.
func full(t *testing.T, m market.Conditions) (blocks []int) {
	t.Helper()
	bids, err := market.Suggest(m)
	require.NoError(t, err)
	for _, b := range bids {
		n, known := b.FullBlocks.Get()
		require.True(t, known)
		blocks = append(blocks, n)
	}
	return blocks
}

// The last wei counts: with a base fee of 7 wei at a multiplier of 1, the bids are for 7, 10
// and 14 wei. At a target of 50 % and v = 1, a full block raises the multiplier by 1/2 + 1/8,
// exactly: to 1.625 and 2.640625, and the base fee to 11 and 18. One of 8 wei, with bids for
// 9, 12 and 16, goes to 13 and 21. One of 3 wei, with bids for 3, 4 and 6, to 4 and 7.
func TestHeadroomToTheLastWei(t *testing.T) {
	u := rule.MultiplierUpdate{Minimum: chain.NewMultiplier(1), Adjustment: chain.NewMultiplier(1e18), Target: 500_000, MaxRefTime: chain.NewRefTime(4_000_000)}
	for constant, want := range map[uint64][]int{7: {0, 0, 1}, 8: {0, 0, 1}, 3: {0, 1, 1}} {
		price := chain.NewGasPrice(constant)
		movement := market.Movement{Update: u, Constant: price, Multiplier: chain.Some(chain.NewMultiplier(1e18))}
		require.Equal(t, want, full(t, market.Conditions{BaseFeePerGas: price, Movement: chain.Some(movement)}), constant)
	}
	// A base fee of 3 wei may result from a multiplier just below 4/3: then it rises to 6.
	movement := market.Movement{Update: u, Constant: chain.NewGasPrice(3)}
	require.Equal(t, []int{0, 0, 1}, full(t, market.Conditions{BaseFeePerGas: chain.NewGasPrice(3), Movement: chain.Some(movement)}))
}

// Blocks are counted to a bound where the base fee never gets there: at the multiplier's
// maximum, 10^5, of which 6 × 10^4 × 2 is more, and where a full block is no more than on
// target.
func TestHeadroomThatNothingOutlasts(t *testing.T) {
	constant := chain.NewGasPrice(31_250_000_000)
	movement := market.Movement{Update: updateOf(t, "moonbeam", 3702), Constant: constant}
	base := gasPrice(t, "1875000000000000") // 6 × 10^4 × 31.25 Gwei
	require.Equal(t, []int{45, 155, market.MaxFullBlocks}, full(t, market.Conditions{BaseFeePerGas: base, Movement: chain.Some(movement)}))
	movement.Update.Target = 1_000_000
	require.Equal(t, []int{market.MaxFullBlocks, market.MaxFullBlocks, market.MaxFullBlocks}, full(t, market.Conditions{BaseFeePerGas: constant, Movement: chain.Some(movement)}))
}

// A base fee below the minimum is raised to it by any block: the headroom applies to the minimum.
func TestHeadroomFromBelowTheMinimum(t *testing.T) {
	minimum := chain.NewGasPrice(31_250_000_000)
	movement := market.Movement{Update: updateOf(t, "moonbeam", 3702), Constant: minimum}
	m := market.Conditions{BaseFeePerGas: chain.NewGasPrice(1_000_000_000), MinGasPrice: minimum, Movement: chain.Some(movement)}
	require.Equal(t, []int{45, 155, 266}, full(t, m))
}

// A base fee that results from no multiplier is rejected.
func TestHeadroomOfNoBaseFee(t *testing.T) {
	movement := market.Movement{Update: updateOf(t, "moonbeam", 3702), Constant: chain.NewGasPrice(1)}
	base := gasPrice(t, new(big.Int).Lsh(big.NewInt(1), 70).String()) // × 10^18 is more than 128 bits
	bids, err := market.Suggest(market.Conditions{BaseFeePerGas: base, Movement: chain.Some(movement)})
	require.ErrorIs(t, err, chain.ErrOverflow)
	require.ErrorContains(t, err, "the multiplier for a base fee of 1180591620717411303424 wei per gas")
	require.Nil(t, bids)
	// So is one that a full block raises to more than 128 bits.
	movement.Update.Maximum = chain.Optional[chain.Multiplier]{}
	base = gasPrice(t, "340282366920938463462") // × 10^18 is just below 2^128
	_, err = market.Suggest(market.Conditions{BaseFeePerGas: base, Movement: chain.Some(movement)})
	require.ErrorIs(t, err, chain.ErrOverflow)
}

// If nothing defines how the base fee moves, the duration of a headroom is unknown.
func TestHeadroomOfAnUnknownMovement(t *testing.T) {
	bids, err := market.Suggest(market.Conditions{BaseFeePerGas: chain.NewGasPrice(100)})
	require.NoError(t, err)
	for _, b := range bids {
		require.False(t, b.FullBlocks.Known())
	}
}
