package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

func evmTransaction(price, gas, paid uint64) *ledger.Cost {
	return &ledger.Cost{
		Height: 9, Kind: ledger.Kind{Layer: fee.EVM, Outcome: fee.Succeeded}, Rules: "moonbeam/2100", GasPrice: chain.Some(chain.NewGasPrice(price)), Gas: chain.Some(chain.NewGas(gas)),
		Fee: chain.Some(chain.NewWei(paid)), Charged: chain.Some(chain.NewWei(paid)),
	}
}

// An unknown fee is counted and excluded from all sums and from the average price; its price counts among the
// percentiles, because it was bid.
func TestUndetermined(t *testing.T) {
	a := newAdder(&Request{Choice: Choice{By: Layer, Percentiles: true}, Period: ledger.Period{Heights: chain.Some(chain.Heights{Last: 10})}})
	require.NoError(t, a.transaction(evmTransaction(10, 3, 30)))
	require.NoError(t, a.transaction(evmTransaction(13, 1, 13)))
	unknown := evmTransaction(99, 1000, 0)
	unknown.Fee, unknown.Charged, unknown.Outcome = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, fee.Reverted
	require.NoError(t, a.transaction(unknown))
	var made Report
	require.NoError(t, a.result(&made))
	f := made.Totals
	require.Equal(t, []uint64{3, 0, 1, 0, 1}, []uint64{f.EVM, f.Native, f.EVMFailed, f.NativeFailed, f.Undetermined})
	require.Equal(t, chain.Some(chain.NewGas(1004)), f.Gas)
	require.Equal(t, chain.NewWei(43), f.Fee)
	require.Equal(t, chain.Some(chain.NewGasPrice(10)), f.AveragePrice) // floor(43 / 4)
	require.Equal(t, chain.Some(chain.NewGasPrice(99)), f.Price90)
}

// One unknown amount makes its sum unknown, in its group and in the total; other groups are not affected. Native fees
// have no priority fee.
func TestSumsWithAnUnknownPart(t *testing.T) {
	known := func(n uint64) chain.Optional[chain.Wei] { return chain.Some(chain.NewWei(n)) }
	unknown := chain.Optional[chain.Wei]{}
	a := newAdder(&Request{Choice: Choice{By: Type}, Period: ledger.Period{Heights: chain.Some(chain.Heights{Last: 10})}})
	add := func(kind string, fee, priority, charged, burned, treasury, author chain.Optional[chain.Wei]) {
		x := evmTransaction(1, 5, 0)
		x.Type, x.Fee, x.PriorityFee, x.Charged, x.Burned, x.Treasury, x.Author = kind, fee, priority, charged, burned, treasury, author
		require.NoError(t, a.transaction(x))
	}
	add("a", known(9), known(1), known(9), known(4), known(3), known(2))
	add("a", unknown, unknown, known(5), known(3), known(1), known(1)) // its fee is in no sum, and is counted
	add("b", known(9), known(1), known(9), unknown, unknown, unknown)
	add("b", known(9), known(1), known(9), known(4), known(3), known(2))
	add("c", known(9), unknown, unknown, unknown, unknown, unknown)
	nativeOne := evmTransaction(1, 5, 7)
	nativeOne.Layer, nativeOne.Burned, nativeOne.Treasury, nativeOne.Author = fee.Native, known(7), known(0), known(0)
	require.NoError(t, a.transaction(nativeOne))
	tipped := *nativeOne
	tipped.Tip = known(2)
	require.NoError(t, a.transaction(&tipped))
	gasless := evmTransaction(1, 0, 7)
	gasless.Type, gasless.Gas, gasless.PriorityFee = "d", chain.Optional[chain.Gas]{}, known(0)
	require.NoError(t, a.transaction(gasless))
	var made Report
	require.NoError(t, a.result(&made))
	groups, totals := made.Groups, made.Totals
	require.Equal(t, "for 1 native transaction the tip is not known", a.notes()[len(a.notes())-1])
	figures := func(f Figures) []chain.Optional[chain.Wei] {
		return []chain.Optional[chain.Wei]{chain.Some(f.Fee), f.PriorityFee, f.Tip, f.Charged, f.Burned, f.Treasury, f.Author}
	}
	gas := map[string]chain.Optional[chain.Gas]{}
	sums := map[string][]chain.Optional[chain.Wei]{}
	for _, g := range groups {
		kind, _ := g.Type.Get()
		sums[kind], gas[kind] = figures(g.Figures), g.Gas
	}
	require.Equal(t, map[string][]chain.Optional[chain.Wei]{
		"a": {known(9), known(1), known(0), known(14), known(7), known(4), known(3)},
		"b": {known(18), known(2), known(0), known(18), unknown, unknown, unknown},
		"c": {known(9), unknown, known(0), unknown, unknown, unknown, unknown},
		"d": {known(7), known(0), known(0), known(7), unknown, unknown, unknown},
		"":  {known(14), known(0), unknown, known(14), known(14), known(0), known(0)},
	}, sums)
	require.Equal(t, []chain.Optional[chain.Wei]{known(57), unknown, unknown, unknown, unknown, unknown, unknown}, figures(totals))
	units := func(n uint64) chain.Optional[chain.Gas] { return chain.Some(chain.NewGas(n)) }
	require.Equal(t, map[string]chain.Optional[chain.Gas]{"a": units(10), "b": units(10), "c": units(5), "d": {}, "": units(10)}, gas)
	require.False(t, totals.Gas.Known())

	r := &Report{Request: Request{Choice: Choice{By: Type}, Zone: time.UTC, Token: console.Token{Symbol: "GLMR"}}, Groups: groups, Totals: totals, Notes: a.notes()}
	var table, page, text strings.Builder
	require.NoError(t, r.Document().Write(&table, "table", 100))
	require.Regexp(t, `(?m)^charged +not known$`, table.String())
	require.Regexp(t, `(?m)^fee +0\.000000000000000057 GLMR$`, table.String())
	require.NoError(t, r.Document().JSON(&text))
	require.Contains(t, text.String(), `"charged": "18",`)
	require.Contains(t, text.String(), `"burned": null,`)
	require.NoError(t, r.Document().HTML(&page))
	require.Contains(t, page.String(), "not known")
	require.NotContains(t, page.String(), "{0 false}")
}

