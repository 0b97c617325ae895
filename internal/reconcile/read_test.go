package reconcile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// Amounts by declaration; "" if rejected, with the reason.
func TestAmounts(t *testing.T) {
	const token, gwei, wei = reconcile.Token, reconcile.Gwei, reconcile.Wei
	for _, c := range []struct {
		unit               reconcile.Unit
		decimal, thousands rune
		text, want, why    string
	}{
		{wei, '.', 0, "2100000000000000", "2100000000000000", ""},
		{wei, '.', 0, " 2100 ", "2100", ""},
		{wei, '.', 0, "0", "0", ""},
		{wei, '.', 0, "0007", "7", ""},
		{wei, '.', 0, "12.00", "12", ""},
		{wei, '.', 0, "12.5", "", "wei are whole"},
		{wei, '.', 0, "1,234", "", "no thousands separator"},
		{wei, '.', ',', "1,234", "1234", ""},
		{wei, '.', ',', "1,234,567", "1234567", ""},
		{wei, '.', ',', "12,34", "", "not an amount"},
		{wei, '.', ',', "1234,567", "", "not an amount"},
		{wei, '.', ',', ",123", "", "not an amount"},
		{wei, '.', ',', "123,", "", "not an amount"},
		{wei, ',', '.', "1.234", "1234", ""},
		{wei, ',', 0, "1.234", "", "not an amount"},
		{wei, '.', 0, "1.234", "", "thousands separator with --thousands"},
		{wei, '.', '\'', "1'234'567", "1234567", ""},
		{wei, '.', ' ', "1 234\u00a0567\u202f890", "1234567890", ""},
		{wei, '.', 0, "340282366920938463463374607431768211455", "340282366920938463463374607431768211455", ""},
		{wei, '.', 0, "340282366920938463463374607431768211456", "", "more than 128 bits"},
		{wei, '.', 0, strings.Repeat("9", 5000), "", "exceeds any amount"},
		{wei, '.', 0, "", "", "the fee is empty"},
		{wei, '.', 0, ".", "", "not an amount"},
		{wei, '.', 0, "-5", "", "negative"},
		{wei, '.', 0, "−5", "", "negative"},
		{wei, '.', 0, "(5)", "", "negative"},
		{wei, '.', 0, "+5", "5", ""},
		{wei, '.', 0, "0x10", "16", ""},
		{wei, '.', 0, "1_000", "", "not an amount"},
		{wei, '.', 0, "٣", "", "not an amount"},
		{wei, '.', 0, "2.1E+15", "2100000000000000", ""},
		{wei, ',', 0, "2,1e15", "2100000000000000", ""},
		{token, '.', 0, "0.0021", "2100000000000000", ""},
		{token, '.', 0, ".0021", "2100000000000000", ""},
		{token, '.', 0, "1", "1000000000000000000", ""},
		{token, '.', 0, "1.", "", "not an amount"},
		{token, '.', 0, "0.000000000000000001", "1", ""},
		{token, '.', 0, "0.00000000000000000100", "1", ""},
		{token, '.', 0, "0.0000000000000000001", "", "19 decimals"},
		{token, '.', ',', "1,234.5", "1234500000000000000000", ""},
		{token, ',', '.', "1.234,5", "1234500000000000000000", ""},
		{token, ',', 0, "0,0021", "2100000000000000", ""},
		{token, '.', 0, "0,0021", "", "not an amount"},
		{token, '.', 0, "1.2.3", "", "not an amount"},
		{token, '.', 0, "0.0021 GLMR", "2100000000000000", ""},
		{token, '.', 0, "GLMR 0.0021", "2100000000000000", ""},
		{token, '.', 0, "0.0021\u00a0glmr", "2100000000000000", ""},
		{token, '.', 0, "0.0021 MOVR", "", "is in MOVR, but the ledger is in GLMR"},
		{token, '.', 0, "2100000 Gwei", "", "is in gwei, but the fees are declared to be in token"},
		{"", '.', 0, "2100000 Gwei", "2100000000000000", ""},
		{"", '.', 0, "2100000.000000001Gwei", "2100000000000001", ""},
		{"", '.', ',', "2,100,000 gwei", "2100000000000000", ""},
		{"", '.', 0, "5 wei", "5", ""},
		{"", '.', 0, "5", "", "has no unit; use --unit wei, --unit gwei or --unit token"},
		{"", '.', 0, "5 wei gwei", "", "not an amount"},
		{gwei, '.', 0, "2100000", "2100000000000000", ""},
		{gwei, '.', 0, "0.000000001", "1", ""},
		{gwei, '.', 0, "0.0000000001", "", "has 10 decimals, but an amount in gwei has at most 9"},
	} {
		o := reconcile.Options{Unit: c.unit, Decimal: c.decimal, Thousands: c.thousands, Symbol: "GLMR"}
		g := grid{{"id", "fee"}, {"25-7", c.text}}
		o.Columns = map[reconcile.Field]string{reconcile.ID: "id"}
		for form, text := range map[string]string{"csv": g.csv(';'), "xlsx": g.xlsx(t, nil)} {
			rows, err := readAll(strings.NewReader(text), o)
			if c.why != "" {
				require.ErrorContains(t, err, c.why, "%s of %q", form, c.text)
				require.ErrorContains(t, err, `line 2, column 2 "fee": `)
				continue
			}
			require.NoError(t, err, "%s of %q", form, c.text)
			require.Equal(t, c.want, rows[0].Fee.String())
		}
	}
}

