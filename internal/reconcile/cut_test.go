package reconcile_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// charging is a ledger in which a transaction was charged an amount.
func charging(t testing.TB, s *sent, amount string) reconcile.Book {
	return &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) {
		if x.Hash.String() == s.XtHash {
			x.Charged = chain.Some(wei(t, amount))
			x.Fee = x.Charged
		}
	}}
}

// A spreadsheet number agrees with amounts whose first 15 digits it is, cut or rounded, or whose binary number it is, and
// with no other. Text must have 15 to 17 digits itself, and be what a program writes.
func TestDigitsThatASpreadsheetKeeps(t *testing.T) {
	s := allSent(t, "moonbeam-2100")[0]
	for _, c := range []struct {
		text    string // in tokens
		number  bool
		charged string
		want    reconcile.Outcome
	}{
		{"0.0135621997409113", true, "13562199740911341", reconcile.WithinRounding},
		{"0.0135621997409113", true, "13562199740911300", reconcile.Matched},
		{"0.0135621997409113", true, "13562199740911399", reconcile.WithinRounding}, // cut off
		{"0.0135621997409114", true, "13562199740911399", reconcile.WithinRounding}, // rounded
		{"0.0135621997409114", true, "13562199740911341", reconcile.AmountDiffers},
		{"0.0135621997409113", true, "13562199740911400", reconcile.AmountDiffers},
		{"0.0135621997409113", true, "13562199740911249", reconcile.AmountDiffers},
		{"0.0135621997409113", true, "13562199740911250", reconcile.WithinRounding}, // rounded up
		{"1.3562199740911341E-2", true, "13562199740911341", reconcile.Matched},
		{"0.013562199740911", true, "13562199740911041", reconcile.WithinRounding}, // the 15th digit is 0
		{"0.013562199740911", true, "13562199740911141", reconcile.AmountDiffers},
		{"2.0999999999999999E-3", true, "2100000000000000", reconcile.Matched},
		{"0.1", true, "99999999999999999", reconcile.WithinRounding},
		// The nearby binary numbers are 117997036061304808.04, …821.92 and …835.80 wei.
		{"0.11799703606130482", true, "117997036061304825", reconcile.WithinRounding},
		{"0.11799703606130482", true, "117997036061304828", reconcile.WithinRounding},
		{"0.11799703606130482", true, "117997036061304829", reconcile.WithinRounding}, // the next double, as a division gives it
		{"0.11799703606130482", true, "117997036061304849", reconcile.AmountDiffers},
		{"0.11799703606130482", true, "117997036061304815", reconcile.WithinRounding},
		{"0.11799703606130482", true, "117997036061304790", reconcile.AmountDiffers},
		{"0.11799703606130486", true, "117997036061304825", reconcile.AmountDiffers},
		{"0.11799703606130482", false, "117997036061304825", reconcile.WithinRounding}, // 17 digits of …821.92
		{"0.11799703606130482", false, "117997036061304849", reconcile.AmountDiffers},
		{"0.11799703606130483", false, "117997036061304825", reconcile.WithinRounding}, // rounded to 17 digits
		{"0.11799703606130486", false, "117997036061304825", reconcile.AmountDiffers},
		{"0.1179970361", false, "117997036061304825", reconcile.AmountDiffers},
		{"0.0135621997409113", false, "13562199740911341", reconcile.WithinRounding},
		{"0.013562199740911300", false, "13562199740911341", reconcile.WithinRounding}, // as a format of 18 decimals shows it
		{"0.01356219974091134", false, "13562199740911341", reconcile.WithinRounding},  // rounded to 16 digits
		{"0.01356219974091135", false, "13562199740911341", reconcile.AmountDiffers},
		{"0.013562199740911342", false, "13562199740911341", reconcile.AmountDiffers}, // its double is …341.43
		{"0.013562199740911340", false, "13562199740911349", reconcile.AmountDiffers},
		{"0.0020999999999999999", false, "2100000000000000", reconcile.Matched},
		{"0.002100000000000001", false, "2100000000000000", reconcile.AmountDiffers},
		{"0.30000000000000004", false, "300000000000000000", reconcile.AmountDiffers}, // another double
		{"0.013562199740911", false, "13562199740911041", reconcile.AmountDiffers},
		{"0.0021", false, "2100000000000001", reconcile.AmountDiffers},
	} {
		g := grid{{"hash", "fee (token)"}, {s.hash(), c.text}}
		text := g.csv(',')
		if c.number {
			text = g.xlsx(t, func(f *excelize.File) { require.NoError(t, f.SetCellDefault("Sheet1", "B2", c.text)) })
		}
		o := reconcile.Options{Accounts: payers(t, []*sent{s}), Period: heights(s.Height, s.Height)}
		r := match(t, charging(t, s, c.charged), read(t, text, o), o)
		item := items(t, r)[0]
		require.Equal(t, c.want, item.Outcome, "%s beside %s", c.text, c.charged)
		require.Equal(t, c.want != reconcile.AmountDiffers, r.Agrees())
		if c.want == reconcile.WithinRounding {
			require.Contains(t, item.Notes[len(item.Notes)-1], "spreadsheets ")
			require.NotEqual(t, "0", difference(item))
		}
	}
}

