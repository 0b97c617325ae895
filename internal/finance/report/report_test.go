package report_test

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// The fees of every group equal the charges observed when the blocks were recorded, summed up with
// math/big.
func TestGroupsAreWhatWasCharged(t *testing.T) {
	for name, head := range heads {
		book, reports := kept(t, recorded(t, name), head)
		for _, by := range report.Groupings() {
			want := map[string]*big.Int{}
			layers := map[string]*big.Int{"evm": new(big.Int), "native": new(big.Int)}
			for _, s := range sentIn(t, name) {
				group := groupOf(t, by, s, reports[s.Height])
				want[group] = new(big.Int).Add(cmp.Or(want[group], new(big.Int)), number(t, s.Charged))
				layers[s.Family].Add(layers[s.Family], number(t, s.Charged))
			}
			q := report.Request{Choice: report.Choice{By: by}, Period: heights(0, head)}
			if by.Labelled() {
				q.Labels = labels(t)
			}
			r := made(t, book, q)
			have := map[string]*big.Int{}
			for _, g := range paid(r.Groups) {
				have[g.Name(console.Token{})] = g.Fee.Big()
				require.Equal(t, chain.Some(g.Fee), g.Charged)
			}
			require.Len(t, have, len(want), "%s by %s", name, by)
			for group, sum := range want {
				require.Zero(t, sum.Cmp(cmp.Or(have[group], new(big.Int))), "%s by %s, %s: have %v, want %v", name, by, group, have[group], sum)
			}
			require.Zero(t, layers["evm"].Cmp(r.Totals.EVMFee.Big()))
			require.Zero(t, layers["native"].Cmp(r.Totals.NativeFee.Big()))
			require.EqualValues(t, len(sentIn(t, name)), r.Totals.EVM+r.Totals.Native)
		}
	}
}

// groupOf returns the group of a sent transaction, from sent.json and, for type and call, from the block's
// report.
func groupOf(t *testing.T, by report.By, s sent, r *evidence.Report) string {
	i := slices.IndexFunc(r.Transactions, func(x evidence.Transaction) bool { return x.Index == s.Index })
	x := r.Transactions[i]
	made, known := r.Time.Get()
	require.True(t, known)
	at := made.Std().UTC().Format(time.RFC3339)
	kind := s.Family
	if text, ok := x.Type.Get(); ok {
		kind += " " + string(text)
	}
	contract := s.Family + " " + x.Call
	if to, ok := x.To.Get(); ok && x.Layer == fee.EVM {
		contract += " " + to.String()
	}
	outcome, known := x.Outcome.Get()
	require.True(t, known)
	return map[report.By]string{
		report.Status: s.Family + " " + string(outcome),
		report.Block:  number(t, big.NewInt(int64(s.Height)).String()).String(),
		report.Hour:   at[:13] + ":00:00+00:00", report.Day: at[:10], report.Month: at[:7],
		report.Account: s.From, report.Label: calledBy(s.From, "label"), report.InGroup: calledBy(s.From, "group"), report.Layer: s.Family, report.Type: kind, report.Call: s.Family + " " + x.Call, report.Contract: contract,
	}[by]
}

// The totals of a report of all blocks equal the ledger's own, in any grouping.
func TestTotalsAreTheLedgers(t *testing.T) {
	for name, head := range map[string]uint64{"moonbeam-2100": 27, "moonbeam-1701": 21, "generated": 300} {
		reader := generated(head)
		if heads[name] > 0 {
			reader = recorded(t, name)
		}
		book, _ := kept(t, reader, head)
		status, err := book.Status(context.Background())
		require.NoError(t, err)
		for _, by := range report.Groupings() {
			f := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, head)}).Totals
			want := status.Totals
			require.Equal(t, []uint64{want.EVM, want.Native, want.EVMFailed, want.NativeFailed, want.OutcomeUnknown, want.Undetermined}, []uint64{f.EVM, f.Native, f.EVMFailed, f.NativeFailed, f.OutcomeUnknown, f.Undetermined})
			require.Equal(t, chain.Some(chain.NewGas(want.Gas)), f.Gas)
			require.Equal(t,
				[]chain.Wei{want.Fee, want.EVMFee, want.NativeFee}, []chain.Wei{f.Fee, f.EVMFee, f.NativeFee})
			require.Equal(t,
				[]chain.Optional[chain.Wei]{chain.Some(want.PriorityFee), chain.Some(want.Tip), chain.Some(want.Charged), chain.Some(want.Burned), chain.Some(want.Treasury), chain.Some(want.Author)},
				[]chain.Optional[chain.Wei]{f.PriorityFee, f.Tip, f.Charged, f.Burned, f.Treasury, f.Author})
		}
	}
}

