package chain_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// Each method is compared with one line of math/big.

func TestWeiAdd(t *testing.T) {
	pairs(128, 128, func(a, b *big.Int) {
		x, y := wei(t, a), wei(t, b)
		have, err := x.Add(y)
		requireResult(t, new(big.Int).Add(a, b), 128, have, err, "Wei.Add", a, b)
		require.Equal(t, []chain.Wei{wei(t, a), wei(t, b)}, []chain.Wei{x, y}, "Wei.Add changed its operands")
		double, err := x.Add(x)
		requireResult(t, new(big.Int).Lsh(a, 1), 128, double, err, "Wei.Add", a, a)
	})
}

func TestWeiSub(t *testing.T) {
	pairs(128, 128, func(a, b *big.Int) {
		x, y := wei(t, a), wei(t, b)
		have, err := x.Sub(y)
		requireResult(t, new(big.Int).Sub(a, b), 128, have, err, "Wei.Sub", a, b)
		require.Equal(t, []chain.Wei{wei(t, a), wei(t, b)}, []chain.Wei{x, y}, "Wei.Sub changed its operands")
	})
}

func TestWeiTimes(t *testing.T) {
	pairs(128, 64, func(a, b *big.Int) {
		x := wei(t, a)
		have, err := x.Times(b.Uint64())
		requireResult(t, new(big.Int).Mul(a, b), 128, have, err, "Wei.Times", a, b)
		require.Equal(t, wei(t, a), x, "Wei.Times changed its receiver")
	})
}

func TestPerbill(t *testing.T) {
	whole := big.NewInt(1_000_000_000)
	pairs(128, 30, func(a, b *big.Int) {
		p, err := chain.NewPerbill(b.Uint64())
		if b.Cmp(whole) > 0 {
			require.EqualError(t, err, b.String()+" parts per billion exceed the whole")
			require.Zero(t, p)
			return
		}
		require.NoError(t, err)
		require.Equal(t, b.String(), p.String())
		require.Equal(t, new(big.Int).Sub(whole, b).String(), p.Rest().String())
		product := new(big.Int).Mul(a, b)
		require.Equal(t, product.Quo(product, whole).String(), p.Of(wei(t, a)).String(), "%v parts of %v", b, a)
	})
	written, err := json.Marshal(chain.Perbill{})
	require.NoError(t, err)
	require.Equal(t, `"0"`, string(written))
	var read chain.Perbill
	require.NoError(t, json.Unmarshal([]byte(`"333333333"`), &read))
	require.Equal(t, "333333333", read.String())
	for _, text := range []string{`"1000000001"`, `"20%"`, `""`, `"-1"`} {
		require.Error(t, json.Unmarshal([]byte(text), &read), text)
	}
}

func TestReadPerbill(t *testing.T) {
	for text, want := range map[string]string{`0`: "0", `"200000000"`: "200000000", `1000000000`: "1000000000", `"0x0bebc200"`: "200000000"} {
		p, err := jsonread.Perbill(blocktest.JSON(t, text))
		require.NoError(t, err, text)
		require.Equal(t, want, p.String(), text)
	}
	for text, want := range map[string]string{
		`1000000001`:             "1000000001 parts per billion exceed the whole",
		`"18446744073709551615"`: "18446744073709551615 parts per billion exceed the whole",
		`"20%"`:                  `"20%" is not a non-negative integer`,
		`null`:                   "missing",
	} {
		p, err := jsonread.Perbill(blocktest.JSON(t, text))
		require.EqualError(t, err, want, text)
		require.Zero(t, p, text)
	}
}

func TestGasPriceAdd(t *testing.T) {
	pairs(256, 256, func(a, b *big.Int) {
		x, y := gasPrice(t, a), gasPrice(t, b)
		have, err := x.Add(y)
		requireResult(t, new(big.Int).Add(a, b), 256, have, err, "GasPrice.Add", a, b)
		require.Equal(t, []chain.GasPrice{gasPrice(t, a), gasPrice(t, b)}, []chain.GasPrice{x, y}, "GasPrice.Add changed its operands")
		double, err := x.Add(x)
		requireResult(t, new(big.Int).Lsh(a, 1), 256, double, err, "GasPrice.Add", a, a)
	})
}