// A spreadsheet number is accepted if the intended number is certain.
func TestNumbersOfASpreadsheet(t *testing.T) {
	const token, wei = reconcile.Token, reconcile.Wei
	for _, c := range []struct {
		unit           reconcile.Unit
		raw, want, why string
	}{
		{wei, "2100000000000000", "2100000000000000", ""},
		{wei, "2.1E15", "2100000000000000", ""},
		{wei, "9007199254740991", "9007199254740991", ""},
		{wei, "2096278556229452", "2096278556229452", ""}, // 16 digits, below 2^53
		{wei, "9007199254740993", "9007199254740993", ""}, // as it is written: the 15 digits are compared
		{wei, "2100000000000000000", "2100000000000000000", ""},
		{wei, "123456789012345678", "123456789012345678", ""},
		{wei, "0.5", "", "wei are whole"},
		{wei, "-5", "", "negative"},
		{wei, "1e999", "", "exceeds any amount"},
		{wei, "1e300", "", "exceeds any amount"},
		{wei, "NaN", "", "not a number"},
		{wei, "0x10", "", "not a number"},
		{token, "2.0999999999999999E-3", "2100000000000000", ""}, // as Excel writes 0.0021
		{token, "0.0021", "2100000000000000", ""},
		{token, "0.00209627855622945", "2096278556229450", ""},
		{token, "0.002096278556229452", "2096278556229452", ""},
		{token, "1.3562199740911341E-2", "13562199740911341", ""},
		{token, "9.9999999999999995E-7", "1000000000000", ""}, // 23 decimals: what a spreadsheet shows
		{token, "9.9999999999999999E18", "9999999999999999900000000000000000000", ""},
		{token, "-0", "0", ""},
		{token, "0." + strings.Repeat("1", 401), "", "more than 400 digits"},
		{"", "5", "", "has no unit"},
		{token, "0.1", "100000000000000000", ""},
		{token, "0.30000000000000004", "300000000000000040", ""},
		{token, "1e-19", "", "19 decimals"},
	} {
		text := grid{{"Extrinsic ID", "fee"}, {"25-7", "0"}}.xlsx(t, nil)
		text = changePart(t, text, "xl/worksheets/sheet1.xml", func(xml string) string {
			at := strings.Index(xml, `<c r="B2"`)
			end := at + strings.Index(xml[at:], "</c>") + len("</c>")
			return xml[:at] + `<c r="B2"><v>` + c.raw + `</v></c>` + xml[end:]
		})
		// The declared separators apply to text only, not to numbers.
		rows, err := readAll(strings.NewReader(text), reconcile.Options{Unit: c.unit, Decimal: ',', Thousands: '.'})
		if c.why != "" {
			require.ErrorContains(t, err, c.why, c.raw)
			continue
		}
		require.NoError(t, err, c.raw)
		require.Equal(t, c.want, rows[0].Fee.String(), c.raw)
	}
}

// changePart changes a part of an xlsx file.
func changePart(t testing.TB, text, name string, change func(string) string) string {
	in, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	changed := false
	for _, f := range in.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		if f.Name == name {
			content, changed = []byte(change(string(content))), true
			if len(content) == 0 {
				continue // it is taken out
			}
		}
		part, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
	}
	require.True(t, changed, name)
	require.NoError(t, w.Close())
	return out.String()
}