// An overflowing sum is an error that names its position, not a wrong figure.
func TestOverflow(t *testing.T) {
	most, err := chain.ParseWei("340282366920938463463374607431768211455")
	require.NoError(t, err)
	rich := evmTransaction(1, 1, 1)
	rich.Fee = chain.Some(most)
	a := newAdder(&Request{Choice: Choice{By: Layer}, Period: ledger.Period{Heights: chain.Some(chain.Heights{Last: 10})}})
	require.NoError(t, a.transaction(rich))
	err = a.transaction(rich)
	require.ErrorIs(t, err, chain.ErrOverflow)
	require.ErrorContains(t, err, "block 9, extrinsic 0: the sum")

	apart := newAdder(&Request{Choice: Choice{By: Type}, Period: a.request.Period})
	require.NoError(t, apart.transaction(rich))
	rich.Type = "legacy"
	require.NoError(t, apart.transaction(rich), "each group can be")
	require.ErrorIs(t, apart.result(&Report{}), chain.ErrOverflow, "all of them cannot")

	dear := evmTransaction(1, 1<<62, 1)
	by := newAdder(&Request{Choice: Choice{By: Account}, Period: a.request.Period})
	require.NoError(t, by.transaction(dear))
	require.ErrorIs(t, by.transaction(dear), chain.ErrOverflow, "gas")
	dear.GasPrice, err = parsePrice("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	require.NoError(t, err)
	require.ErrorIs(t, by.transaction(dear), chain.ErrOverflow)
}

func parsePrice(text string) (chain.Optional[chain.GasPrice], error) {
	price, err := chain.ParseGasPrice(text)
	return chain.Some(price), err
}

// The notes list the limitations of the sums.
func TestNotes(t *testing.T) {
	a := newAdder(&Request{Choice: Choice{By: Day}, Period: ledger.Period{Heights: chain.Some(chain.Heights{Last: 10})}})
	drift := evmTransaction(1, 1, 1)
	drift.Verdict = evidence.Drift
	require.NoError(t, a.transaction(drift)) // without a time, shares, priority fee
	unproved := evmTransaction(1, 1, 1)
	unproved.Charged = chain.Optional[chain.Wei]{}
	require.NoError(t, a.transaction(unproved))
	unknown := evmTransaction(1, 1, 1)
	unknown.Fee = chain.Optional[chain.Wei]{}
	require.NoError(t, a.transaction(unknown))
	var made Report
	require.NoError(t, a.result(&made))
	groups, totals := made.Groups, made.Totals
	require.Len(t, groups, 1)
	require.Equal(t, "not known", groups[0].Name(console.Token{}))
	require.Equal(t, []string{
		"1 fee is undetermined and excluded from the totals",
		"1 fee differs from what the chain charged: fee is calculated by the rules, charged is what was paid",
		"for 1 transaction the amount charged is not known",
		"for 2 transactions the split into burned, treasury and author is not known",
		"for 2 EVM transactions the priority fee is not known",
	}, a.notes())
	require.False(t, (&Report{Totals: totals, Drifts: a.all.sums.Drifts}).Holds())
}