func TestGasPriceSub(t *testing.T) {
	pairs(256, 256, func(a, b *big.Int) {
		x, y := gasPrice(t, a), gasPrice(t, b)
		have, err := x.Sub(y)
		requireResult(t, new(big.Int).Sub(a, b), 256, have, err, "GasPrice.Sub", a, b)
		require.Equal(t, []chain.GasPrice{gasPrice(t, a), gasPrice(t, b)}, []chain.GasPrice{x, y}, "GasPrice.Sub changed its operands")
		nothing, err := x.Sub(x)
		requireResult(t, new(big.Int), 256, nothing, err, "GasPrice.Sub", a, a)
	})
}

func TestGasPriceTimes(t *testing.T) {
	pairs(256, 64, func(a, b *big.Int) {
		x := gasPrice(t, a)
		have, err := x.Times(chain.NewGas(b.Uint64()))
		requireResult(t, new(big.Int).Mul(a, b), 128, have, err, "GasPrice.Times", a, b)
		require.Equal(t, gasPrice(t, a), x, "GasPrice.Times changed its receiver")
	})
}

func TestGasPriceMulDivFloor(t *testing.T) {
	divisors := []uint64{0, 1, 2, 3, 7, 1e9, 1 << 32, math.MaxUint64 - 1, math.MaxUint64}
	pairs(256, 64, func(a, b *big.Int) {
		for _, d := range append(divisors, b.Uint64(), a.Uint64()) {
			var want *big.Int // nothing where the divisor is 0
			if d != 0 {
				product := new(big.Int).Mul(a, b)
				want = product.Quo(product, new(big.Int).SetUint64(d))
			}
			x := gasPrice(t, a)
			have, err := x.MulDivFloor(b.Uint64(), d)
			requireResult(t, want, 128, have, err, fmt.Sprintf("GasPrice.MulDivFloor by %d", d), a, b)
			require.Equal(t, gasPrice(t, a), x, "GasPrice.MulDivFloor changed its receiver")
		}
	})
}

func TestMultiplierOf(t *testing.T) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	pairs(128, 256, func(a, b *big.Int) {
		m, p := multiplier(t, a), gasPrice(t, b)
		have, err := m.Of(p)
		product := new(big.Int).Mul(a, b)
		requireResult(t, product.Quo(product, scale), 256, have, err, "Multiplier.Of", a, b)
		require.Equal(t, multiplier(t, a), m, "Multiplier.Of changed its receiver")
		require.Equal(t, gasPrice(t, b), p, "Multiplier.Of changed its argument")
	})
}

// Multipliers are FixedU128: every operation is one on the stored integers, with
// one division that rounds down.
func TestMultiplierArithmetic(t *testing.T) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	quotient := func(a, b, by *big.Int) *big.Int {
		if by.Sign() == 0 {
			return nil
		}
		product := new(big.Int).Mul(a, b)
		return product.Quo(product, by)
	}
	pairs(128, 128, func(a, b *big.Int) {
		m, x := multiplier(t, a), multiplier(t, b)
		sum, err := m.Add(x)
		requireResult(t, new(big.Int).Add(a, b), 128, sum, err, "Multiplier.Add", a, b)
		difference, err := m.Sub(x)
		requireResult(t, new(big.Int).Sub(a, b), 128, difference, err, "Multiplier.Sub", a, b)
		product, err := m.Mul(x)
		requireResult(t, quotient(a, b, scale), 128, product, err, "Multiplier.Mul", a, b)
		divided, err := m.Div(x)
		requireResult(t, quotient(a, scale, b), 128, divided, err, "Multiplier.Div", a, b)
		part, err := m.OfWei(wei(t, b))
		requireResult(t, quotient(a, b, scale), 128, part, err, "Multiplier.OfWei", a, b)
		require.Equal(t, a.Cmp(b), m.Cmp(x), "Multiplier.Cmp of %v and %v", a, b)
		require.Equal(t, []chain.Multiplier{multiplier(t, a), multiplier(t, b)}, []chain.Multiplier{m, x}, "an operand was changed")
	})
	pairs(64, 64, func(a, b *big.Int) {
		ratio, err := chain.Ratio(a.Uint64(), b.Uint64())
		requireResult(t, quotient(a, scale, b), 128, ratio, err, "Ratio", a, b)
	})
}

