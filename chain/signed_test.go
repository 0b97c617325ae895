package chain_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// signed returns an amount with a sign.
func signed(t testing.TB, n *big.Int) chain.SignedWei {
	t.Helper()
	size := wei(t, new(big.Int).Abs(n)).Signed()
	if n.Sign() < 0 {
		return size.Negated()
	}
	return size
}

func TestDifference(t *testing.T) {
	pairs(128, 128, func(x, y *big.Int) {
		want := new(big.Int).Sub(x, y)
		have := wei(t, x).Difference(wei(t, y))
		require.Equal(t, want.String(), have.String())
		require.Equal(t, want.Sign(), have.Sign())
		require.Equal(t, new(big.Int).Abs(want).String(), have.Size().String())
		require.Equal(t, signed(t, want), have)
		require.Equal(t, have.Negated(), wei(t, y).Difference(wei(t, x)))
	})
}

func TestSignedWeiAdd(t *testing.T) {
	pairs(128, 128, func(x, y *big.Int) {
		for _, signs := range [][2]int64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			a := new(big.Int).Mul(x, big.NewInt(signs[0]))
			b := new(big.Int).Mul(y, big.NewInt(signs[1]))
			want := new(big.Int).Add(a, b)
			have, err := signed(t, a).Add(signed(t, b))
			if want.BitLen() > 128 {
				require.ErrorIs(t, err, chain.ErrOverflow, "%v + %v", a, b)
				require.Equal(t, chain.SignedWei{}, have, "%v + %v: result beside an error", a, b)
				continue
			}
			require.NoError(t, err, "%v + %v", a, b)
			require.Equal(t, signed(t, want), have, "%v + %v", a, b)
			require.Equal(t, want.String(), have.String())
		}
	})
}

// There is one zero: it has no sign, and equals itself however it was computed.
func TestSignedZero(t *testing.T) {
	zero := chain.SignedWei{}
	require.Equal(t, zero, zero.Negated())
	require.Equal(t, zero, chain.NewWei(5).Difference(chain.NewWei(5)))
	sum, err := chain.NewWei(5).Signed().Negated().Add(chain.NewWei(5).Signed())
	require.NoError(t, err)
	require.Equal(t, zero, sum)
	require.Equal(t, "0", sum.String())
	require.Zero(t, sum.Sign())
}

func TestSignedText(t *testing.T) {
	text, err := chain.NewWei(7).Difference(chain.NewWei(9)).MarshalText()
	require.NoError(t, err)
	require.Equal(t, "-2", string(text))
	text, err = chain.NewWei(9).Difference(chain.NewWei(7)).MarshalText()
	require.NoError(t, err)
	require.Equal(t, "2", string(text))
}

func TestPricePer(t *testing.T) {
	pairs(128, 64, func(x, y *big.Int) {
		price, exact := wei(t, x).PricePer(chain.NewGas(y.Uint64()))
		if y.Sign() == 0 {
			require.False(t, exact)
			require.True(t, price.IsZero())
			return
		}
		want, rest := new(big.Int).QuoRem(x, y, new(big.Int))
		require.Equal(t, want.String(), price.String(), "%v / %v", x, y)
		require.Equal(t, rest.Sign() == 0, exact, "%v / %v", x, y)
	})
}

// Least is the lowest price that the multiplier raises to at least the given one.
func TestMultiplierLeast(t *testing.T) {
	scale := big.NewInt(1_000_000_000_000_000_000)
	pairs(128, 128, func(x, y *big.Int) {
		least, err := multiplier(t, y).Least(gasPrice(t, x))
		if y.Sign() == 0 {
			require.ErrorIs(t, err, chain.ErrOverflow)
			return
		}
		// ceil(x × 10^18 / y)
		want, rest := new(big.Int).QuoRem(new(big.Int).Mul(x, scale), y, new(big.Int))
		if rest.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		requireResult(t, want, 256, least, err, "Least", gasPrice(t, x), multiplier(t, y))
	})
}

// The highest multiplier that results in at most a price from another.
func TestHighestMultiplier(t *testing.T) {
	scale, one := big.NewInt(1_000_000_000_000_000_000), big.NewInt(1)
	pairs(256, 256, func(x, y *big.Int) {
		highest, err := chain.HighestMultiplier(gasPrice(t, x), gasPrice(t, y))
		above := new(big.Int).Add(x, one)
		if y.Sign() == 0 || above.BitLen() > 256 {
			require.ErrorIs(t, err, chain.ErrOverflow)
			return
		}
		// ceil((x + 1) × 10^18 / y) - 1 = floor(((x + 1) × 10^18 - 1) / y)
		want := above.Mul(above, scale)
		want.Sub(want, one).Quo(want, y)
		requireResult(t, want, 128, highest, err, "HighestMultiplier", gasPrice(t, x), gasPrice(t, y))
	})
}

func TestParseSignedWei(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "-0": "0", "7": "7", "-7": "-7", "-340282366920938463463374607431768211455": "-340282366920938463463374607431768211455"} {
		s, err := chain.ParseSignedWei(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String())
	}
	for _, text := range []string{"", "-", "--1", "+1", "-340282366920938463463374607431768211456", "1.5", "- 1"} {
		_, err := chain.ParseSignedWei(text)
		require.Error(t, err, text)
	}
}
