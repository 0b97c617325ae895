package reconcile

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// The doubles that are computed with whole numbers are those of the machine, and what is taken for written is exactly what
// the standard library writes of them, and the amount's own digits.
func TestDoubles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		size := 1 + random.IntN(24)
		digits := strconv.Itoa(1 + random.IntN(9))
		for len(digits) < size {
			digits += strconv.Itoa(random.IntN(10))
		}
		amount, err := chain.ParseWei(digits)
		require.NoError(t, err)
		decimals := []int{0, 9, 15, 18, 21}[random.IntN(5)]
		text := console.Scaled(amount, decimals)
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		d := doubleOf(amount, decimals)
		exact := new(big.Rat).SetInt(d.mantissa)
		power := new(big.Rat).SetInt(powerOf(2, max(d.exponent, -d.exponent)))
		if d.exponent < 0 {
			power.Inv(power)
		}
		require.Zero(t, exact.Mul(exact, power).Cmp(new(big.Rat).SetFloat64(want)), text)

		for _, precision := range []int{-1, 14, 15, 16} { // after the first digit
			written := strconv.FormatFloat(want, 'e', precision, 64)
			value, _ := new(big.Rat).SetString(written)
			value.Mul(value, new(big.Rat).SetInt(powerOf(10, decimals)))
			fee, err := chain.ParseWei(quotient(value.Num(), value.Denom()).String())
			require.NoError(t, err)
			require.True(t, isWritten(fee, amount, decimals), "%s of %s", written, text)
			require.True(t, isSameDouble(amount, amount, decimals))
		}
		if size > maxDoubleDigits { // another 16th digit is a difference
			changed := []byte(digits)
			changed[15] = '0' + (changed[15]-'0'+5)%10
			other, err := chain.ParseWei(string(changed))
			require.NoError(t, err)
			require.False(t, isWritten(other, amount, decimals), text)
		}
	}
}