// Which columns are found, by their usual or given names.
func TestColumns(t *testing.T) {
	type fields map[reconcile.Field]string
	for _, c := range []struct {
		header  string
		options reconcile.Options
		want    string // the fields with the places of their columns
		why     string
	}{
		{"Txhash,Fee_wei", reconcile.Options{}, "hash 1, fee 2, wei", ""},
		{"TRANSACTION HASH, Fee [Wei] ", reconcile.Options{}, "hash 1, fee 2, wei", ""},
		{"evm_hash,extrinsic-hash,extrinsic id,fee token,from,Date", reconcile.Options{}, "evm_hash 1, extrinsic_hash 2, id 3, fee 4, account 5, date 6, token", ""},
		// As a block explorer exports it.
		{`Transaction Hash,Blockno,UnixTimestamp,DateTime (UTC),From,To,ContractAddress,Value_IN(GLMR),TxnFee(GLMR),TxnFee(USD),Status`,
			reconcile.Options{Symbol: "GLMR"}, "hash 1, fee 9, account 5, date 3, token", ""},
		{"hash,fee (GLMR)", reconcile.Options{Symbol: "GLMR"}, "hash 1, fee 2, token", ""},
		{"hash,fee (GLMR)", reconcile.Options{Symbol: "MOVR"}, "", `column "fee (GLMR)" is in GLMR; only fees in MOVR can be compared`},
		{"hash,fee,fee (USD)", reconcile.Options{Unit: reconcile.Wei}, "hash 1, fee 2, wei", ""},
		{"hash,fee", reconcile.Options{}, "hash 1, fee 2, ", ""}, // each amount must say it
		{"hash,Fee (Gwei)", reconcile.Options{}, "hash 1, fee 2, gwei", ""},
		{"hash,fee", reconcile.Options{Unit: reconcile.Token}, "hash 1, fee 2, token", ""},
		{"hash,fee_wei,fee_token", reconcile.Options{}, "", `columns "fee_wei", "fee_token" could all be the fee`},
		{"hash,fee_wei,fee_token", reconcile.Options{Unit: reconcile.Token}, "hash 1, fee 3, token", ""},
		{"hash,fee_wei,fee_token", reconcile.Options{Columns: fields{"fee": "FEE_WEI"}}, "hash 1, fee 2, wei", ""},
		// A workbook of this program states each amount twice; only one of the two is read, the exact one if possible.
		{`hash,"Fee, GLMR","Charged, GLMR","Fee, wei, as text"`, reconcile.Options{Symbol: "GLMR"}, "hash 1, fee 4, wei", ""},
		{`hash,"Fee, GLMR","Fee, wei, as text"`, reconcile.Options{Symbol: "GLMR", Unit: reconcile.Token}, "hash 1, fee 2, token", ""},
		{`hash,"Fee, wei, as text"`, reconcile.Options{Symbol: "GLMR"}, "hash 1, fee 2, wei", ""},
		{`hash,"Fee, GLMR","Fee, wei, as text","Network fee, GLMR"`, reconcile.Options{Symbol: "GLMR"}, "", `columns "Fee, wei, as text", "Network fee, GLMR" could all be the fee`},
		{"hash,Txhash,fee_wei", reconcile.Options{}, "", "could all be the hash"},
		{"hash,Txhash,fee_wei", reconcile.Options{Columns: fields{"evm_hash": "Txhash"}}, "hash 1, evm_hash 2, fee 3, wei", ""},
		{"a,b", reconcile.Options{Columns: fields{"hash": "b", "fee": "a"}, Unit: "wei"}, "hash 2, fee 1, wei", ""},
		{"a,a", reconcile.Options{Columns: fields{"hash": "a"}, Unit: "wei"}, "", `columns "a", "a" could all be the hash; choose one with --map hash=NAME, or --map 'hash=#1' for column 1`},
		{"a,b", reconcile.Options{Columns: fields{"hash": "c"}, Unit: "wei"}, "", `no column "c"; the columns are "a", "b"`},
		{"hash,fee_wei,date", reconcile.Options{Columns: fields{"date": ""}}, "hash 1, fee 2, wei", ""},
		{"hash,fee_wei,time (UTC)", reconcile.Options{Zone: time.FixedZone("X", 3600)}, "hash 1, fee 2, wei", ""},
		{"when,fee_wei", reconcile.Options{}, "", "identifies the transaction"},
		{"hash,cost", reconcile.Options{Unit: "wei"}, "", "is known as the fee"},
		{"hash,\xff,fee_wei", reconcile.Options{}, "", "not UTF-8"},
		{"hash,fee_wei\rx,1\ry,2", reconcile.Options{}, "", "carriage returns only"},
		{strings.Repeat("x,", 1000) + "hash", reconcile.Options{}, "", "1001 columns"},
		{strings.Repeat("x,", 40) + "hash", reconcile.Options{}, "", "…"},
	} {
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(c.header+"\n"), c.options)
		if c.why != "" {
			require.ErrorContains(t, err, c.why, c.header)
			continue
		}
		require.NoError(t, err, c.header)
		var found []string
		for _, column := range f.Columns {
			found = append(found, fmt.Sprintf("%s %d", column.Field, column.Place))
		}
		require.Equal(t, c.want, strings.Join(append(found, string(f.Unit)), ", "), c.header)
		require.Zero(t, f.Rows.Len())
	}
}