// Transactions that were reverted, ran out of gas or stopped otherwise have failed, although the extrinsic
// succeeded: 13 of the 55 EVM transactions of runtime 2100, by their exit reasons.
func TestFailed(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	for _, by := range report.Groupings() {
		require.Equal(t, fee.OutcomeCounts{EVMFailed: 13, NativeFailed: 6}, made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, 27)}).Totals.OutcomeCounts, by)
	}
	for _, g := range made(t, book, report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(0, 27)}).Groups {
		want := map[string]fee.OutcomeCounts{"evm": {EVMFailed: 13}, "native": {NativeFailed: 6}}
		layer, _ := g.Layer.Get()
		require.Equal(t, want[string(layer)], g.OutcomeCounts)
	}
}

// Averages and percentiles equal those computed from all prices, sorted.
func TestGasPrices(t *testing.T) {
	const head = 300
	book, reports := kept(t, generated(head), head)
	for _, by := range []report.By{report.Block, report.Hour, report.Account, report.Layer} {
		paid, used, prices := map[string]*big.Int{}, map[string]*big.Int{}, map[string][]*big.Int{}
		for _, r := range reports {
			for _, x := range r.Transactions {
				price, priced := x.GasPrice.Get()
				if x.Layer != fee.EVM || !priced {
					continue
				}
				s := sent{Family: "evm", Height: r.Number, Index: x.Index}
				if payer, ok := x.Payer.Get(); ok {
					s.From = payer.String()
				}
				group := groupOf(t, by, s, r)
				gas, _ := x.Gas.Get()
				n := number(t, gas.String())
				paid[group] = new(big.Int).Add(cmp.Or(paid[group], new(big.Int)), new(big.Int).Mul(price.Big(), n))
				used[group] = new(big.Int).Add(cmp.Or(used[group], new(big.Int)), n)
				prices[group] = append(prices[group], price.Big())
			}
		}
		compared := 0
		for _, g := range made(t, book, report.Request{Choice: report.Choice{By: by, Percentiles: true}, Period: heights(0, head)}).Groups {
			list := prices[g.Name(console.Token{})]
			if list == nil {
				require.False(t, g.AveragePrice.Known() || g.Price10.Known(), g.Name(console.Token{}))
				continue
			}
			slices.SortFunc(list, (*big.Int).Cmp)
			rank := func(percent int) string { return list[(len(list)*percent+99)/100-1].String() }
			require.Equal(t, new(big.Int).Quo(paid[g.Name(console.Token{})], used[g.Name(console.Token{})]).String(), known(t, g.AveragePrice))
			require.Equal(t, []string{rank(10), rank(50), rank(90)}, []string{known(t, g.Price10), known(t, g.Price50), known(t, g.Price90)}, g.Name(console.Token{}))
			compared++
		}
		require.Equal(t, len(prices), compared, by)
	}
}

// sparse is a chain whose blocks are four hours and some seconds apart.
type sparse struct{ source.Source }

func (s sparse) Unwrap() source.Source { return s.Source }

func (s sparse) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := s.Source.Block(ctx, height)
	if err != nil {
		return nil, err
	}
	later := *b
	later.Extrinsics = slices.Clone(b.Extrinsics)
	for i := range later.Extrinsics {
		if x := &later.Extrinsics[i]; x.Pallet == "timestamp" {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() + int64(height)*14_407_000
			x.Args = chain.Values{chain.Uint64Value(uint64(now))}
		}
	}
	return &later, nil
}

// A report from the ledger's totals equals one from every transaction.
func TestTotalsAndTransactionsMakeTheSameReport(t *testing.T) {
	books := map[string]*ledger.Book{}
	for name, head := range heads {
		books[name], _ = kept(t, recorded(t, name), head)
	}
	reader := generated(300)
	reader.Source = sparse{reader.Source}
	books["two months"], _ = kept(t, reader, 300)
	for name, book := range books {
		status, err := book.Status(context.Background())
		require.NoError(t, err)
		last, _ := status.Sealed.Get()
		for _, zone := range []string{"UTC", "Asia/Kathmandu", "America/New_York"} {
			if testing.Short() && zone != "Asia/Kathmandu" {
				continue
			}
			zone := location(t, zone)
			periods := []ledger.Period{heights(0, last), heights(3, last-5), days(t, "2026-01-01", "2026-02-01", zone), days(t, "2025-01-01", "2027-01-01", zone), days(t, "2026-01-15", "2026-02-17", zone)}
			for _, period := range periods {
				for i, by := range report.Groupings() {
					if !tier.Takes(name + string(by)) {
						continue
					}
					q := report.Request{Choice: report.Choice{By: by}, Period: period, Zone: zone}
					if i%2 == 0 {
						q.Only = only(t, "layer=evm", "call=Ethereum.transact")
					}
					sameByTransaction(t, book, q)
				}
			}
		}
	}
}

