package variance_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/ledger"
)

type (
	list    = []*ledger.Transaction
	amounts = map[variance.Step]string
)

// The steps of calls follow from the stated order of the factors. The figures are derived by hand.
func TestSteps(t *testing.T) {
	noGas := func(t *ledger.Transaction) { t.Gas = chain.Optional[chain.Gas]{} }
	noPriority := func(t *ledger.Transaction) { t.PriorityFee = chain.Optional[chain.Wei]{} }
	noTip := func(t *ledger.Transaction) { t.Tip = chain.Optional[chain.Wei]{} }
	inAsset := func(t *ledger.Transaction) { t.Fee, t.AssetFee.Asset = chain.Some(chain.Wei{}), "1984" }
	a, b := contracts[0], contracts[1]
	for name, c := range map[string]struct {
		now, before list
		want        amounts
	}{
		"nothing": {nil, nil, amounts{}},
		// Before 10 × 50,000 gas × (100 + 5) = 52,500,000; now 12 × 55,000 × (90 + 8) = 64,680,000.
		// Number: 2 × 50,000 × 105. Gas: 12 × 5,000 × 105. Base fee: 660,000 × −10. Priority: 660,000 × 3.
		"all factors of a contract": {
			times(12, evmAt(a, 55_000, 90, 8)), times(10, evmAt(a, 50_000, 100, 5)),
			amounts{variance.Transactions: "10500000", variance.Gas: "6300000", variance.BaseFee: "-6600000", variance.Apart: "1980000"},
		},
		"only the number":   {times(7, evmAt(a, 50_000, 100, 5)), times(4, evmAt(a, 50_000, 100, 5)), amounts{variance.Transactions: "15750000"}}, // 3 × 5,250,000
		"only gas":          {times(4, evmAt(a, 40_000, 100, 5)), times(4, evmAt(a, 50_000, 100, 5)), amounts{variance.Gas: "-4200000"}},          // 4 × −10,000 × 105
		"only the base fee": {times(4, evmAt(a, 50_000, 101, 5)), times(4, evmAt(a, 50_000, 100, 5)), amounts{variance.BaseFee: "200000"}},        // 200,000 × 1
		"only priority":     {times(4, evmAt(a, 50_000, 100, 0)), times(4, evmAt(a, 50_000, 100, 5)), amounts{variance.Apart: "-1000000"}},        // 200,000 × −5
		"contracts and layers are apart": {
			list{evmAt(a, 10, 1, 0), native("ethereum.transact", 30, 0)}, list{evmAt(b, 20, 1, 0), native("system.remark", 5, 0)},
			amounts{variance.NewCalls: "40", variance.GoneCalls: "-25"},
		},
		"a contract that is not known": {
			times(2, with(evmAt(a, 10, 1, 0), func(t *ledger.Transaction) { t.Recipient = chain.Optional[chain.Address]{} })), times(1, evmAt(a, 10, 1, 0)),
			amounts{variance.NewCalls: "20", variance.GoneCalls: "-10"},
		},
		// Before 3 for 10, of which tips 1; now 2 for 8, of which tips 2. Number: −10/3. Fee of each: 6 − 2 × 9/3 = 0.
		// Tips: 2 − 2/3 = 4/3. Rounded down −4, 0 and 1: the wei that is left goes to 2/3, not to 1/3.
		"the largest remainder": {
			list{native("x", 4, 1), native("x", 4, 1)}, list{native("x", 4, 1), native("x", 3, 0), native("x", 3, 0)},
			amounts{variance.Transactions: "-3", variance.Apart: "1"},
		},
		// Before 2 for 3; now 1 for 2. Number: −3/2. Fee of each: 2 − 3/2. Both remainders are 1/2.
		"equal remainders": {list{native("x", 2, 0)}, list{native("x", 1, 0), native("x", 2, 0)}, amounts{variance.Transactions: "-1"}},
		// As above: number −1 × 105 × 10, fee of each 9 × 10 × (98 − 105).
		"unknown gas of one transaction": {
			append(times(8, evmAt(a, 10, 90, 8)), with(evmAt(a, 10, 90, 8), noGas)), times(10, evmAt(a, 10, 100, 5)),
			amounts{variance.Transactions: "-1050", variance.FeeEach: "-900", variance.Apart: "270"}, // 9 × 10 × (90 − 100), 9 × 10 × (8 − 5)
		},
		"unknown priority fee": {
			append(times(8, evmAt(a, 10, 90, 8)), with(evmAt(a, 10, 90, 8), noPriority)), times(10, evmAt(a, 10, 100, 5)),
			amounts{variance.Transactions: "-1050", variance.FeeEach: "-630"},
		},
		"unknown tip": {list{with(native("x", 7, 2), noTip)}, list{native("x", 5, 1)}, amounts{variance.FeeEach: "2"}},
		"no gas used": {list{native("x", 1, 0), evmAt(a, 0, 1, 1)}, list{native("x", 1, 0), evmAt(a, 0, 1, 1), evmAt(a, 0, 1, 1)}, amounts{}},
		"an undetermined fee": {
			list{native("x", 5, 0), with(native("x", 0, 0), unpriced)}, list{native("x", 3, 0)},
			amounts{variance.FeeEach: "2", variance.NotKnown: "not known"},
		},
		"a call whose fees were undetermined is not new": {
			list{native("x", 5, 0)}, list{with(native("x", 0, 0), unpriced)}, amounts{variance.Transactions: "5", variance.NotKnown: "not known"},
		},
		"nor is one that was paid in assets, or gone": {
			list{native("x", 5, 0), with(native("y", 0, 0), inAsset)}, list{with(native("x", 0, 0), inAsset), native("y", 3, 0)},
			amounts{variance.Transactions: "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := compared(t, c.now, c.before)
			require.Equal(t, c.want, amountsOf(v))
			difference, known := v.Difference().Get()
			require.Equal(t, c.want[variance.NotKnown] == "", known)
			require.Equal(t, known, v.Holds())
			if known {
				require.Equal(t, v.Known(), difference)
			}
		})
	}
}