func TestOptions(t *testing.T) {
	for why, o := range map[string]reconcile.Options{
		`--unit "ether" must be wei, gwei`:         {Unit: "ether"},
		`--encoding "latin"`:                       {Encoding: "latin"},
		`--header-row -1`:                          {HeaderRow: -1},
		`--skip-rows 0`:                            {SkipRows: []int{3, 0}},
		`--skip-rows lists 1001 rows`:              {SkipRows: make([]int, 1001)},
		`--header-row 3 is also in`:                {HeaderRow: 3, SkipRows: []int{2, 3}},
		`--tolerance is in MOVR, but the`:          {ToleranceSymbol: "MOVR", Symbol: "GLMR"},
		`--separator '!'`:                          {Separator: '!'},
		`--decimal '\''`:                           {Decimal: '\''},
		"are the same":                             {Decimal: ',', Thousands: ','},
		`--thousands '5'`:                          {Thousands: '5'},
		`unknown field "amount"; the fields are h`: {Columns: map[reconcile.Field]string{"amount": "x"}},
		`--date-format "y" is invalid`:             {DateFormat: "y"},
		`--date-format "dd.mm" lacks`:              {DateFormat: "dd.mm"},
		`--date-format "dd.dd.yyyy" contains`:      {DateFormat: "dd.dd.yyyy"},
		`--date-format "ddämmyyyy" is invalid`:     {DateFormat: "ddämmyyyy"},
	} {
		_, err := readAll(strings.NewReader("hash,fee_wei\n"), o)
		require.ErrorContains(t, err, why)
	}
}