// Days and months of selected transactions are made from the totals by contract of each day.
func TestSelectedDaysFromTotals(t *testing.T) {
	book, _ := kept(t, generated(300), 300)
	for _, by := range []report.By{report.Day, report.Month} {
		for _, condition := range []string{"layer=evm", "layer=native", "call=Ethereum.transact"} {
			r := sameByTransaction(t, book, report.Request{Choice: report.Choice{By: by, Only: only(t, condition)}, Period: heights(0, 290)})
			require.NotEmpty(t, r.Groups)
		}
	}
	var contracts []string
	for _, g := range made(t, book, report.Request{Choice: report.Choice{By: report.Contract, Only: only(t, "layer=evm")}, Period: heights(0, 300)}).Groups[:3] {
		contract, known := g.Contract.Get()
		require.True(t, known)
		contracts = append(contracts, contract.String())
	}
	for _, contract := range contracts {
		sameByTransaction(t, book, report.Request{Choice: report.Choice{By: report.Day, Only: only(t, "contract="+contract)}, Period: heights(0, 300)})
	}
}

// sameByTransaction returns a report, after it compared it with one that reads every transaction.
func sameByTransaction(t *testing.T, book *ledger.Book, q report.Request) *report.Report {
	t.Helper()
	have := made(t, book, q)
	q.Percentiles = true
	want := made(t, book, q)
	for _, f := range append([]*report.Group{{Figures: want.Totals}}, want.Groups...) {
		require.Equal(t, f.AveragePrice.Known(), f.Price10.Known() && f.Price50.Known() && f.Price90.Known())
		f.Price10, f.Price50, f.Price90 = have.Totals.Price10, have.Totals.Price50, have.Totals.Price90 // none
	}
	want.Totals.Price10, want.Totals.Price50, want.Totals.Price90 = have.Totals.Price10, have.Totals.Price50, have.Totals.Price90
	want.Percentiles = false
	require.Equal(t, want, have, "by %s, %v in %v", q.By, q.Period, q.Zone)
	return have
}

func known(t *testing.T, price chain.Optional[chain.GasPrice]) string {
	p, ok := price.Get()
	require.True(t, ok)
	return p.String()
}

// Groups of time are in chronological order, others are ordered by fee.
func TestOrder(t *testing.T) {
	book, _ := kept(t, generated(400), 400)
	for _, by := range report.Groupings() {
		groups := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, 400)}).Groups
		require.True(t, slices.IsSortedFunc(groups, func(a, b *report.Group) int {
			switch by {
			case report.Block:
				x, _ := a.Block.Get()
				y, _ := b.Block.Get()
				return cmp.Compare(x, y)
			case report.Hour, report.Day, report.Month:
				return strings.Compare(a.Name(console.Token{}), b.Name(console.Token{}))
			}
			return cmp.Or(b.Fee.Cmp(a.Fee), strings.Compare(strings.ToLower(a.Name(console.Token{})), strings.ToLower(b.Name(console.Token{}))))
		}), by)
	}
}

// A block belongs to the period of its own time: block 1 of the recordings to 2026-11-20, all others to
// 2026-01-01.
func TestTimeThatGoesBackwards(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	all := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: heights(0, 27)})
	require.Equal(t, []string{
		"block 0 has no time and belongs to no day",
		"finding: block 2: block.time: its time 2026-01-01T00:00:12Z is not after the time of block 1, 2026-11-20T09:48:11.777Z",
	}, all.Notes)
	require.False(t, all.Holds())

	january := made(t, book, report.Request{Choice: report.Choice{By: report.Block}, Period: days(t, "2026-01-01", "2026-02-01", time.UTC)})
	require.Equal(t, all.Totals, january.Totals) // block 1 has no transaction
	require.Contains(t, strings.Join(january.Notes, "\n"), "Known part")

	// A month around block 1 spans blocks 1 to 1; one around both leaves none out.
	november := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: days(t, "2026-11-01", "2026-12-01", time.UTC)})
	require.Empty(t, paid(november.Groups))
	nothing := chain.Some(chain.Wei{})
	require.Equal(t, report.Figures{PriorityFee: nothing, Tip: nothing, Charged: nothing, Burned: nothing, Treasury: nothing, Author: nothing, Gas: chain.Some(chain.Gas{})}, november.Totals)
}

