package native_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/native"
)

const payer = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"

// forms returns all forms in which gateways write a number.
func forms(n *big.Int) []string {
	return []string{
		n.String(), `"` + n.String() + `"`, `"0x` + n.Text(16) + `"`,
		fmt.Sprintf(`"0x%032x"`, n), fmt.Sprintf(`"0x%064X"`, n),
	}
}

func TestFeePaidIsWhatTheEventSaysInEveryForm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	largest := new(big.Int).Lsh(big.NewInt(1), 128)
	for range 3_000 {
		fee := new(big.Int).SetUint64(random.Uint64())
		fee.Lsh(fee, 64).Or(fee, new(big.Int).SetUint64(random.Uint64())).Rsh(fee, random.UintN(128))
		tip := new(big.Int).Rsh(fee, random.UintN(128))
		if random.IntN(4) == 0 { // one more than the fee is the lowest excessive tip
			tip = new(big.Int).Add(fee, big.NewInt(random.Int64N(3)-1))
		}
		if tip.Sign() < 0 || tip.Cmp(largest) >= 0 {
			continue
		}
		feeForms, tipForms := forms(fee), forms(tip)
		data := fmt.Sprintf(`["%s", %s, %s]`, payer, feeForms[random.IntN(len(feeForms))], tipForms[random.IntN(len(tipForms))])
		have, err := native.ReadFeePaid(paid(t, data))
		if tip.Cmp(fee) > 0 {
			require.EqualError(t, err, fmt.Sprintf("event transactionPayment.TransactionFeePaid: data[2]: "+
				"a tip of %v wei exceeds the fee of %v wei that includes it", tip, fee))
			require.Zero(t, have, data)
			continue
		}
		require.NoError(t, err, data)
		require.Equal(t, payer, have.Payer.String(), data)
		require.Equal(t, fee.String(), have.Fee.String(), data)
		require.Equal(t, tip.String(), have.Tip.String(), data)
	}
}

func TestFeeEventIsThereOnce(t *testing.T) {
	const good = `["` + payer + `", "5", "0"]`
	for name, c := range map[string]struct {
		data  []string
		error string
	}{
		"none":             {nil, "event transactionPayment.TransactionFeePaid: missing"},
		"one":              {[]string{good}, ""},
		"two":              {[]string{good, good}, "2 events transactionPayment.TransactionFeePaid, want one"},
		"three, malformed": {[]string{good, "[]", "[]"}, "3 events transactionPayment.TransactionFeePaid, want one"},
	} {
		t.Run(name, func(t *testing.T) {
			x := paid(t, c.data...)
			require.Equal(t, len(c.data) > 0, native.HasFeeEvent(x))
			have, err := native.ReadFeePaid(x)
			if c.error != "" {
				require.EqualError(t, err, c.error)
				require.Zero(t, have)
				return
			}
			require.NoError(t, err)
			require.Equal(t, chain.NewWei(5), have.Fee)
		})
	}
	require.False(t, native.HasFeeEvent(&chain.Extrinsic{}))
}

func TestFeeEventErrorsNameTheValue(t *testing.T) {
	for data, want := range map[string]string{
		`[]`:                               "data[0]: missing",
		`["` + payer + `"]`:                "data[1]: missing",
		`["` + payer + `", "5"]`:           "data[2]: missing",
		`["0x12", "5", "0"]`:               `data[0]: "0x12" is not an address: want 0x and 40 hex digits`,
		`["` + payer + `", "-5", "0"]`:     `data[1]: "-5" is not a non-negative integer`,
		`["` + payer + `", "5", [0]]`:      "data[2]: want a number, have an array",
		`["` + payer + `", 1e18, "0"]`:     `data[1]: "1e18" is not a non-negative integer`,
		`["` + payer + `", "5", "5.5"]`:    `data[2]: "5.5" is not a non-negative integer`,
		`["` + payer + `", "5", "0x1g"]`:   `data[2]: "0x1g" is not a non-negative integer`,
		`["` + payer + `", {"a": 1}, "0"]`: "data[1]: want a number, have an object",
	} {
		t.Run(data, func(t *testing.T) {
			_, err := native.ReadFeePaid(paid(t, data))
			require.EqualError(t, err, "event transactionPayment.TransactionFeePaid: "+want)
		})
	}
}