// Dates by each kind of format, in a zone.
func TestDates(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, c := range []struct{ format, text, want string }{
		{"", "2026-07-01T10:00:00Z", "2026-07-01T10:00:00Z"},
		{"", "2026-07-01T10:00:00+05:00", "2026-07-01T05:00:00Z"},
		{"", "2026-07-01", "2026-06-30T22:00:00Z"},
		{"", "2026-07-01 10:00:00", "2026-07-01T08:00:00Z"},
		{"", "", ""},
		{"", "01.07.2026", "refused"},
		{"", "7/1/2026", "refused"},
		{"dd.mm.yyyy", "01.07.2026", "2026-06-30T22:00:00Z"},
		{"dd.mm.yyyy", "1.7.2026", "2026-06-30T22:00:00Z"},
		{"d.m.yyyy", "1.7.2026", "2026-06-30T22:00:00Z"},
		{"mm/dd/yyyy HH:MM", "07/01/2026 10:30", "2026-07-01T08:30:00Z"},
		{"yyyymmdd HHMMSS", "20260701 103015", "2026-07-01T08:30:15Z"},
		{"dd.mm.yyyy", "31.02.2026", "refused"},
		{"dd.mm.yyyy", "01.07.1926", "refused"},
	} {
		o := reconcile.Options{DateFormat: c.format, Zone: berlin}
		rows, err := readAll(strings.NewReader("Extrinsic ID,fee_wei,date\n1-1,5,"+c.text+"\n"), o)
		if c.want == "refused" {
			require.ErrorContains(t, err, `line 2, column 3 "date": `, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		var want chain.Optional[chain.Time]
		if c.want != "" {
			want = chain.Some(timeAt(t, c.want))
		}
		require.Equal(t, want, rows[0].Date, c.text)
	}
}

// A typical company file: a UTF-8 byte order mark, Excel's separator line, empty lines, quotes over several lines, and both
// kinds of line ends.
func TestOrdinaryFiles(t *testing.T) {
	want := []int{2, 3}
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"plain":               {"Extrinsic ID;fee_wei\n1-1;5\n1-2;6\n", want},
		"without a last end":  {"Extrinsic ID;fee_wei\n1-1;5\n1-2;6", want},
		"of Windows":          {"Extrinsic ID;fee_wei\r\n1-1;5\r\n1-2;6\r\n", want},
		"marked":              {"\xef\xbb\xbfExtrinsic ID;fee_wei\n1-1;5\n1-2;6\n", want},
		"with its separator":  {"sep=;\r\nExtrinsic ID;fee_wei\n1-1;5\n1-2;6\n", want},
		"with empty rows":     {"\n\nExtrinsic ID;fee_wei\n1-1;5\n;\n\n1-2;6\n", []int{4, 7}},
		"quoted":              {"\"Extrinsic ID\";\"fee_wei\"\n\"1-1\";\"5\"\n\"1-2\";6\n", want},
		"quoted over lines":   {"Extrinsic ID;fee_wei;memo\n1-1;5;\"a\nb;\"\"c\"\"\"\n1-2;6;d\n", want},
		"a comma in a header": {"Extrinsic ID;\"a,b\";fee_wei\n1-1;;5\n1-2;;6\n", want},
	} {
		t.Run(name, func(t *testing.T) {
			rows := read(t, c.text, reconcile.Options{})
			require.Len(t, rows, 2)
			require.Equal(t, c.lines, []int{rows[0].Line, rows[1].Line})
			require.Equal(t, "5", rows[0].Fee.String())
			require.Equal(t, chain.Some(ledger.Place{Height: 1, Row: 2}), rows[1].Place)
		})
	}
	// A declared separator takes precedence over the file's.
	rows := read(t, "sep=,\nExtrinsic ID;fee_wei\n1-1;5\n", reconcile.Options{Separator: ';'})
	require.Len(t, rows, 1)
}

// Every unreadable row is reported, up to twenty.
func TestProblems(t *testing.T) {
	text := "hash,Extrinsic ID,fee_wei,from\n" +
		"0x12,,5,\n" + // no hash
		",1-1,five,\n" +
		",1,5,\n" +
		",1-1-1,5,\n" +
		",-1,5,\n" +
		",5,\n" +
		",1-1,5,0x00\n" +
		",1-1,\xff,\n" +
		",1-1,5,\n"
	_, err := readAll(strings.NewReader(text), reconcile.Options{})
	var problems *reconcile.ProblemsError
	require.ErrorAs(t, err, &problems)
	require.Equal(t, 8, problems.Count)
	require.Len(t, problems.List, 6)
	for i, want := range []string{
		`line 2, column 1 "hash": `, `line 3, column 3 "fee_wei": "five" is not an amount`, `column 2 "Extrinsic ID": the value is not a transaction ID such as 25-7: 3 rows, lines 4, 5 and 6; the value in line 4 is "1"`,
		`line 7: it ends after 3 columns, but the header has 4`,
		`line 8, column 4 "from": `, `line 9, column 3 "fee_wei": it is not UTF-8`,
	} {
		require.Contains(t, problems.List[i].Error(), want)
		require.Error(t, errors.Unwrap(problems.List[i]))
	}
	_, err = readAll(strings.NewReader("Extrinsic ID,fee_wei\n"+strings.Repeat("x,5\n", 100)), reconcile.Options{})
	require.EqualError(t, err, `column 1 "Extrinsic ID": the value is not a transaction ID such as 25-7: 100 rows, starting with lines 2, 3 and 4; the value in line 2 is "x"`)
	var wide strings.Builder
	for n := range 30 { // of each its own reason
		fmt.Fprintf(&wide, "1-1,5%s\n", strings.Repeat(",x", n+1))
	}
	_, err = readAll(strings.NewReader("Extrinsic ID,fee_wei\n"+wide.String()), reconcile.Options{})
	require.Len(t, strings.Split(err.Error(), "\n"), 21)
	require.ErrorContains(t, err, "\nand 10 more rows")
}

// Hostile files and other formats.
func TestHostileFiles(t *testing.T) {
	endless := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader("Extrinsic ID,fee_wei\n"), &repeated{text: text})
	}
	nothing := func(string) string { return "" }
	for why, in := range map[string]io.Reader{
		"the file is empty":                              strings.NewReader(""),
		"the file has no header":                         strings.NewReader(",,\n,,\n"),
		"says UTF-16, but it is not":                     strings.NewReader("\xff\xfeh\x00a\x00\x00"),
		"old or password-protected":                      strings.NewReader("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
		"the workbook is larger than 64 MB":              io.MultiReader(strings.NewReader("PK\x03\x04"), &repeated{text: "x"}),
		"compressed with gzip. Decompress it first":      strings.NewReader("\x1f\x8b\x08\x00 and more"),
		"a zip archive without a workbook. Unpack it":    strings.NewReader(changePart(t, changePart(t, grid{{"fee_wei"}}.xlsx(t, nil), "[Content_Types].xml", nothing), "_rels/.rels", nothing)),
		"cannot be unpacked":                             strings.NewReader("PK\x03\x04 and then nothing"),
		"no commas, semicolons":                          strings.NewReader("hash\n0x12\n"),
		"choose the separator":                           strings.NewReader("a;b, c\n"),
		"the header is longer":                           &repeated{text: "x"},
		"a zero byte":                                    strings.NewReader("Extrinsic ID,fee_wei\n1-1,5\x00\n"),
		"line 3: a quoted value ends in the wrong place": strings.NewReader("Extrinsic ID,fee_wei\n1-1,5\n1-2,\"6\n1-3,7\n"),
		"line 2: a value contains a quote":               strings.NewReader("Extrinsic ID,fee_wei\n1\"-1,5\n"),
		"a row is longer than 1024 KB":                   endless("\""),
		"a row is longer than 1024 KB; ":                 endless(","),
		"the file is larger than 256 MB":                 endless(strings.Repeat(" ", 10_000) + ",\n"),
		"out of paper":                                   io.MultiReader(strings.NewReader("Extrinsic ID,fee_wei\n1-1,5\n"), broken{}),
		"out of pape":                                    broken{},
	} {
		t.Run(why, func(t *testing.T) {
			_, err := readAll(in, reconcile.Options{})
			require.ErrorContains(t, err, why)
		})
	}
	_, err := readAll(strings.NewReader("sep=;\r"), reconcile.Options{})
	require.ErrorContains(t, err, "no header")
}

