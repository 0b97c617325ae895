package reconcile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

// listOf reads a price file.
func listOf(t testing.TB, text string) *money.List {
	l, err := money.Read([]byte(text), "EUR")
	require.NoError(t, err)
	return l
}

// euros returns the value of amounts of wei, each at its price, computed with math/big: rounded half up, away from zero,
// once.
func euros(amounts ...[2]string) string {
	sum := new(big.Rat)
	for _, a := range amounts {
		wei, _ := new(big.Rat).SetString(a[0] + "/1000000000000000000")
		price, _ := new(big.Rat).SetString(a[1])
		sum.Add(sum, wei.Mul(wei, price))
	}
	cents := new(big.Rat).Mul(new(big.Rat).Abs(sum), big.NewRat(100, 1))
	cents.Add(cents, big.NewRat(1, 2))
	whole := new(big.Int).Quo(cents.Num(), cents.Denom())
	text := new(big.Rat).SetFrac(whole, big.NewInt(100)).FloatString(2)
	if sum.Sign() < 0 && whole.Sign() > 0 {
		return "-" + text
	}
	return text
}

func minus(a, b string) string {
	x, _ := new(big.Int).SetString(a, 10)
	y, _ := new(big.Int).SetString(b, 10)
	return x.Sub(x, y).String()
}

// Each amount is valued at the price of the transaction's day; for a row without a transaction, at the price of the row's
// date, in the zone of either.
func TestWorth(t *testing.T) {
	b := book(t, "moonbeam-2100")
	var mine []*sent
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.From == allSent(t, "moonbeam-2100")[1].From && len(mine) < 3 {
			mine = append(mine, s)
		}
	}
	const price, other = "2315.375", "99999.99" // of the recording's day, and of the day of a row
	more := mine[1].Charged + "0"               // ten times as much
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	text := "Tx Hash,fee_wei,Date\n" +
		mine[0].hash() + "," + mine[0].Charged + ",2031-05-05\n" +
		mine[1].hash() + "," + more + ",2031-05-05\n" +
		"0x" + strings.Repeat("ab", 32) + ",123456789012345678,2031-05-05\n" +
		"0x" + strings.Repeat("cd", 32) + ",1000000000000000,2031-05-05T00:30:00+02:00\n"
	list := listOf(t, "# source: sample\ndate,price\n2026-01-01,"+price+"\n2031-05-04,1\n2031-05-05,"+other+"\n")
	o := reconcile.Options{Symbol: "GLMR", Zone: berlin, Accounts: payers(t, mine[:1]), Period: heights(mine[0].Height, mine[2].Height), Prices: list}
	out, r := fixed(t, b, text, o)

	foreign := [2]string{"123456789012345678", other}
	early := [2]string{"1000000000000000", "1"} // at 22:30 of the day before, in UTC
	want := [][]string{
		{"matched", euros([2]string{mine[0].Charged, price}), euros([2]string{mine[0].Charged, price}), "0.00"},
		{"amount_differs", euros([2]string{more, price}), euros([2]string{mine[1].Charged, price}), euros([2]string{minus(more, mine[1].Charged), price})},
		{"only_in_books", euros(foreign), "", euros(foreign)},
		{"only_in_books", euros(early), "", euros(early)},
		{"only_on_chain", "", euros([2]string{mine[2].Charged, price}), euros([2]string{minus("0", mine[2].Charged), price})},
	}
	var details bytes.Buffer
	require.NoError(t, table.WriteCSV(&details, r.Details(true)))
	rows, err := csv.NewReader(strings.NewReader(details.String())).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"books_eur", "chain_eur", "difference_eur"}, rows[0][len(rows[0])-3:])
	for i, row := range rows[1:] {
		require.Equal(t, want[i], append(row[:1:1], row[len(row)-3:]...))
	}

	// The file written again has the last two columns added.
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.True(t, strings.HasSuffix(lines[0], ",notes,chain_eur,difference_eur"), lines[0])
	for i, line := range lines[1:] {
		require.True(t, strings.HasSuffix(line, ","+strings.Join(want[i][2:], ",")), line)
	}

	// The sums add exact amounts.
	books := euros([2]string{mine[0].Charged, price}, [2]string{more, price}, foreign, early)
	onChain := euros([2]string{mine[0].Charged, price}, [2]string{mine[1].Charged, price}, [2]string{mine[2].Charged, price})
	apart := euros([2]string{minus(more, mine[1].Charged), price}, foreign, early, [2]string{minus("0", mine[2].Charged), price})
	text, err = jsonOf(r)
	require.NoError(t, err)
	var parsed struct {
		Prices  money.Basis
		Total   map[string]any
		Details []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(text), &parsed))
	require.Equal(t, list.SHA256, parsed.Prices.SHA256)
	require.Equal(t, []any{books, onChain, apart}, []any{parsed.Total["books_worth"], parsed.Total["chain_worth"], parsed.Total["difference_worth"]})
	last := parsed.Details[len(parsed.Details)-1]
	require.Equal(t, []any{nil, want[4][2], want[4][3]}, []any{last["books_worth"], last["chain_worth"], last["difference_worth"]})
	summary := sheetText(t, r.Summary())
	require.Contains(t, summary, ","+books+","+onChain+","+apart+"\n")
	var shown bytes.Buffer
	require.NoError(t, r.WriteTable(&shown, true, 100))
	require.Contains(t, shown.String(), "\nbooks EUR: "+books+"\nchain EUR: "+onChain+"\ndifference EUR: "+apart+"\n")
	basis := sheetText(t, r.Basis())
	require.Contains(t, basis, "prices_sha256,"+list.SHA256+"\n")
	require.Contains(t, strings.Join(r.Notes, "\n"), "each amount at the price of its day (UTC), source: sample")
}

