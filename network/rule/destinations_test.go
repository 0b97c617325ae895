package rule_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

func TestDestinationVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "evm_base evm_priority native_base native_tip evm_whole priority_minted burned_below_deposit account account_name",
	}
	vectors.Run(t, "destinations.txt", names, func(t *testing.T, v *vectors.Values) {
		rules := rulesFor(t, v)
		d, known := rules.Destinations.Get()
		require.True(t, known, v.Place())
		v.Equal("evm_base", d.EVMBase)
		v.Equal("evm_priority", d.EVMPriority)
		v.Equal("native_base", d.NativeBase)
		v.Equal("native_tip", d.NativeTip)
		v.EqualBool("evm_whole", d.EVMWhole)
		v.EqualBool("priority_minted", d.PriorityMinted)
		require.NotEmpty(t, d.Source, v.Place())
		if v.Wants("account") {
			account, known := rules.Treasury.Get()
			require.True(t, known, v.Place())
			v.Equal("account", fmt.Sprintf("0x%x", account.Bytes()))
			v.Equal("account_name", strings.ReplaceAll(rules.TreasuryLabel(), " ", "_"))
			v.EqualBool("burned_below_deposit", d.BurnedBelowDeposit)
			require.NoError(t, rules.AccountMapping.CheckSize(account, rules.Network))
		} else {
			require.False(t, d.BurnedBelowDeposit, v.Place())
		}
	})
}

func TestSplitVectors(t *testing.T) {
	names := vectors.Names{Inputs: "share proportion amount", Wanted: "burned treasury author error"}
	vectors.Run(t, "fee-split.txt", names, func(t *testing.T, v *vectors.Values) {
		proportion := chain.Optional[chain.Perbill]{}
		if v.Input("proportion") != "unknown" {
			p, err := chain.NewPerbill(v.Number("proportion").Uint64())
			require.NoError(t, err)
			proportion = chain.Some(p)
		}
		parts, err := rule.Share(v.Input("share")).Split(wei(t, v.Number("amount")), proportion)
		if v.Wants("error") {
			if v.Wanted("error") == "missing" {
				require.ErrorIs(t, err, chain.ErrMissing)
				require.ErrorContains(t, err, "FeesTreasuryProportion")
			} else {
				require.EqualError(t, err, fmt.Sprintf("unknown share %q", v.Input("share")), v.Place())
			}
			require.Zero(t, parts)
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("burned", parts.Burned)
		v.Equal("treasury", parts.Treasury)
		v.Equal("author", parts.Author)
	})
}

// The parts add up to the amount, and rounding favours the treasury.
func TestSplitLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 20_000 {
		amount := random(r, 128)
		p := new(big.Int).SetUint64(r.Uint64N(1_000_000_001))
		proportion, err := chain.NewPerbill(p.Uint64())
		require.NoError(t, err)
		parts, err := rule.TreasuryParameter.Split(wei(t, amount), chain.Some(proportion))
		require.NoError(t, err)
		burned := scaled(amount, new(big.Int).Sub(billion, p), billion)
		require.Equal(t, burned.String(), parts.Burned.String(), "%v by %v", amount, p)
		require.Equal(t, new(big.Int).Sub(amount, burned).String(), parts.Treasury.String(), "%v by %v", amount, p)
		require.True(t, parts.Author.IsZero())

		percent := 1 + r.Int64N(100)
		fixed, err := rule.Share(fmt.Sprint("treasury_", percent)).Split(wei(t, amount), chain.Some(proportion))
		require.NoError(t, err)
		burned = scaled(amount, big.NewInt(100-percent), big.NewInt(100))
		require.Equal(t, burned.String(), fixed.Burned.String(), "%v by %d %%", amount, percent)
		require.Equal(t, new(big.Int).Sub(amount, burned).String(), fixed.Treasury.String(), "%v by %d %%", amount, percent)
		require.True(t, fixed.Author.IsZero())
	}
}

// A table may use only the shares in the vectors; only these are percentages.
func TestSharesOfATable(t *testing.T) {
	const destinations = `network 1 "local": destinations from runtime 200: native_tip %q: want burned, pot, treasury_parameter, author, or a percentage such as treasury_20`
	for share, percent := range map[string]uint64{
		"treasury_1": 1, "treasury_20": 20, "treasury_99": 99, "treasury_100": 100, "burned": 0, "author": 0, "treasury_parameter": 0,
	} {
		tables, err := network.BuiltIn().With("f.json", []byte(proof(`"native_tip": "treasury_20"`, fmt.Sprintf(`"native_tip": %q`, share))))
		require.NoError(t, err, share)
		n, _ := tables.Named("local")
		rules, err := n.Rules(200)
		require.NoError(t, err)
		d, _ := rules.Destinations.Get()
		have, fixed := d.NativeTip.Percent()
		require.Equal(t, []any{percent, percent > 0}, []any{have, fixed}, share)
	}
	for _, share := range []string{"treasury_0", "treasury_101", "treasury_020", "treasury_+5", "treasury_", "treasury_-1", "treasury_18446744073709551617", "treasury", ""} {
		_, err := network.BuiltIn().With("f.json", []byte(proof(`"native_tip": "treasury_20"`, fmt.Sprintf(`"native_tip": %q`, share))))
		require.EqualError(t, err, fmt.Sprintf(destinations, share))
		percent, fixed := rule.Share(share).Percent()
		require.Equal(t, []any{uint64(0), false}, []any{percent, fixed}, share)
	}
}

// The treasury receives something if any share is its own.
func TestDestinationsToTheTreasury(t *testing.T) {
	none := rule.Destinations{EVMBase: rule.Burned, EVMPriority: rule.Author, NativeBase: rule.Author, NativeTip: rule.Burned}
	require.False(t, none.ToTreasury())
	for _, share := range []rule.Share{rule.TreasuryParameter, "treasury_1"} {
		for i := range 4 {
			d := none
			*[]*rule.Share{&d.EVMBase, &d.EVMPriority, &d.NativeBase, &d.NativeTip}[i] = share
			require.True(t, d.ToTreasury(), i)
		}
	}
}
