package reconcile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/reconcile"
)

// Amounts as programs and people write them. Each is read to the wei, or the message names the unrecognised part.
func TestAmountsAsTheyAreWritten(t *testing.T) {
	const token, gwei, wei = reconcile.Token, reconcile.Gwei, reconcile.Wei
	for _, c := range []struct {
		unit      reconcile.Unit
		thousands rune
		text      string
		want, why string
	}{
		// A number with an exponent has the written value; a format that pads digits may hide others.
		{wei, 0, "2.1E+15", "2100000000000000", ""},
		{wei, 0, "2.1e15", "2100000000000000", ""},
		{wei, 0, "2.096278556229452E+15", "2096278556229452", ""},
		{wei, 0, "2.100000000000000E+15", "2100000000000000", ""}, // all 16 digits
		{wei, 0, "2.10E+15", "", "shows only 3 digits, and its format may hide others"},
		{wei, 0, "2.100E15 wei", "", "shows only 4 digits"},
		{wei, 0, "1.50E+02", "150", ""},
		{wei, 0, "0.00E+00", "0", ""},
		{wei, 0, "2.1E-1", "", "has a fraction"},
		{wei, 0, "1E+39", "", "exceeds any amount"},
		{wei, 0, "1E+9999", "", "exceeds any amount"},
		{wei, 0, "1E+99999", "", "not an amount"},
		{token, 0, "2.1E-3", "2100000000000000", ""},
		{token, 0, "2.1E\u22123", "2100000000000000", ""},
		{token, 0, "2.1e-05 GLMR", "21000000000000", ""},
		{token, 0, "1E-18", "1", ""},
		{token, 0, "1E-19", "", "19 decimals"},
		{token, 0, "2.10E-03", "", "shows only 3 digits"},
		{gwei, 0, "2.1E+6", "2100000000000000", ""},

		// A second amount in the cell.
		{"", 0, "0.0021 GLMR ($0.00048)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR (€0,00)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR [0.00048 USD]", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR (US$ 0.00048)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR (<$0.01)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR / $0.00048", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR ≈ $0.00048", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR @ $0.23", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR $0.00048", "2100000000000000", ""},
		{"", 0, "$0.00048 (0.0021 GLMR)", "2100000000000000", ""},
		{"", 0, "2100000000000000 wei (0.0021 GLMR)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR (2100000 Gwei)", "2100000000000000", ""},
		{"", 0, "0.0021 GLMR (2100001 Gwei)", "", `contains two different amounts, "0.0021 GLMR" and "2100001 Gwei"`},
		{token, 0, "0.0021 ($0.00048)", "2100000000000000", ""},
		{"", 0, "0.0021 ($0.00048)", "", "has no unit"},
		{token, 0, "0.0021 (5)", "", `"5" is not recognised`},
		{"", 0, "0.0021 GLMR (0.5 MOVR)", "", `"0.5 MOVR" is not recognised`},
		{"", 0, "0.0021 MOVR", "", "is in MOVR, but the ledger is in GLMR"},
		{token, 0, "0.0021 MOVR ($0.01)", "", `"MOVR" is not recognised`},
		{token, 0, "$0.00048", "", "is in a currency"},
		{token, 0, "0.00048 USD", "", "is in USD, but the ledger is in GLMR"},
		{token, 0, "$0.01 (€0.01)", "", "is in a currency"},
		{token, 0, "<0.000001", "", `states a bound ("<") instead of an amount`},
		{token, 0, "< 0.000001 GLMR", "", `states a bound ("<")`},
		{token, 0, "~0.0021", "", `"~" is not recognised`},
		{token, 0, "1.5k", "", `"k" is not recognised`},
		{token, 0, "0.1 + 0.2", "", `"0.2" is not recognised`},
		{wei, 0, "0x775f05a074000", "2100000000000000", ""},
		{wei, 0, "0X775F05A074000", "2100000000000000", ""},
		{token, 0, "0x775f05a074000", "", "is hexadecimal"},
		{wei, 0, "0x1" + strings.Repeat("0", 32), "", "more than 128 bits"},

		// Groups of digits.
		{wei, ',', "2,10,00,00,00,00,00,000", "2100000000000000", ""},
		{wei, ',', "1,00,000", "100000", ""},
		{wei, ',', "10,00,000.00", "1000000", ""},
		{wei, ',', "100,00,000", "", "not an amount"},
		{wei, ',', "1,00,0000", "", "not an amount"},
		{wei, ',', "1,000,00,000", "", "not an amount"},
		{wei, ',', "1,0000", "", "not an amount"},
		{wei, ',', "1,,000", "", "not an amount"},
		{wei, ' ', "2 100\u00a0000\u2009000\u202f000\u2007000", "2100000000000000", ""},
		{wei, '\'', "2’100'000", "2100000", ""},
		{wei, '_', "2_100_000", "2100000", ""},
		{wei, 0, "2_100_000", "", "no thousands separator"},

		// Signs, and wrappers that keep a spreadsheet from changing a text.
		{wei, 0, "+2100", "2100", ""},
		{wei, 0, "-+2100", "", "not an amount"},
		{wei, 0, "–5", "", "is negative"},
		{wei, 0, "5-", "", "is negative"},
		{wei, 0, "(5 wei)", "", "is negative"},
		{wei, 0, `="2100"`, "2100", ""},
		{wei, 0, "'2100", "2100", ""},
		{wei, 0, "\ufeff2100\u200b", "2100", ""},
		{wei, 0, "\u00a02100\u00a0", "2100", ""},
		{wei, 0, "-", "", "the fee is empty"},
		{wei, 0, "—", "", "the fee is empty"},
	} {
		g := grid{{"Extrinsic ID", "fee"}, {"25-7", c.text}}
		o := reconcile.Options{Unit: c.unit, Thousands: c.thousands, Symbol: "GLMR"}
		rows, err := readAll(strings.NewReader(g.csv(';')), o)
		if c.why != "" {
			require.ErrorContains(t, err, c.why, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, rows[0].Fee.String(), c.text)
	}
}

// A number with an exponent that differs from the fee is reported, however few digits it has; a note says if the fee rounds
// to it.
func TestExponentsAreCompared(t *testing.T) {
	s := allSent(t, "moonbeam-2100")[0]
	for _, c := range []struct {
		text, charged string
		want          reconcile.Outcome
		notes         []string
	}{
		{"2.1E+15", "2100000000000000", reconcile.Matched, nil},
		{"2.09628E+15", "2096278556229452", reconcile.AmountDiffers, []string{"the record states only 6 digits of the fee"}},
		{"2.09627E+15", "2096278556229452", reconcile.AmountDiffers, []string{"the record states only 6 digits of the fee"}}, // cut
		{"2.09629E+15", "2096278556229452", reconcile.AmountDiffers, nil},
		{"1.35621997409113E+16", "13562199740911341", reconcile.WithinRounding, []string{"spreadsheets keep 15 digits, so 13562199740911341 wei became 13562199740911300"}},
	} {
		text := grid{{"hash", "fee_wei"}, {s.hash(), c.text}}.csv(',')
		o := reconcile.Options{Accounts: payers(t, []*sent{s}), Period: heights(s.Height, s.Height)}
		for _, i := range items(t, match(t, charging(t, s, c.charged), read(t, text, o), o)) {
			if i.Row != nil {
				require.Equal(t, c.want, i.Outcome, c.text)
				require.Equal(t, c.notes, i.Notes, c.text)
			}
		}
	}
}

// Unambiguous dates are read without a format; others by the declared one.
func TestDatesAsTheyAreWritten(t *testing.T) {
	const at = "2026-01-01T00:04:48Z"
	for _, c := range []struct{ format, text, want string }{
		{"", "2026-01-01 00:04:48 UTC", at}, // Koinly
		{"", "2026-01-01 00:04:48 (+UTC)", at},
		{"", "2026-01-01 00:04:48 (UTC)", at}, // Subscan
		{"", "2026-01-01 00:04:48 GMT", at},
		{"", "2026-01-01 00:04:48Z", at},
		{"", "2026-01-01 00:04:48 +0000", at},
		{"", "2026-01-01T01:04:48.000+01:00", at},
		{"", "2025-12-31 19:04:48 -0500", at},
		{"", "2026-01-01 02:04 UTC+2", "2026-01-01T00:04:00Z"},
		{"", "2026/01/01 00:04:48", at},
		{"", "2026-1-1 0:04:48", at},
		{"", "2026-01-01 12:04:48 AM", at},
		{"", "2026-01-01 12:04:48\u202fp.m.", "2026-01-01T12:04:48Z"},
		{"", "2026-01-01 UTC", "2026-01-01T00:00:00Z"},
		{"", "01 Jan 2026 00:04:48 GMT", at}, // Fireblocks
		{"", "Thu, 01 Jan 2026 00:04:48 GMT", at},
		{"", "Thu Jan 01 2026 00:04:48 GMT+0000 (Coordinated Universal Time)", at},
		{"", "Jan-01-2026 12:04:48 AM +UTC", at}, // an explorer's page
		{"", "January 1, 2026 at 12:04 AM", "2026-01-01T00:04:00Z"},
		{"", "Jan 1, 2026, 12:04:48 AM", at},
		{"", "1-Jan-2026", "2026-01-01T00:00:00Z"},
		{"", "2026-01-01 00:04:48 CET", "refused"},
		{"", "2026-01-01 13:04:48 PM", "refused"},
		{"", "2026-01-01 00:04:48 AM", "refused"},
		{"", "2026-01-01 AM", "refused"},
		{"", "2026-13-01", "refused"},
		{"", "03/04/2026", "refused"},
		{"", "1767225888", "refused"},
		{"", "46023.0033", "refused"},
		{"mm/dd/yyyy HH:MM:SS", "1/1/2026 12:04:48 AM", at}, // older Etherscan
		{"mm/dd/yyyy HH:MM:SS AM", "01/01/2026 12:04:48 AM", at},
		{"mm/dd/yyyy HH:MM:SS AM/PM", "1/1/2026 12:04:48 PM", "2026-01-01T12:04:48Z"},
		{"dd/mm/yyyy HH:MM:SS", "01/01/2026 00:04:48 UTC", at}, // rotki
		{"dd/mm/yyyy HH:MM:SS UTC", "01/01/2026 00:04:48 UTC", at},
		{"dd/mm/yyyy, HH:MM:SS", "01/01/2026, 00:04:48", at},
		{"dd/mm/yyyy", "\u200e3/\u200e4/\u200e2026", "2026-04-03T00:00:00Z"}, // a Windows program
		{"mm/dd/yyyy", "3/4/2026", "2026-03-04T00:00:00Z"},
		{"mm/dd/yy", "3/4/26", "2026-03-04T00:00:00Z"},
		{"mm/dd/yyyy", "13/4/2026", "refused"},
		{"unix", "1767225888", at},
		{"unix", "1767225888.0", at},
		{"unix", "1767225888000", "refused"},
		{"unix-ms", "1767225888000", at},
		{"unix-ms", "1767225888", "refused"},
		{"unix", "2026-01-01", "refused"},
		{"excel", "46023.0033333333", at}, // 46023 days after 1899-12-30, and 288 of 86400 seconds
		{"excel", "46023,0033333333", at},
		{"excel", "46023", "2026-01-01T00:00:00Z"},
	} {
		rows, err := readAll(strings.NewReader("Extrinsic ID;fee_wei;date\n1-1;5;"+c.text+"\n"), reconcile.Options{DateFormat: c.format})
		if c.want == "refused" {
			require.ErrorContains(t, err, `line 2, column 3 "date": `, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, chain.Some(timeAt(t, c.want)), rows[0].Date, c.text)
	}
	for format, number := range map[string]int64{"unix": 1767225888, "unix-ms": 1767225888000, "yyyymmdd": 20260101, "dd.mm.yyyy": 46023, "": 46023} {
		text := grid{{"Extrinsic ID", "fee_wei", "date"}, {"1-1", "5", ""}}.xlsx(t, func(f *excelize.File) {
			require.NoError(t, f.SetCellInt("Sheet1", "C2", number))
		})
		rows := read(t, text, reconcile.Options{DateFormat: format})
		require.Equal(t, "2026-01-01", func() string { at, _ := rows[0].Date.Get(); return at.Std().Format("2006-01-02") }(), format)
	}
}

// A row may have empty cells after the last column, or end before unused columns; one that may be truncated is rejected.
func TestRowsOfOtherLengths(t *testing.T) {
	const head = "Extrinsic ID,fee_wei,memo,note\n"
	for text, want := range map[string]struct {
		fees int
		note string
		why  string
	}{
		"1-1,5,x,y,\n1-2,6,x,y, ,\n":         {2, "", ""},
		"1-1,5,x,y,z\n":                      {0, "", "it has 5 columns, but the header has 4"},
		"1-1,5,x,y\n1-2,6\n1-3,7,\n":         {3, "Lines 3 and 4 end before the last column; missing cells count as empty.", ""},
		"1-1,5,x,y\n" + head + "1-2,6,x,y\n": {2, "Line 3 repeats the header.", ""},
		"1-1,5,x,y\n1-2,6":                   {0, "", "the file may be truncated"},
		"1-1\n":                              {0, "", "the file may be truncated"},
	} {
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(head+text), reconcile.Options{})
		if want.why != "" {
			require.ErrorContains(t, err, want.why, text)
			continue
		}
		require.NoError(t, err, text)
		require.NoError(t, f.Close())
		require.Equal(t, want.fees, f.Count, text)
		require.Equal(t, want.note, strings.Join(f.Notes, " "), text)
	}
}

// A hash may be in a URL, in a link, in brackets, or without 0x; it must be the only one.
func TestHashesInCells(t *testing.T) {
	hash := "0xAB" + strings.Repeat("ab", 31)
	for text, why := range map[string]string{
		hash: "", hash[2:]: "", "https://moonscan.io/tx/" + hash: "", `["` + hash + `"]`: "", "Fee " + hash: "",
		`=HYPERLINK("https://moonscan.io/tx/` + hash + `","` + hash[:10] + `...")`: "", "=\"" + hash + "\"": "", hash + " " + hash: "",
		hash + ", 0x" + strings.Repeat("cd", 32): "two hashes", hash + "ab": "want 0x and 64 hex digits", hash[:64]: "want 0x and 64 hex digits",
	} {
		rows, err := readAll(strings.NewReader(grid{{"hash", "fee_wei"}, {text, "5"}}.csv(',')), reconcile.Options{})
		if why != "" {
			require.ErrorContains(t, err, why, text)
			continue
		}
		require.NoError(t, err, text)
		read, _ := rows[0].Hash.Get()
		require.Equal(t, strings.ToLower(hash), read.String(), text)
	}
	for form, text := range map[string]string{"JSON": `{"hash":"0x","fee":5}`, "Parquet": "PAR1....", "a web page": "\ufeff <!DOCTYPE html>"} {
		_, err := readAll(strings.NewReader(text), reconcile.Options{})
		require.ErrorContains(t, err, "it is "+form, text)
	}
}

// If only people can decide, each way is offered with its meaning.
func TestWaysToRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []reconcile.Way
	}{
		"a comma": {"Extrinsic ID;fee_token\n1-1;1,234\n", []reconcile.Way{
			{Means: `"1,234" is 1234`, Settings: []reconcile.Setting{{Name: "thousands", Value: ","}}},
			{Means: `"1,234" is 1.234`, Settings: []reconcile.Setting{{Name: "decimal", Value: ","}}}}},
		"a comma of wei": {"Extrinsic ID;fee_wei\n1-1;1,234\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "thousands", Value: ","}}}}},
		"mixed":          {"Extrinsic ID;fee_token\n1-1;1.234,56\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "decimal", Value: ","}, {Name: "thousands", Value: "."}}}}},
		"lakh":           {"Extrinsic ID;fee_wei\n1-1;2,10,00,000\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "thousands", Value: ","}}}}},
		"Swiss":          {"Extrinsic ID;fee_wei\n1-1;2’100’000\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "thousands", Value: "'"}}}}},
		"spaces":         {"Extrinsic ID;fee_token\n1-1;2\u202f100,5\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "decimal", Value: ","}, {Name: "thousands", Value: " "}}}}},
		"with a worth":   {"Extrinsic ID;fee\n1-1;0,0021 token ($0.01)\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "decimal", Value: ","}}}}},
		"a slash": {"Extrinsic ID;fee_wei;date\n1-1;5;03/04/2026\n", []reconcile.Way{
			{Means: `"03/04/2026" is 2026-04-03`, Settings: []reconcile.Setting{{Name: "date-format", Value: "dd/mm/yyyy"}}},
			{Means: `"03/04/2026" is 2026-03-04`, Settings: []reconcile.Setting{{Name: "date-format", Value: "mm/dd/yyyy"}}}}},
		"an unambiguous slash": {"Extrinsic ID;fee_wei;date\n1-1;5;03/04/2026\n1-2;5;3/14/2026\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "date-format", Value: "mm/dd/yyyy"}}}}},
		"AM":                   {"Extrinsic ID;fee_wei;date\n1-1;5;1/31/2026 12:04:48 AM\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "date-format", Value: "mm/dd/yyyy HH:MM:SS"}}}}},
		"seconds":              {"Extrinsic ID;fee_wei;date\n1-1;5;1767225888\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "date-format", Value: "unix"}}}}},
		"milliseconds":         {"Extrinsic ID;fee_wei;date\n1-1;5;1767225888000\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "date-format", Value: "unix-ms"}}}}},
		"serial":               {"Extrinsic ID;fee_wei;date\n1-1;5;46023.0033\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "date-format", Value: "excel"}}}}},
		"two columns": {"Extrinsic ID;Fee;Fee\n1-1;5;6\n", []reconcile.Way{
			{Means: `the fee is column 2, "Fee"`, Settings: []reconcile.Setting{{Name: "map", Value: "fee=#2"}}},
			{Means: `the fee is column 3, "Fee"`, Settings: []reconcile.Setting{{Name: "map", Value: "fee=#3"}}}}},
		"two names": {"Extrinsic ID;Fee;Gas fee\n1-1;5;6\n", []reconcile.Way{
			{Means: `the fee is column 2, "Fee"`, Settings: []reconcile.Setting{{Name: "map", Value: "fee=Fee"}}},
			{Means: `the fee is column 3, "Gas fee"`, Settings: []reconcile.Setting{{Name: "map", Value: "fee=Gas fee"}}}}},
		"both signs": {"Extrinsic ID;fee_wei\n1-1;-5\n1-2;5\n", []reconcile.Way{
			{Means: "negative amounts are fees, positive ones are refunds", Settings: []reconcile.Setting{{Name: "negative"}}},
			{Means: "positive amounts are fees, negative ones are refunds", Settings: []reconcile.Setting{{Name: "skip-rows", Value: "2"}}}}},
		"an exponent": {"Extrinsic ID;fee_wei\n1-1;2,1E+15\n", []reconcile.Way{{Settings: []reconcile.Setting{{Name: "decimal", Value: ","}}}}},
		"rounded":     {"Extrinsic ID;fee_wei\n1-1;2.10E+15\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(strings.NewReader(c.text), reconcile.Options{})
			require.Error(t, err)
			require.Equal(t, c.want, reconcile.Tries(err))
		})
	}
	// A header that ends with a separator has no additional column.
	require.Empty(t, file(t, "Extrinsic ID,fee_wei,\n1-1,5\n", reconcile.Options{}).Notes)
	// The fees may be in another sheet.
	book := grid{{"Company Ltd", "2026"}}.xlsx(t, func(f *excelize.File) {
		_, err := f.NewSheet("fees")
		require.NoError(t, err)
		require.NoError(t, f.SetSheetRow("fees", "A1", &[]string{"Extrinsic ID", "fee_wei"}))
		require.NoError(t, f.SetSheetRow("fees", "A2", &[]string{"1-1", "6"}))
	})
	_, err := readAll(strings.NewReader(book), reconcile.Options{})
	ways := reconcile.Tries(err)
	require.Equal(t, []reconcile.Way{{Means: `the fees are in the sheet "fees"`, Settings: []reconcile.Setting{{Name: "sheet", Value: "fees"}}}}, ways)
	require.Equal(t, "6", read(t, book, with(reconcile.Options{}, ways[0].Settings))[0].Fee.String())
	// A column that states its unit, or the payer, is preferred.
	rows := read(t, "Extrinsic ID;fee;fee_wei;from;payer\n1-1;0.5;6;;\n", reconcile.Options{})
	require.Equal(t, "6", rows[0].Fee.String())
	rows = read(t, "Extrinsic ID;Fee;fee\n1-1;5;6\n", reconcile.Options{Unit: reconcile.Wei, Columns: map[reconcile.Field]string{reconcile.Fee: "#3"}})
	require.Equal(t, "6", rows[0].Fee.String())
}