// Transactions without a payer may be of the accounts: the difference is not known, and no other step changes.
func TestWithoutPayer(t *testing.T) {
	now, before := period(t, list{native("x", 5, 0)}), period(t, list{native("x", 3, 0)})
	now.WithoutPayer = 2
	v, err := variance.Compare(now, before)
	require.NoError(t, err)
	require.Equal(t, amounts{variance.FeeEach: "2", variance.NotKnown: "not known"}, amountsOf(v))
	require.False(t, v.Difference().Known())
	require.Equal(t, "2", v.Known().String())
	require.EqualValues(t, 2, v.Now.Undetermined)
	require.Equal(t, 1, v.Calls)
	last := v.Steps[len(v.Steps)-1]
	require.Len(t, last.Shares, 1)
	require.Equal(t, variance.Call{}, last.Shares[0].Call)
}

// Calls are ordered by their amounts, whatever their signs, and then by name.
func TestShares(t *testing.T) {
	failed := func(t *ledger.Transaction) { t.Outcome = fee.Reverted }
	v := compared(t,
		list{native("b", 5, 0), native("a", 5, 0), with(native("c", 9, 0), failed), evmAt(contracts[1], 5, 1, 0), evmAt(contracts[0], 5, 1, 0)},
		list{native("d", 7, 0), native("e", 7, 0)})
	names := func(s variance.Step) (names []string) {
		for _, share := range v.Steps[slices.Index(variance.Steps(), s)].Shares {
			names = append(names, string(share.Layer)+" "+share.Name)
			if contract, known := share.Contract.Get(); known {
				names[len(names)-1] = contract.String()
			}
		}
		return names
	}
	require.Equal(t, []string{"native c", contracts[0].String(), contracts[1].String(), "native a", "native b"}, names(variance.NewCalls))
	require.Equal(t, []string{"native d", "native e"}, names(variance.GoneCalls))
	require.EqualValues(t, 1, v.Steps[0].Now.Failed)
	require.Equal(t, "9", v.Steps[0].Now.FailedFee.String())
	require.Zero(t, v.Steps[1].Before.Failed)
}

// Fees that differ from what the chain charged are explained, but the variance does not hold.
func TestDrifts(t *testing.T) {
	v := compared(t, list{with(native("a", 5, 0), func(t *ledger.Transaction) { t.Verdict = evidence.Drift })}, nil)
	require.Equal(t, amounts{variance.NewCalls: "5"}, amountsOf(v))
	require.True(t, v.IsKnown())
	require.False(t, v.Holds())
}

// Sums that do not fit are errors.
func TestOverflow(t *testing.T) {
	greatest, err := chain.ParseWei("340282366920938463463374607431768211455")
	require.NoError(t, err)
	rich := func(call string) *ledger.Transaction {
		return with(native(call, 0, 0), func(t *ledger.Transaction) { t.Fee = chain.Some(greatest) })
	}
	p := period(t, list{rich("a")})
	require.ErrorIs(t, p.Add(rich("a")), chain.ErrOverflow)
	p = period(t, list{evmAt(contracts[0], math.MaxUint64, 0, 0)})
	require.ErrorIs(t, p.Add(evmAt(contracts[0], 1, 0, 0)), chain.ErrOverflow)

	for _, c := range []struct{ now, before list }{
		{list{rich("a"), rich("b")}, nil},              // the total
		{times(3, native("a", 1, 0)), list{rich("a")}}, // the number: 2 × the greatest
	} {
		_, err := variance.Compare(period(t, c.now), period(t, c.before))
		require.ErrorIs(t, err, chain.ErrOverflow)
	}
}

// The number of different calls is limited, which bounds the memory.
func TestTooManyCalls(t *testing.T) {
	defer variance.LimitCalls(2)()
	p := period(t, list{native("a", 1, 0), native("b", 1, 0), native("a", 1, 0)})
	require.ErrorIs(t, p.Add(native("c", 1, 0)), variance.ErrTooManyCalls)
	require.NoError(t, p.Add(native("b", 1, 0)))
}