// repeated never ends.
type repeated struct{ text string }

func (r *repeated) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := copy(p, r.text)
	for n < len(p) { // doubling
		n += copy(p[n:], p[:n])
	}
	return n, nil
}

// broken can neither be read nor written.
type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("out of paper") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("out of paper") }

// Other cell types than text.
func TestCellsOfAWorkbook(t *testing.T) {
	g := grid{{"Extrinsic ID", "fee_wei", "date"}, {"25-7", "5", "2026-01-01"}}
	for name, c := range map[string]struct {
		change func(*excelize.File)
		why    string // it is refused
		date   string
	}{
		"text":                {nil, "", "2026-01-01T00:00:00Z"},
		"a date as a number":  {func(f *excelize.File) { f.SetCellValue("Sheet1", "C2", time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)) }, "", "2026-01-02T12:00:00Z"},
		"no date at all":      {func(f *excelize.File) { f.SetCellInt("Sheet1", "C2", 5) }, "not a spreadsheet date", ""},
		"a place as a number": {func(f *excelize.File) { f.SetCellInt("Sheet1", "A2", 46000) }, "store it as text", ""},
		"a boolean":           {func(f *excelize.File) { f.SetCellBool("Sheet1", "B2", true) }, "true or false", ""},
		"a cell too many":     {func(f *excelize.File) { f.SetCellStr("Sheet1", "D2", "x") }, "it has 4 columns", ""},
		"far to the right":    {func(f *excelize.File) { f.SetCellStr("Sheet1", "XFD2", "x") }, "beyond column 1000", ""},
		"another sheet":       {func(f *excelize.File) { f.NewSheet("other"); f.SetCellStr("other", "A1", "x") }, "", "2026-01-01T00:00:00Z"},
		"blank cells":         {func(f *excelize.File) { f.SetCellStr("Sheet1", "F2", "") }, "", "2026-01-01T00:00:00Z"},
		"an empty row":        {func(f *excelize.File) { f.InsertRows("Sheet1", 2, 3) }, "", "2026-01-01T00:00:00Z"},
		"a rich text": {func(f *excelize.File) {
			f.SetCellRichText("Sheet1", "A2", []excelize.RichTextRun{{Text: "25"}, {Text: "-7", Font: &excelize.Font{Bold: true}}})
		}, "", "2026-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := readAll(strings.NewReader(g.xlsx(t, c.change)), reconcile.Options{})
			if c.why != "" {
				require.ErrorContains(t, err, c.why)
				return
			}
			require.NoError(t, err)
			require.Equal(t, chain.Some(ledger.Place{Height: 25, Row: 7}), rows[0].Place)
			require.Equal(t, "5", rows[0].Fee.String())
			require.Equal(t, chain.Some(timeAt(t, c.date)), rows[0].Date)
		})
	}
}