// Only the payments of the selected accounts are summed up.
func TestAccounts(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	want := map[string]*big.Int{}
	for _, s := range sentIn(t, "moonbeam-2100") {
		want[s.From] = new(big.Int).Add(cmp.Or(want[s.From], new(big.Int)), number(t, s.Charged))
	}
	require.Greater(t, len(want), 1)
	for account, sum := range want {
		payer, err := chain.ParseAddress(account)
		require.NoError(t, err)
		r := made(t, book, report.Request{Choice: report.Choice{By: report.Call}, Period: heights(0, 27), Payers: map[chain.Address]bool{payer: true}})
		require.Zero(t, sum.Cmp(r.Totals.Fee.Big()), account)
	}

	// One that was named and paid for nothing is a separate group, or a note: it may be
	// mistyped.
	idle := chain.Address20([20]byte{19: 1})
	payer, err := chain.ParseAddress(sentIn(t, "moonbeam-2100")[0].From)
	require.NoError(t, err)
	asked := map[chain.Address]bool{idle: true, payer: true}
	byAccount := made(t, book, report.Request{Choice: report.Choice{By: report.Account}, Period: heights(0, 27), Payers: asked})
	require.Len(t, byAccount.Groups, 2)
	nothing := chain.Some(chain.Wei{})
	require.Equal(t, &report.Group{Key: report.Key{Account: chain.Some(idle)}, Figures: report.Figures{
		PriorityFee: nothing, Tip: nothing, Charged: nothing, Burned: nothing, Treasury: nothing, Author: nothing, Gas: chain.Some(chain.Gas{}),
	}}, byAccount.Groups[1], "the sums of no transactions are known")
	require.Equal(t, want[payer.String()].String(), byAccount.Totals.Fee.String())
	require.NotContains(t, strings.Join(byAccount.Notes, "\n"), idle.String())
	byDay := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: heights(0, 27), Payers: asked})
	require.Contains(t, byDay.Notes, "no fees in the period for 0x0000000000000000000000000000000000000001")

	empty := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: heights(0, 27), Payers: map[chain.Address]bool{}})
	require.Empty(t, paid(empty.Groups))
}

// A report with too many groups is an error; one with the maximum number is not.
func TestTooManyGroups(t *testing.T) {
	ctx := context.Background()
	book, _ := kept(t, generated(30), 30)
	q := report.Request{Choice: report.Choice{By: report.Block}}
	q.Period.Heights, q.Cover.Span = chain.Some(chain.Heights{First: 0, Last: 30}), chain.Some(chain.Heights{First: 0, Last: 30})
	report.LimitGroups(t, 30)
	r, err := report.Make(ctx, book, q, func(_, _ uint64) {})
	require.NoError(t, err)
	require.Len(t, r.Groups, 30)
	report.LimitGroups(t, 29)
	_, err = report.Make(ctx, book, q, func(_, _ uint64) {})
	var many *report.TooManyGroupsError
	require.ErrorAs(t, err, &many)
	require.EqualError(t, err, "a report by block would have more than 29 groups; choose a shorter period or a coarser grouping")
}

// A report that lists some groups has those of the whole report, the same totals, and describes the others.
func TestListed(t *testing.T) {
	book, _ := kept(t, generated(60), 60)
	for _, by := range report.Groupings() {
		if by == report.Label || by == report.InGroup {
			continue
		}
		whole := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, 60)})
		require.Zero(t, whole.Unlisted)
		for _, w := range []report.Window{{0, 1}, {0, 2}, {1, 1}, {3, 7}, {20, 40}, {5, 0}, {0, 1_000}, {7, 1_000}, {100_000, 1}} {
			first := made(t, book, report.Request{Choice: report.Choice{By: by, Listed: w}, Period: heights(0, 60)})
			from := min(w.After, len(whole.Groups))
			to := len(whole.Groups)
			if w.Count > 0 {
				to = min(from+w.Count, to)
			}
			if slices.Contains([]report.By{report.Block, report.Hour, report.Day, report.Month}, by) {
				from, to = 0, len(whole.Groups)
			}
			require.Equal(t, whole.Groups[from:to], append([]*report.Group{}, first.Groups...), "by %s, %v", by, w)
			require.Equal(t, whole.Totals, first.Totals)
			require.Equal(t, whole.Notes, first.Notes)
			want := report.Unlisted{Groups: len(whole.Groups) - (to - from)}
			for _, g := range slices.Concat(whole.Groups[:from], whole.Groups[to:]) {
				if want.Highest.Cmp(g.Fee) < 0 {
					want.Highest = g.Fee
				}
				want.OtherThanCharged = want.OtherThanCharged || g.Charged != chain.Some(g.Fee)
			}
			require.Equal(t, want, first.Unlisted)
		}
	}
}
