package variance_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scaled multiplies a transaction's amounts, so that they are worth showing in tokens.
func scaled(t *ledger.Transaction) *ledger.Transaction {
	for _, w := range []*chain.Optional[chain.Wei]{&t.Fee, &t.PriorityFee, &t.Tip} {
		if amount, known := w.Get(); known {
			amount, _ = amount.Times(1_000_000_000_001)
			*w = chain.Some(amount)
		}
	}
	return t
}

// reported returns the report of a variance of two months.
func reported(t testing.TB, now, before list) *variance.Report {
	labels := &addressbook.Book{}
	require.NoError(t, labels.Add(addressbook.Entry{Address: contracts[0], Label: "Exchange", Group: "trading"}))
	span := func(first, last uint64) ledger.Cover {
		return ledger.Cover{Span: chain.Some(chain.Heights{First: first, Last: last})}
	}
	return &variance.Report{
		Variance: compared(t, now, before), Network: "moonbeam", Token: console.Token{Symbol: "GLMR"}, Accounts: contracts[3:], Labels: labels,
		Period: variance.Side{Name: "2025-12", Length: "31 days", Cover: span(101, 200), Evidence: evidence.Recorded(100)},
		Other:  variance.Side{Name: "2025-11", Length: "30 days", Cover: span(1, 100), Evidence: evidence.Recorded(100)},
	}
}

// many returns the transactions of two months: the contract of TestSteps, whose amounts are ×10^12 and a little; two new
// calls and five that are gone; a native call without a change of its fee; and a fee that is not known.
func many() (now, before list) {
	failed := func(t *ledger.Transaction) { t.Outcome = fee.Reverted }
	now = append(times(12, scaled(evmAt(contracts[0], 55_000, 90, 8))), scaled(native("balances.transfer", 700_000, 20_000)), scaled(native("balances.transfer", 700_000, 0)), scaled(with(evmAt(contracts[1], 90_000, 90, 0), failed)), scaled(evmAt(contracts[2], 21_000, 90, 0)), with(native("system.remark", 0, 0), unpriced))
	before = append(times(9, scaled(evmAt(contracts[0], 50_000, 100, 5))), scaled(with(evmAt(contracts[0], 50_000, 100, 5), failed)), scaled(native("balances.transfer", 700_000, 20_000)))
	for i, call := range []string{"a", "b", "c", "d", "e"} {
		before = append(before, scaled(native("proxy."+call, uint64(100_000*(i+1)), 0)))
	}
	return now, before
}