// Cells as other programs than excelize write them.
func TestCellsOfOtherPrograms(t *testing.T) {
	const head = `<row r="1"><c r="A1" t="inlineStr"><is><t>Extrinsic ID</t></is></c><c r="B1" t="inlineStr"><is><t>fee</t></is></c></row>`
	for name, c := range map[string]struct{ row, why string }{
		"inline":                {`<row r="2"><c r="A2" t="inlineStr"><is><r><t>25</t></r><r><t>-7</t></r><rPh><t>x</t></rPh></is></c><c r="B2"><v>5</v></c></row>`, ""},
		"without places":        {`<row><c t="str"><v>25-7</v></c><c><v>5</v></c></row>`, ""},
		"others between":        {`<row><extLst><ext><v>7</v></ext></extLst><c t="str"><v>25-7</v></c><x/><c><v>5</v></c></row>`, ""},
		"formula of a number":   {`<row r="2"><c r="A2" t="str"><f>X1</f><v>25-7</v></c><c r="B2"><f>2+3</f><v>5</v></c></row>`, ""},
		"formula of nothing":    {`<row r="2"><c r="A2" t="str"><v>25-7</v></c><c r="B2"><f>2+3</f></c></row>`, "without a stored value"},
		"an error":              {`<row r="2"><c r="A2" t="str"><v>25-7</v></c><c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>`, "the error #DIV/0!"},
		"an error in no column": {`<row r="2"><c r="A2" t="str"><v>25-7</v></c><c r="B2"><v>5</v></c><c r="C2" t="e"><v>#REF!</v></c></row>`, "it has 3 columns"},
		"no such text":          {`<row r="2"><c r="A2" t="s"><v>99</v></c></row>`, `text "99" is not in the workbook`},
		"an unknown kind":       {`<row r="2"><c r="A2" t="zz"><v>99</v></c></row>`, `unknown cell type "zz"`},
		"rows backwards":        {`<row r="1"><c r="A1"><v>1</v></c></row>`, `row "1" after row 1`},
		"cells backwards":       {`<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>`, `cell "A2"`},
		"no place":              {`<row r="2"><c r="B"><v>1</v></c></row>`, `cell reference "B" is invalid`},
		"no name":               {`<row r="2"><c r="2"><v>1</v></c></row>`, `cell "2"`},
		"broken XML":            {`<row r="2"><c r="A2"><v>1</x></c></row>`, "syntax error"},
		"broken off":            {`<row r="2"><c r="A2"><v>1`, "unexpected EOF"},
		"broken off in a text":  {`<row r="2"><c r="A2" t="inlineStr"><is><t>1`, "unexpected EOF"},
		"broken off in a name":  {`<row r="2"><c r="A2" t="inlineStr"><is><rPh><t>1`, "unexpected EOF"},
		"broken off after one":  {`<row r="2"><c r="A2" t="str"><v>25-7</v></c><c r="B2"><v>5</v></c></row>`, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			text := changePart(t, grid{{""}}.xlsx(t, nil), "xl/worksheets/sheet1.xml", func(string) string {
				start := `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetPr/><sheetData>` + head + c.row
				if strings.HasPrefix(name, "broken off") {
					return start
				}
				return start + `</sheetData></worksheet>`
			})
			rows, err := readAll(strings.NewReader(text), reconcile.Options{Unit: reconcile.Wei})
			if c.why != "" {
				require.ErrorContains(t, err, c.why)
				return
			}
			require.NoError(t, err)
			require.Equal(t, chain.Some(ledger.Place{Height: 25, Row: 7}), rows[0].Place)
			require.Equal(t, "5", rows[0].Fee.String())
		})
	}
}