func TestMultiplierOfRoundsDown(t *testing.T) {
	const one = 1_000_000_000_000_000_000
	for name, test := range map[string]struct {
		multiplier, price, want uint64
	}{
		"one is neutral":          {one, 12345, 12345},
		"a little less than one":  {one - 1, 12345, 12344},
		"a little more than one":  {one + 1, 12345, 12345},
		"a quarter":               {one / 4, 7, 1},
		"a half of one":           {one / 2, 1, 0},
		"zero":                    {0, math.MaxUint64, 0},
		"of zero":                 {math.MaxUint64, 0, 0},
		"just below the next wei": {one + one/2 - 1, 2, 2},
		"just at the next wei":    {one + one/2, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			have, err := chain.NewMultiplier(test.multiplier).Of(chain.NewGasPrice(test.price))
			require.NoError(t, err)
			require.Equal(t, chain.NewGasPrice(test.want), have)
		})
	}
}

func TestRefTimeAdd(t *testing.T) {
	pairs(64, 64, func(a, b *big.Int) {
		x, y := chain.NewRefTime(a.Uint64()), chain.NewRefTime(b.Uint64())
		have, err := x.Add(y)
		requireResult(t, new(big.Int).Add(a, b), 64, have, err, "RefTime.Add", a, b)
		require.Equal(t, a.Uint64(), x.Uint64(), "RefTime.Add changed its receiver")
		require.Equal(t, b.Uint64(), y.Uint64(), "RefTime.Add changed its argument")
	})
}

func TestRefTimeSub(t *testing.T) {
	pairs(64, 64, func(a, b *big.Int) {
		have, err := chain.NewRefTime(a.Uint64()).Sub(chain.NewRefTime(b.Uint64()))
		requireResult(t, new(big.Int).Sub(a, b), 64, have, err, "RefTime.Sub", a, b)
	})
}

func TestCmp(t *testing.T) {
	pairs(256, 256, func(a, b *big.Int) {
		require.Equal(t, a.Cmp(b), gasPrice(t, a).Cmp(gasPrice(t, b)), "GasPrice.Cmp of %v and %v", a, b)
	})
	pairs(128, 128, func(a, b *big.Int) {
		require.Equal(t, a.Cmp(b), wei(t, a).Cmp(wei(t, b)), "Wei.Cmp of %v and %v", a, b)
		require.Equal(t, a.Cmp(b) == 0, wei(t, a) == wei(t, b), "== of %v and %v", a, b)
	})
}

// text is a quantity with its way to text and to JSON.
type text interface {
	fmt.Stringer
	encoding.TextMarshaler
}

func TestQuantityText(t *testing.T) {
	for _, n := range limits() {
		var quantities []text
		if n.BitLen() <= 256 {
			token, err := chain.ParseTokenAmount(n.String())
			require.NoError(t, err)
			quantities = append(quantities, gasPrice(t, n), token)
		}
		if n.BitLen() <= 128 {
			quantities = append(quantities, wei(t, n), multiplier(t, n))
		}
		if n.BitLen() <= 64 {
			nonce, err := jsonread.Nonce(blocktest.JSON(t, n.String()))
			require.NoError(t, err)
			quantities = append(quantities, chain.NewGas(n.Uint64()), nonce, chain.NewRefTime(n.Uint64()),
				chain.NewWei(n.Uint64()), chain.NewGasPrice(n.Uint64()), chain.NewMultiplier(n.Uint64()))
		}
		for _, q := range quantities {
			require.Equal(t, n.String(), q.String(), "%T.String", q)
			written, err := q.MarshalText()
			require.NoError(t, err)
			require.Equal(t, n.String(), string(written), "%T.MarshalText", q)
			inJSON, err := json.Marshal(q)
			require.NoError(t, err)
			require.Equal(t, `"`+n.String()+`"`, string(inJSON), "%T in JSON is a string, which loses no digits", q)
		}
	}
}