// golden compares a text with a file.
func golden(t *testing.T, name string, got []byte) {
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestGolden(t *testing.T) {
	now, before := many()
	for name, c := range map[string]struct {
		form  string
		width int
		top   chain.Optional[int]
	}{
		"wide.txt": {"table", 200, chain.Optional[int]{}}, "narrow.txt": {"table", 70, chain.Some(1)}, "all.json": {"json", 0, chain.Optional[int]{}}, "top.csv": {"csv", 0, chain.Some(2)},
	} {
		r := reported(t, now, before)
		r.Top = c.top
		var text bytes.Buffer
		require.NoError(t, r.Document().Write(&text, c.form, c.width))
		golden(t, name, text.Bytes())
	}
}

// The rows of a file add up to the difference, whatever the number of calls shown.
func TestRowsAddUp(t *testing.T) {
	now, before := many()
	for top := range 7 {
		r := reported(t, now[:len(now)-1], before)
		r.Top = chain.Some(top)
		var text bytes.Buffer
		require.NoError(t, r.Document().Write(&text, "json", 0))
		var v struct {
			Difference   string
			Steps, Calls []struct{ Step, Amount string }
		}
		require.NoError(t, json.Unmarshal(text.Bytes(), &v))
		for _, rows := range [][]struct{ Step, Amount string }{v.Steps, v.Calls} {
			sum := new(big.Int)
			for _, row := range rows {
				amount, ok := new(big.Int).SetString(row.Amount, 10)
				require.True(t, ok)
				sum.Add(sum, amount)
			}
			require.Equal(t, v.Difference, sum.String())
		}
	}
}

// The sentences name what rose and fell, and the call that explains most of a step.
func TestWords(t *testing.T) {
	now, before := many()
	for _, c := range []struct {
		now, before list
		want        []string
	}{
		{nil, nil, []string{"Fees did not change: they were 0 GLMR in both periods."}},
		{list{native("a", 3, 0)}, list{native("a", 3, 0)}, []string{"Fees did not change: they were 3 wei in both periods."}},
		{list{scaled(native("a", 3_000_000, 0))}, nil, []string{
			"Fees rose by 3.00… GLMR, from 0 GLMR in November 2025 to 3.00… GLMR in December 2025.", "Of the difference: 3.00… GLMR more from new calls, only a.",
		}},
		// 3 × 10 against 2 × 15 and 1 × 1: the call b is gone, and a is more often called, for less.
		{times(3, native("a", 10, 4)), append(times(2, native("a", 15, 0)), native("b", 1, 0)), []string{
			"Fees fell by 1 wei (−3.23 %), from 31 wei in November 2025 to 30 wei in December 2025.",
			"Of the difference: 27 wei less from a lower fee per transaction, only a; 15 wei more from more transactions, only a; 12 wei more from higher priority fees and tips, only a; 1 wei less from calls that are gone, only b.",
		}},
		{
			list{evmAt(contracts[0], 5, 3, 1), evmAt(contracts[1], 1, 4, 0), evmAt(contracts[2], 5, 2, 1)}, list{evmAt(contracts[0], 4, 2, 2), evmAt(contracts[1], 1, 2, 0), evmAt(contracts[2], 5, 2, 1)},
			[]string{
				"Fees rose by 6 wei (+18.18 %), from 33 wei in November 2025 to 39 wei in December 2025.",
				// Gas 1 × 4 of the first. Base fee 5 × 1 and 1 × 2; priority fees 5 × −1.
				"Of the difference: 7 wei more from a higher base fee, mostly ethereum.transact of Exchange; 5 wei less from lower priority fees and tips, only ethereum.transact of Exchange; 4 wei more from more gas per transaction, only ethereum.transact of Exchange.",
			},
		},
		{list{native("a", 5, 0), native("b", 4, 0), native("c", 3, 0)}, nil, []string{
			"Fees rose by 12 wei, from 0 GLMR in November 2025 to 12 wei in December 2025.", "Of the difference: 12 wei more from new calls, of 3 calls.",
		}},
	} {
		require.Equal(t, c.want, reported(t, c.now, c.before).Words())
	}
	words := reported(t, now, before).Words()
	require.True(t, strings.HasPrefix(words[0], "The difference is not known, because fees are undetermined: 1 in December 2025 and 0 in November 2025. As far as they are known: Fees rose by "), words[0])
	require.Contains(t, words[len(words)-1], "Failed transactions paid 8.10… GLMR in December 2025 (1) and 5.25… GLMR in November 2025 (1).")
}

// Notes name what the steps do not explain.
func TestNotes(t *testing.T) {
	noGas := func(t *ledger.Transaction) { t.Gas = chain.Optional[chain.Gas]{} }
	inAsset := func(t *ledger.Transaction) { t.Fee, t.AssetFee.Asset = chain.Some(chain.Wei{}), "1984" }
	drifts := func(t *ledger.Transaction) { t.Verdict = evidence.Drift }
	r := reported(t, list{with(evmAt(contracts[0], 1, 1, 1), noGas), with(native("a", 0, 0), inAsset), with(native("a", 5, 0), drifts)}, list{evmAt(contracts[0], 1, 1, 1), with(native("b", 0, 0), unpriced)})
	r.Partial, r.Notes = []string{"a part"}, []string{"another"}
	require.Equal(t, []string{
		"a part", "the periods differ in length: 31 days and 30 days",
		"gas or priority fee not known for some transactions of 1 EVM call: number and fee of the transactions explain its fees",
		"December 2025: 1 fee differs from what the chain charged: the steps explain the fees by the rules", "December 2025: 1 fee was paid in an asset, and is in no step",
		"November 2025: 1 fee is undetermined, and in no step", "another", variance.Order,
		"evidence: December 2025: recorded (reported by the gateway, not proved)", "evidence: November 2025: recorded (reported by the gateway, not proved)",
	}, r.AllNotes())
}

// Fees paid in assets have a row for each call in files without notes, and a part of the periods has its columns. Neither
// changes the steps.
func TestFilesWithoutNotes(t *testing.T) {
	inAsset := func(t *ledger.Transaction) { t.Fee, t.AssetFee.Asset = chain.Some(chain.Wei{}), "1984" }
	now, before := list{native("a", 5, 0), with(native("a", 0, 0), inAsset), with(native("b", 0, 0), inAsset)}, list{native("a", 3, 0), with(native("b", 0, 0), inAsset)}
	r := reported(t, now, before)
	r.Part, r.Period.Part, r.Other.Part = "to 2 Dec", "to 2 Dec, now", "to 2 Nov, then"
	var text bytes.Buffer
	require.NoError(t, r.Document().Write(&text, "csv", 0))
	lines, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	var rows []string
	n := len(lines[0])
	require.Equal(t, []string{"paid_in_assets", "paid_in_assets_before", "part", "part_before"}, lines[0][n-4:])
	for _, line := range lines[1:] {
		require.Equal(t, []string{"to 2 Dec, now", "to 2 Nov, then"}, line[n-2:])
		if line[0] == "paid_in_assets" {
			rows = append(rows, line[2]+" "+line[n-4]+" "+line[n-3])
		}
	}
	require.Equal(t, []string{"a 1 0", "b 1 1"}, rows)
	require.Equal(t, "2", must(r.Difference()).String())

	text.Reset()
	require.NoError(t, reported(t, list{native("a", 5, 0)}, nil).Document().Write(&text, "csv", 0))
	require.NotContains(t, text.String(), "paid_in_assets")
	require.NotContains(t, text.String(), "part")
}

func must(o chain.Optional[chain.SignedWei]) chain.SignedWei { amount, _ := o.Get(); return amount }

// A document that cannot be written is an error.
func TestFullDisk(t *testing.T) {
	now, before := many()
	for _, form := range []string{"table", "csv", "json", "xlsx"} {
		require.ErrorIs(t, reported(t, now, before).Document().Write(full{}, form, 80), errFull)
	}
	require.Equal(t, []string{"steps", "calls"}, names(reported(t, now, before).Document().Sheets()))
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func names(sheets []*table.Sheet) (list []string) {
	for _, s := range sheets {
		list = append(list, s.Name)
	}
	return list
}

// With prices, sentences and JSON have the fees of both periods in the currency; the difference is not known if a price or
// a fee is not.
func TestWorth(t *testing.T) {
	prices, err := money.ReadFiles([]money.File{{Name: "prices.csv", Text: []byte("# source: a test\ndate,EUR\n2025-12-01,0.5\n2025-11-01,0.25\n")}}, money.Options{Fiat: "EUR"})
	require.NoError(t, err)
	worth := func(tokens uint64, day string) chain.Optional[money.Amount] {
		at, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		when, err := chain.TimeAt(uint64(at.UnixMilli()))
		require.NoError(t, err)
		amount, err := chain.NewWei(1_000_000_000_000_000_000).Times(tokens)
		require.NoError(t, err)
		return money.Value(prices.Valuer(), amount, chain.Some(when))
	}
	r := reported(t, list{with(native("a", 1, 0), func(t *ledger.Transaction) { t.Tip = chain.Optional[chain.Wei]{} })}, nil)
	r.Labels, r.Prices, r.Period.Worth, r.Other.Worth = nil, prices, worth(7, "2025-12-01"), worth(5, "2025-11-01") // 3.50 and 1.25
	inCurrency := func() string {
		var text bytes.Buffer
		require.NoError(t, r.Document().Write(&text, "json", 0))
		require.NotContains(t, text.String(), `"label"`)
		var v struct{ Currency json.RawMessage }
		require.NoError(t, json.Unmarshal(text.Bytes(), &v))
		var short bytes.Buffer
		require.NoError(t, json.Compact(&short, v.Currency))
		return short.String()
	}
	require.Equal(t, `{"currency":"EUR","fee":"3.50","fee_before":"1.25","difference":"2.25"}`, inCurrency())
	require.Contains(t, r.Words(), "In EUR they were 3.50 after 1.25, each fee at the price of its own day or hour.")
	r.Other.Worth = chain.Optional[money.Amount]{}
	require.Equal(t, `{"currency":"EUR","fee":"3.50","fee_before":null,"difference":null}`, inCurrency())
	require.Len(t, r.Words(), 2)
}