// A day without a price is an error, unless partial results are allowed: then the values and sums that need it are unknown.
// The same applies to a row without a date.
func TestWorthThatIsNotKnown(t *testing.T) {
	b := book(t, "moonbeam-2100")
	one := allSent(t, "moonbeam-2100")[1]
	list := listOf(t, "# source: sample\ndate,price\n2030-01-01,2\n")
	text := "Tx Hash,fee_wei\n" + one.hash() + "," + one.Charged + "\n"
	o := reconcile.Options{Prices: list}
	_, err := reconcile.Match(t.Context(), b, each(read(t, text, o)), o)
	var missing *money.MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, []string{"2026-01-01"}, missing.Missing)

	o.Partial = true
	r := match(t, b, read(t, text, o), o)
	require.False(t, r.Total.Worth.Books.Known())
	require.False(t, r.Total.Worth.Chain.Known())
	difference, known := r.Total.Worth.Difference.Get()
	require.True(t, known)
	require.Equal(t, "0.00", difference.String()) // nothing is worth nothing at any price
	var shown bytes.Buffer
	require.NoError(t, r.WriteTable(&shown, true, 100))
	require.Contains(t, shown.String(), "\nbooks EUR: unknown\nchain EUR: unknown\ndifference EUR: 0.00\n")
	require.Contains(t, strings.Join(r.Notes, "\n"), "Not valued: no price in EUR for 1 day: 2026-01-01")

	text = "Tx Hash,fee_wei\n0x" + strings.Repeat("ab", 32) + ",5\n"
	o.Partial = false
	r = match(t, b, read(t, text, o), o)
	require.False(t, r.Total.Worth.Books.Known())
	require.False(t, r.Total.Worth.Difference.Known())
	require.True(t, r.Total.Worth.Chain.Known())
	require.Contains(t, strings.Join(r.Notes, "\n"), "unknown payment time")
}

func jsonOf(r *reconcile.Result) (string, error) {
	var out bytes.Buffer
	err := r.WriteJSON(&out, true)
	return out.String(), err
}

func sheetText(t testing.TB, s *table.Sheet) string {
	var out bytes.Buffer
	require.NoError(t, table.WriteCSV(&out, s))
	return out.String()
}