// What is written can be read again.
func TestUnmarshalText(t *testing.T) {
	for _, n := range edges(256) {
		p := chain.NewGasPrice(7)
		require.NoError(t, json.Unmarshal([]byte(`"`+n.String()+`"`), &p))
		require.Equal(t, gasPrice(t, n), p)
	}
	for _, n := range edges(128) {
		m := chain.NewMultiplier(7)
		require.NoError(t, json.Unmarshal([]byte(`"`+n.String()+`"`), &m))
		require.Equal(t, multiplier(t, n), m)
		w := chain.NewWei(7)
		require.NoError(t, json.Unmarshal([]byte(`"`+n.String()+`"`), &w))
		require.Equal(t, wei(t, n), w)
	}
	for _, n := range edges(64) {
		r := chain.NewRefTime(7)
		require.NoError(t, json.Unmarshal([]byte(`"`+n.String()+`"`), &r))
		require.Equal(t, chain.NewRefTime(n.Uint64()), r)
	}
}

func TestBig(t *testing.T) {
	for _, n := range edges(128) {
		for _, q := range []interface {
			Big() *big.Int
			IsZero() bool
		}{wei(t, n), gasPrice(t, n), multiplier(t, n)} {
			have := q.Big()
			require.Zero(t, n.Cmp(have), "%T.Big: have %v, want %v", q, have, n)
			have.SetInt64(-1)
			require.Zero(t, n.Cmp(q.Big()), "%T was changed through Big", q)
			require.Equal(t, n.Sign() == 0, q.IsZero(), "%T.IsZero of %v", q, n)
		}
	}
}

func TestCounters(t *testing.T) {
	for _, n := range edges(64) {
		require.Equal(t, n.Uint64(), chain.NewGas(n.Uint64()).Uint64())
		nonce, err := jsonread.Nonce(blocktest.JSON(t, n.String()))
		require.NoError(t, err)
		require.Equal(t, n.Uint64(), nonce.Uint64())
		require.Equal(t, n.Uint64(), chain.NewRefTime(n.Uint64()).Uint64())
		require.Equal(t, n.Sign() == 0, chain.NewRefTime(n.Uint64()).IsZero())
	}
}

// The zero values are 0, and quantities are equal and map keys by their amount.
func TestQuantitiesAreValues(t *testing.T) {
	require.Equal(t, chain.NewWei(0), chain.Wei{})
	require.Equal(t, "0", chain.GasPrice{}.String())
	sum, err := chain.NewWei(2).Add(chain.NewWei(3))
	require.NoError(t, err)
	seen := map[chain.Wei]string{sum: "sum"}
	require.Equal(t, "sum", seen[chain.NewWei(5)])
}

// A product is rounded to the nearest integer, and a half down.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ m, price, want uint64 }{
		{500_000_000_000_000_000, 4, 2}, {500_000_000_000_000_000, 5, 2}, {500_000_000_000_000_001, 5, 3}, {499_999_999_999_999_999, 5, 2},
		{1_000_000_000_000_000_000, 7, 7}, {0, 7, 0}, {93_000_000_000_000, 800_000_500_000, 74_400_046},
	} {
		have, err := chain.NewMultiplier(c.m).Nearest(chain.NewGasPrice(c.price))
		require.NoError(t, err)
		require.Equal(t, chain.NewGasPrice(c.want), have, "%+v", c)
	}
	top, err := chain.ParseGasPrice("0x" + strings.Repeat("f", 64))
	require.NoError(t, err)
	have, err := chain.NewMultiplier(1_000_000_000_000_000_000).Nearest(top)
	require.NoError(t, err)
	require.Equal(t, top, have)
	_, err = chain.NewMultiplier(1_000_000_000_000_000_001).Nearest(top)
	require.ErrorIs(t, err, chain.ErrOverflow)
}