// Differences within the tolerance are a separate outcome with a sum.
func TestTolerance(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	g := weiGrid(list)
	for i, more := range []uint64{7, 3} {
		sum, err := wei(t, list[i].Charged).Add(chain.NewWei(more))
		require.NoError(t, err)
		g[i+1][1] = sum.String()
	}
	o := reconcile.Options{Tolerance: chain.NewWei(5)}
	r := match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.AmountDiffers: 1, reconcile.WithinTolerance: 1}, counts(r))
	apart, _ := sum(t, r, reconcile.WithinTolerance).Difference.Get()
	require.Equal(t, "3", apart.String())
	o.Tolerance = chain.NewWei(7)
	r = match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o)
	require.True(t, r.Agrees())
	apart, _ = sum(t, r, reconcile.WithinTolerance).Difference.Get()
	require.Equal(t, "10", apart.String())

	for text, want := range map[string][2]string{
		"5": {"5", ""}, "5 wei": {"5", ""}, "1 Gwei": {"1000000000", ""}, "1.5gwei": {"1500000000", ""}, "2 token": {"2000000000000000000", ""},
		"0.000001 GLMR": {"1000000000000", "GLMR"}, " 0 ": {"0", ""},
	} {
		w, symbol, err := reconcile.ParseTolerance(text, 0)
		require.NoError(t, err, text)
		require.Equal(t, want, [2]string{w.String(), symbol})
	}
	for _, text := range []string{"", "-1", "0.1", "1 2", "GLMR", "1 G-L", "0.0000000001 Gwei", "1e3", strings.Repeat("9", 50), "1,5 Gwei"} {
		_, _, err := reconcile.ParseTolerance(text, 0)
		require.ErrorContains(t, err, "such as 1 Gwei, 0.000001 token or 500 wei", text)
	}
}

// Each notation of a sign is accepted with the matching flag only.
func TestNegative(t *testing.T) {
	for text, want := range map[string]string{
		"-5": "5", "−5": "5", "5-": "5", "5−": "5", "(5)": "5", "( 5 )": "5", "- 5": "5", "0": "0", "-0": "0", "(5 wei)": "5", "(5) wei": "5", "wei -5": "5", "-5 wei": "5", "5- wei": "5",
		"5": "is positive", "(5": "not an amount", "5)": "not an amount", "-(5)": "not an amount", "--5": "not an amount", "-": "the fee is empty", "()": "not an amount",
	} {
		g := grid{{"Extrinsic ID", "fee_wei"}, {"1-1", text}}
		rows, err := readAll(strings.NewReader(g.csv(';')), reconcile.Options{Negative: true})
		if _, notANumber := strconv.Atoi(want); notANumber != nil {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, rows[0].Fee.String(), text)
		_, err = readAll(strings.NewReader(g.csv(';')), reconcile.Options{})
		require.Equal(t, want == "0", err == nil, text)
	}
	text := grid{{"Extrinsic ID", "fee_wei"}, {"1-1", ""}}.xlsx(t, func(f *excelize.File) { f.SetCellInt("Sheet1", "B2", -5) })
	require.Equal(t, "5", read(t, text, reconcile.Options{Negative: true})[0].Fee.String())
	_, err := readAll(strings.NewReader(text), reconcile.Options{})
	require.ErrorContains(t, err, `"-5" is negative`)
}