// Workbooks as a whole: the sheet, the epoch, and errors.
func TestWorkbooks(t *testing.T) {
	good := grid{{"Extrinsic ID", "fee_wei", "date"}, {"25-7", "5", ""}}
	two := good.xlsx(t, func(f *excelize.File) {
		f.NewSheet("fees")
		f.SetSheetRow("fees", "A1", &[]string{"Extrinsic ID", "fee_wei"})
		f.SetSheetRow("fees", "A2", &[]string{"1-1", "6"})
		f.SetActiveSheet(1)
		f.SetSheetVisible("Sheet1", false)
	})
	for sheet, want := range map[string]string{"": "6", "fees": "6", "Sheet1": "5"} {
		rows := read(t, two, reconcile.Options{Sheet: sheet})
		require.Equal(t, want, rows[0].Fee.String())
	}
	_, err := readAll(strings.NewReader(two), reconcile.Options{Sheet: "Fees"})
	require.ErrorContains(t, err, `no sheet "Fees" (--sheet); the sheets are "Sheet1", "fees"`)

	since1904 := true
	text := good.xlsx(t, func(f *excelize.File) {
		f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &since1904})
		f.SetCellInt("Sheet1", "C2", 44561) // days after 1904-01-01: 122 years of 365, and 31 leap days
	})
	require.Equal(t, chain.Some(timeAt(t, "2026-01-01T00:00:00Z")), read(t, text, reconcile.Options{})[0].Date)

	for why, c := range map[string]struct {
		part   string
		change func(string) string
	}{
		"not a workbook":                  {"_rels/.rels", func(s string) string { return strings.ReplaceAll(s, "officeDocument\"", "x\"") }},
		`no part "_rels/.rels"`:           {"_rels/.rels", func(string) string { return "" }},
		`no part "xl/workbook.xml"`:       {"xl/workbook.xml", func(string) string { return "" }},
		`"xl/_rels/workbook.xml.rels"`:    {"xl/_rels/workbook.xml.rels", func(string) string { return "" }},
		"no visible sheet":                {"xl/_rels/workbook.xml.rels", func(s string) string { return strings.ReplaceAll(s, "/worksheet\"", "/chartsheet\"") }},
		`no part "xl/sharedStrings.xml"`:  {"xl/sharedStrings.xml", func(string) string { return "" }},
		`no part "xl/worksheets/sheet1.x`: {"xl/worksheets/sheet1.xml", func(string) string { return "" }},
		"is larger than 256 MB":           {"xl/worksheets/sheet1.xml", func(s string) string { return s + strings.Repeat(" ", 257<<20) }},
		"contains a text of more than 1 MB": {"xl/sharedStrings.xml", func(s string) string {
			return strings.Replace(s, "<si>", "<si><t>"+strings.Repeat("x", 2<<20)+"</t></si><si>", 1)
		}},
	} {
		t.Run(why, func(t *testing.T) {
			if testing.Short() && strings.Contains(why, "MB") {
				t.Skip("it takes a while to make")
			}
			_, err := readAll(strings.NewReader(changePart(t, good.xlsx(t, nil), c.part, c.change)), reconcile.Options{})
			require.ErrorContains(t, err, why)
		})
	}
}

func FuzzRead(f *testing.F) {
	list := allSent(f, "moonbeam-2100")[:2]
	f.Add([]byte(weiGrid(list).csv(',')), "", "")
	f.Add([]byte(weiGrid(list).xlsx(f, nil)), "", "Sheet1")
	f.Add([]byte("sep=;\nExtrinsic ID;fee;date\n1-1;1.234,5;01.07.2026\n"), "dd.mm.yyyy", "")
	f.Fuzz(func(t *testing.T, text []byte, format, sheet string) {
		o := reconcile.Options{Unit: reconcile.Token, Decimal: ',', Thousands: '.', DateFormat: format, Sheet: sheet}
		rows, err := readAll(bytes.NewReader(text), o)
		again, failed := readAll(bytes.NewReader(text), o)
		require.Equal(t, err == nil, failed == nil)
		require.Equal(t, rows, again)
		for i := range rows {
			require.True(t, rows[i].AnyHash().Known() || rows[i].Place.Known())
			require.Positive(t, rows[i].Line)
		}
	})
}
