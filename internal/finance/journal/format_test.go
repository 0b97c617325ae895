package journal_test

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
)

// The checkers below are written from what the products publish of their imports, and share
// nothing with the writers. Each returns the sums of debits and credits of a file, and the tokens
// of its debit lines.

// added is what a checker adds up.
type added struct {
	debit, credit *big.Rat
	tokens        *big.Rat // of debit lines
	accounts      map[string]*big.Rat
}

func newAdded() *added {
	return &added{new(big.Rat), new(big.Rat), new(big.Rat), map[string]*big.Rat{}}
}

// add adds an amount, which is negative for a credit.
func (s *added) add(account string, amount *big.Rat, tokens *big.Rat) {
	if s.accounts[account] == nil {
		s.accounts[account] = new(big.Rat)
	}
	s.accounts[account].Add(s.accounts[account], amount)
	if amount.Sign() > 0 {
		s.debit.Add(s.debit, amount)
		s.tokens.Add(s.tokens, tokens)
	} else {
		s.credit.Sub(s.credit, amount)
	}
}

var (
	twoDecimals = regexp.MustCompile(`^[0-9]{1,10}\.[0-9]{2}$`)
	negative    = regexp.MustCompile(`^-[0-9]+\.[0-9]+$`)
	inText      = regexp.MustCompile(`: ([0-9]+\.[0-9]{18}) GLMR`)
)

// tokensIn is the amount in the token that a text states.
func tokensIn(t testing.TB, text string) *big.Rat {
	if found := inText.FindStringSubmatch(text); found != nil {
		return rat(t, found[1])
	}
	return new(big.Rat)
}

// readCSV reads a file with CR LF and the given header, and checks each cell of text.
func readCSV(t testing.TB, file, header string) [][]string {
	require.True(t, strings.HasPrefix(file, header+"\r\n"), "%.200q", file)
	require.Equal(t, strings.Count(file, "\n"), strings.Count(file, "\r\n"))
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		for _, cell := range row {
			require.False(t, strings.ContainsAny(cell, "\r\n\t"), "%q", cell)
			require.True(t, cell == "" || !strings.ContainsAny(cell[:1], "=+-@|") || negative.MatchString(cell), "%q", cell)
		}
	}
	return rows[1:]
}

// checkEntries checks entries of several lines: the lines of one follow each other, in balance.
func checkEntries(t testing.TB, rows [][]string, key func([]string) string, amount func([]string) (account string, amount *big.Rat, text string)) *added {
	s, done, last, balance, lines := newAdded(), map[string]bool{}, "", new(big.Rat), 0
	end := func() {
		require.Zero(t, balance.Sign(), "the entry %s is out of balance", last)
		require.True(t, last == "" || lines >= 2, "the entry %s has a single line", last)
	}
	for _, row := range rows {
		if k := key(row); k != last {
			end()
			require.False(t, done[k], "the entry %s comes twice", k)
			done[k], last, lines = true, k, 0
		}
		account, value, text := amount(row)
		require.NotEmpty(t, account)
		require.NotZero(t, value.Sign())
		balance.Add(balance, value)
		lines++
		s.add(account, value, tokensIn(t, text))
	}
	end()
	return s
}

// debitOrCredit reads the one of two cells that has an amount.
func debitOrCredit(t testing.TB, debit, credit string) *big.Rat {
	require.True(t, (debit == "") != (credit == ""), "%q %q", debit, credit)
	require.Regexp(t, twoDecimals, debit+credit)
	if debit != "" {
		return rat(t, debit)
	}
	return new(big.Rat).Neg(rat(t, credit))
}

func date(t testing.TB, layout, text string) time.Time {
	day, err := time.Parse(layout, text)
	require.NoError(t, err)
	return day
}

// checkQuickBooks: Intuit's sample file; one of debit and credit; a number of at most 21 characters.
func checkQuickBooks(t testing.TB, file string) *added {
	rows := readCSV(t, file, "*JournalNo,*JournalDate,*AccountName,*Debits,*Credits,Description,Name,Currency,Location,Class")
	require.LessOrEqual(t, len(rows), 1000)
	return checkEntries(t, rows, func(row []string) string { return row[0] }, func(row []string) (string, *big.Rat, string) {
		require.Regexp(t, `^.{1,21}$`, row[0])
		date(t, "01/02/2006", row[1])
		require.Equal(t, "EUR", row[7])
		require.LessOrEqual(t, len(row[5]), 4000)
		require.Regexp(t, "^Account [0-9]{4}$", row[2])
		return strings.TrimPrefix(row[2], "Account "), debitOrCredit(t, row[3], row[4]), row[5]
	})
}

// checkXero: at most 300 lines; the lines with a narration and a date are a journal; all of
// narration, date, account code, tax rate and amount are mandatory. A date such as 31 Dec 2025 is the same in every region.
func checkXero(t testing.TB, file string) *added {
	rows := readCSV(t, file, "*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2")
	require.LessOrEqual(t, len(rows), 300)
	return checkEntries(t, rows, func(row []string) string { return row[0] + "|" + row[1] }, func(row []string) (string, *big.Rat, string) {
		date(t, "02 Jan 2006", row[1])
		require.NotEmpty(t, row[0])
		require.NotEmpty(t, row[4])
		require.Regexp(t, `^-?[0-9]+\.[0-9]{2}$`, row[5])
		require.Equal(t, row[6] == "", row[7] == "", "a tracking name has an option")
		return row[3], rat(t, row[5]), row[2]
	})
}

// checkNetSuite: at most 25,000 lines in a job, 10,000 in an entry; amounts of at most 13 characters.
func checkNetSuite(t testing.TB, file string) *added {
	rows := readCSV(t, file, "External ID,Date,Subsidiary,Currency,Memo,Account,Debit,Credit,Line Memo,Department,Class,Location")
	require.LessOrEqual(t, len(rows), 25_000)
	return checkEntries(t, rows, func(row []string) string { return row[0] }, func(row []string) (string, *big.Rat, string) {
		date(t, "01/02/2006", row[1])
		require.LessOrEqual(t, len(row[6]+row[7]), 13)
		return row[5], debitOrCredit(t, row[6], row[7]), row[8]
	})
}

func checkCSV(t testing.TB, file string) *added {
	rows := readCSV(t, file, "number,date,memo,account,debit,credit,currency,cost_centre,class,department,project,location,tax_code,description,token,symbol,fees,hash")
	s, balances := newAdded(), map[string]*big.Rat{}
	for _, row := range rows {
		date(t, time.DateOnly, row[1])
		amount := debitOrCredit(t, row[4], row[5])
		if balances[row[0]] == nil {
			balances[row[0]] = new(big.Rat)
		}
		balances[row[0]].Add(balances[row[0]], amount)
		s.add(row[3], amount, new(big.Rat))
		if row[4] != "" { // a line of zero has its tokens too
			s.tokens.Add(s.tokens, rat(t, row[14]))
		}
	}
	for number, balance := range balances {
		require.Zero(t, balance.Sign(), number)
	}
	return s
}

// datevExample is the header of DATEV's own example (developer.datev.de, Einstieg).
const datevExample = `"EXTF";700;21;"Buchungsstapel";13;20240130140440439;;"RE";"";"";29098;55003;20240101;4;20240101;20240831;"Buchungsstapel";"WD";1;0;0;"EUR";;"";;;"03";;;"";""`

// datevHeadForms are the expressions of the header's fields (developer.datev.de, Header).
var datevHeadForms = []string{
	`"EXTF"`, `700`, `21`, `"Buchungsstapel"`, `13`, `20\d{15}`, ``, `"[A-Z]{2}"`, `"\w{0,25}"`, `"\w{0,25}"`, `\d{4,7}`, `\d{1,5}`, `20\d{6}`, `[4-8]`, `20\d{6}`, `20\d{6}`,
	`"[\w ./-]{0,30}"`, `"[A-Z]{0,2}"`, `[12]`, `\d{1,2}`, `[01]`, `"[A-Z]{3}"`, ``, `"[A-Z]*"`, ``, ``, `"(\d{2}|\d{4})?"`, ``, ``, `""`, `"[\w .]{0,16}"`,
}

// datevForms are the expressions of the columns that are filled (developer.datev.de, Buchungsstapel).
var datevForms = map[int]string{
	1: `\d{1,10},\d{2}`, 2: `"[SH]"`, 3: `"[A-Z]{3}"`, 7: `\d{1,4}`, 8: `\d{1,4}`, 9: `"(\d{4})?"`, 10: `(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])`, 11: `"[\w$%/-]{0,36}"`, 14: `".{0,60}"`,
	21: `".{0,20}"`, 22: `".{0,210}"`, 23: `".{0,20}"`, 24: `".{0,210}"`, 25: `".{0,20}"`, 26: `".{0,210}"`, 37: `"[\w ]{0,36}"`, 38: `"[\w ]{0,36}"`, 114: `[01]`,
}

// datevQuoted are the text columns among the 125: an empty one is "".
const datevQuoted = "2,3,6,9,11,12,14,16,20,21-38,40,42,48-87,91,95,96,98,102,103,105,107,109,110,112,118,120,121,123"

func isDATEVText(n int) bool {
	for part := range strings.SplitSeq(datevQuoted, ",") {
		var first, last int
		if got, _ := fmt.Sscanf(part, "%d-%d", &first, &last); got == 1 {
			last = first
		}
		if n >= first && n <= last {
			return true
		}
	}
	return false
}

// datevColumns are the expressions of all columns. A column that is not filled is empty.
var datevColumns = func() (list [125]*regexp.Regexp) {
	for i := range list {
		form, filled := datevForms[i+1]
		if !filled && isDATEVText(i+1) {
			form = `""`
		}
		list[i] = regexp.MustCompile("^" + strings.ReplaceAll(form, ".{", `([^"\x00-\x1f]|""){`) + "$")
	}
	return list
}()

// splitDATEV splits a line at the semicolons outside of quotes.
func splitDATEV(line string) (fields []string) {
	quoted, from := false, 0
	for i, c := range []byte(line) {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			fields, from = append(fields, line[from:i]), i+1
		}
	}
	return append(fields, line[from:])
}

// checkDATEV: two header lines, rows of 125 fields in Windows-1252, all dates in the header's range.
func checkDATEV(t testing.TB, file string) *added {
	for _, c := range []byte(file) {
		require.True(t, c >= 0x20 || c == '\r' || c == '\n', "control character %x", c)
	}
	require.True(t, strings.HasSuffix(file, "\r\n"))
	require.Equal(t, strings.Count(file, "\n"), strings.Count(file, "\r\n"))
	lines := strings.Split(strings.TrimSuffix(file, "\r\n"), "\r\n")
	require.LessOrEqual(t, len(lines), 2+99_999)
	head := splitDATEV(lines[0])
	require.Len(t, head, len(splitDATEV(datevExample)))
	for i, form := range datevHeadForms {
		require.Regexp(t, "^"+form+"$", head[i], "field %d of the header", i+1)
		require.Regexp(t, "^"+form+"$", splitDATEV(datevExample)[i], "the expression is not DATEV's: field %d", i+1)
	}
	from, to := date(t, "20060102", head[14]), date(t, "20060102", head[15])
	year := date(t, "20060102", head[12])
	require.False(t, from.Before(year) || to.After(year.AddDate(1, 0, -1)), "the period is in the fiscal year")
	names := strings.Split(lines[1], ";")
	require.Len(t, names, 125)
	for n, want := range map[int]string{
		1: "Umsatz (ohne Soll/Haben-Kz)", 8: "Gegenkonto (ohne BU-Schl\xfcssel)", 9: "BU-Schl\xfcssel", 17: "Gesch\xe4ftspartnerbank", 21: "Beleginfo - Art 1", 36: "Beleginfo - Inhalt 8", 37: "KOST1 - Kostenstelle", 38: "KOST2 - Kostenstelle",
		48: "Zusatzinformation - Art 1", 49: "Zusatzinformation- Inhalt 1", 87: "Zusatzinformation- Inhalt 20", 88: "St\xfcck", 101: "Erl\xf6skonto (Anzahlungen)", 114: "Festschreibung", 115: "Leistungsdatum", 120: "Land", 125: "Abw. Skontokonto",
	} {
		require.Equal(t, want, names[n-1])
	}
	s := newAdded()
	for _, line := range lines[2:] {
		fields := splitDATEV(line)
		require.Len(t, fields, 125, line)
		for i, field := range fields {
			if !datevColumns[i].MatchString(toUTF8(field)) {
				require.Regexp(t, datevColumns[i], toUTF8(field), "field %d", i+1)
			}
		}
		require.NotEqual(t, strings.Trim(fields[6], "0"), "")
		require.NotEqual(t, fields[6], fields[7])
		day := date(t, "0201 2006", fields[9]+from.Format(" 2006"))
		require.False(t, day.Before(from) || day.After(to))
		amount := rat(t, strings.Replace(fields[0], ",", ".", 1))
		require.Positive(t, amount.Sign())
		tokens := new(big.Rat)
		if fields[20] == `"Token"` {
			number, _, _ := strings.Cut(strings.Trim(fields[21], `"`), " ")
			tokens = rat(t, strings.Replace(number, ",", ".", 1))
		}
		require.Equal(t, `"S"`, fields[1])
		s.add(fields[6], amount, tokens)
		s.add(fields[7], new(big.Rat).Neg(amount), nil)
	}
	return s
}

// toUTF8 reads the bytes above ASCII as Latin-1, which is enough to count characters.
func toUTF8(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

var checkers = map[string]func(testing.TB, string) *added{
	journal.QuickBooks.Name: checkQuickBooks, journal.Xero.Name: checkXero, journal.NetSuite.Name: checkNetSuite, journal.DATEV.Name: checkDATEV, journal.CSV.Name: checkCSV,
}

// checkFiles checks all files of a journal, and what they add up to.
func checkFiles(t testing.TB, j *booked, name string) (count int) {
	contents, plan := files(t, j, name)
	debit, tokens, accounts := new(big.Rat), new(big.Rat), map[string]*big.Rat{}
	for i, file := range contents {
		sum := sha256.Sum256([]byte(file))
		require.Equal(t, hex.EncodeToString(sum[:]), plan[i].SHA256)
		require.Contains(t, checkers, name, "the format needs a checker, by what its product publishes")
		s := checkers[name](t, file)
		require.Zero(t, s.debit.Cmp(s.credit), "%s: debits %v, credits %v", name, s.debit, s.credit)
		require.Zero(t, s.debit.Cmp(rat(t, plan[i].Debit.String())), "%s: the manifest's sum of file %d", name, i+1)
		debit.Add(debit, s.debit)
		tokens.Add(tokens, s.tokens)
		for account, sum := range s.accounts {
			if accounts[account] == nil {
				accounts[account] = new(big.Rat)
			}
			accounts[account].Add(accounts[account], sum)
		}
	}
	debits, _ := j.Sums()
	require.Zero(t, debit.Cmp(rat(t, debits.String())), "%s: the files have the journal's debits", name)
	for _, a := range j.Accounts {
		if sum := a.Debit.Sub(a.Credit); accounts[string(a.Account)] != nil || !sum.IsZero() {
			require.Zero(t, accounts[string(a.Account)].Cmp(rat(t, sum.String())), "%s: account %s", name, a.Account)
		}
	}
	all := new(big.Rat).SetFrac(bigWei(j.Wei), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	small := new(big.Rat).SetFrac(bigWei(j.Small.Wei), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	switch name {
	case journal.CSV.Name:
		require.Zero(t, tokens.Cmp(all), "the lines have every wei")
	case journal.DATEV.Name: // a posting is a row, so more of them round to zero than lines do
		require.LessOrEqual(t, tokens.Cmp(all), 0)
	default:
		require.Zero(t, new(big.Rat).Add(tokens, small).Cmp(all), "%s: the lines and what has no line have every wei", name)
	}
	return len(contents)
}

func bigWei(w fmt.Stringer) *big.Int {
	n, _ := new(big.Int).SetString(w.String(), 10)
	return n
}

// The document of journals has a row for each format of summaries.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/journals.md")
	require.NoError(t, err)
	for _, name := range journal.FormatNames(journal.Summaries) {
		require.Contains(t, string(text), "\n| `"+name+"` | ")
	}
}

// Random months pass the checker of each format.
func TestFormats(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		payments, q, _ := randomMonth(t, r, 1+r.IntN(60))
		j := summarise(t, payments, q)
		for _, name := range journal.FormatNames(journal.Summaries) {
			checkFiles(t, j, name)
		}
	}
}

// Ten thousand transactions of three months, an entry each: the files are divided where the
// product's limit is, and DATEV's by month too.
func TestManyTransactions(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: writes 10,000 payments in every format")
	}
	prices := ""
	for day := date(t, time.DateOnly, "2025-12-01"); day.Before(date(t, time.DateOnly, "2026-03-01")); day = day.AddDate(0, 0, 1) {
		prices += day.Format(time.DateOnly) + ",0.2315\n"
	}
	q := journal.Request{By: journal.ByTransaction, Prices: readPrices(t, prices, "EUR")}
	q.Chart = readChart(t, settings+"layer,account,cost_centre,tax_code\nevm,6810,100,\n,6811,,40\n")
	var payments fees
	start := date(t, time.DateOnly, "2025-12-01")
	for i := range 10_000 {
		at := start.Add(time.Duration(i) * 12 * time.Minute) // 83 days
		payments = append(payments, payment(t, uint64(i+1), at.Format(time.RFC3339), byte(1+i%7), fmt.Sprintf("%d00000000000001", 3+i%977)))
	}
	j := summarise(t, payments, q)
	require.EqualValues(t, 10_000, j.Fees)
	counts := map[string]int{}
	for _, name := range journal.FormatNames(journal.Summaries) {
		counts[name] = checkFiles(t, j, name)
	}
	require.Equal(t, 1, counts[journal.CSV.Name])
	require.Equal(t, 3, counts[journal.DATEV.Name])
	require.Greater(t, counts[journal.Xero.Name], counts[journal.QuickBooks.Name])
	require.Greater(t, counts[journal.QuickBooks.Name], 10)

	q.By = journal.ByDay
	j = summarise(t, payments, q)
	for _, name := range journal.FormatNames(journal.Summaries) {
		checkFiles(t, j, name)
	}
}

// Labels, calls and symbols from outside stay text, in one cell of one line.
func TestHostileText(t *testing.T) {
	q := journal.Request{By: journal.ByTransaction, Prices: readPrices(t, "2026-01-01,1\n", "EUR")}
	q.Chart = readChart(t, settings+"account\n6810\n")
	for _, label := range []string{
		"=cmd|' /C calc'!A0", "a\r\nFEE-1,01/01/2026,6810,9.00,,x", "\t@SUM(A1)", `";"` + "\n" + `"EXTF"`, strings.Repeat("ä\u202e\"", 50), "钱包 🦊", "\x1b[31mred", strings.Repeat("x", 200),
	} {
		q.Labels = labels(t, addressbook.Entry{Address: chain.Address20([20]byte{19: 1}), Label: label})
		p := payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000")
		p.Call = label
		j := summarise(t, fees{p}, q)
		for _, name := range journal.FormatNames(journal.Summaries) {
			require.Equal(t, 1, checkFiles(t, j, name))
			contents, _ := files(t, j, name)
			require.NotContains(t, contents[0], "\x1b")
			require.NotContains(t, contents[0], "\u202e")
		}
	}
}

// What a product does not take is refused before anything is written.
func TestRefused(t *testing.T) {
	eur := readPrices(t, "2026-01-01,1\n", "EUR")
	one := fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000")}
	huge := fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "10000000000000000000000000000")}
	var many fees
	rows := "id,account\n"
	for i := range 400 {
		many = append(many, payment(t, uint64(i+1), "2026-01-01T12:00:00Z", 1, "1000000000000000000"))
		rows += fmt.Sprintf("%d-4,%d\n", i+1, 2000+i)
	}
	for name, c := range map[string]struct {
		format, chart string
		payments      fees
		currency      string
		want          string
	}{
		"no tax rate":        {journal.Xero.Name, "# asset: 1500\naccount\n6810\n", one, "EUR", `--as xero: the chart lacks a setting; add a line such as "# xero tax rate: Tax Exempt"`},
		"tracking":           {journal.Xero.Name, "# xero tax rate: No VAT\n# xero tracking 1: Region\naccount\n6810\n", one, "EUR", `--as xero: line 2 of the chart: xero tracking 1 "Region": want a tracking category and a column of the chart, such as Region = location`},
		"too many lines":     {journal.Xero.Name, settings + rows, many, "EUR", "entry FEE-GLMR-20260101 has 401 lines, and a file has at most 300; book by day or by transaction, or use fewer accounts and cost centres"},
		"long number":        {journal.QuickBooks.Name, settings + "# number prefix: NETWORK-FEES-\naccount\n6810\n", one, "EUR", `the journal number NETWORK-FEES-GLMR-20260101 has more than 21 characters; set a shorter one with "# number prefix: F-"`},
		"formula prefix":     {journal.CSV.Name, "# asset: 1500\n# number prefix: =A1\naccount\n6810\n", one, "EUR", `line 2 of the chart: number prefix "=A1": want at most 30 letters, digits, points, slashes and hyphens`},
		"date form":          {journal.QuickBooks.Name, settings + "# date form: MM/DD\naccount\n6810\n", one, "EUR", `--as quickbooks: line 19 of the chart: date form "MM/DD": want a form such as YYYY-MM-DD, MM/DD/YYYY or DD.MM.YYYY`},
		"no date form":       {journal.Xero.Name, settings + "# date form: MM/DD/YYYY\naccount\n6810\n", one, "EUR", `--as xero: line 19 of the chart: xero has no date form. Remove the line, or name the format it is for: "# quickbooks date form: …"`},
		"no own date form":   {journal.Xero.Name, settings + "# xero date form: MM/DD/YYYY\naccount\n6810\n", one, "EUR", `--as xero: line 19 of the chart: xero has no date form. Remove the line, or the colon if it is a comment`},
		"no columns":         {journal.DATEV.Name, "# columns: date\naccount\n6810\n", one, "EUR", `--as datev: line 1 of the chart: datev has no columns. Remove the line, or name the format it is for: "# journal-csv columns: …"`},
		"misspelt":           {journal.Xero.Name, settings + "# xero tracking 3: A = class\naccount\n6810\n", one, "EUR", `--as xero: line 19 of the chart: xero has no tracking 3. Remove the line, or the colon if it is a comment`},
		"own date form":      {journal.NetSuite.Name, "# date form: MM/DD/YYYY\n# netsuite date form: MM/DD\naccount\n6810\n", one, "EUR", `--as netsuite: line 2 of the chart: date form "MM/DD": want a form such as YYYY-MM-DD, MM/DD/YYYY or DD.MM.YYYY`},
		"own prefix":         {journal.CSV.Name, "# journal-csv number prefix: =A1\naccount\n6810\n", one, "EUR", `line 1 of the chart: number prefix "=A1": want at most 30 letters, digits, points, slashes and hyphens`},
		"account numbers":    {journal.QuickBooks.Name, "# asset: 15-00\naccount\n6810\n", one, "EUR", `QuickBooks imports the names of accounts, not their numbers: 6810, 15-00. Write the names in the chart, or add lines such as "# quickbooks account 6810: Network fees"`},
		"an account's name":  {journal.QuickBooks.Name, "# asset: Wallet\n# quickbooks account 6810: =A1\naccount\n6810\n", one, "EUR", `quickbooks account 6810 "=A1": a spreadsheet would take it for a formula`},
		"three decimals":     {journal.NetSuite.Name, settings + "account\n6810\n", one, "KWD", "--as netsuite: KWD has 3 decimals, and the format has 2; choose journal-csv"},
		"huge":               {journal.NetSuite.Name, settings + "account\n6810\n", huge, "EUR", "entry FEE-GLMR-20260101: 10000000000.00 has more than 10 digits; book by day, or by transaction"},
		"huge for DATEV":     {journal.DATEV.Name, settings + "account\n6810\n", huge, "EUR", "entry FEE-GLMR-20260101: 10000000000.00 has more than 10 digits; book by day, or by transaction"},
		"a name for DATEV":   {journal.DATEV.Name, settings + "account\nFees\n", one, "EUR", `entry FEE-GLMR-20260101: the account "Fees" is not a number of DATEV with at most 4 digits; change the chart`},
		"a long account":     {journal.DATEV.Name, settings + "account\n68100\n", one, "EUR", `entry FEE-GLMR-20260101: the account "68100" is not a number of DATEV with at most 4 digits; change the chart`},
		"cost centre":        {journal.DATEV.Name, settings + "account,cost_centre\n6810,A&B\n", one, "EUR", `entry FEE-GLMR-20260101: cost_centre "A&B": want at most 36 letters, digits, blanks and underscores`},
		"tax code":           {journal.DATEV.Name, settings + "account,tax_code\n6810,USt\n", one, "EUR", `entry FEE-GLMR-20260101: tax_code "USt": want a BU-Schlüssel of at most 4 digits`},
		"no consultant":      {journal.DATEV.Name, "# asset: 1500\naccount\n6810\n", one, "EUR", `--as datev: the chart lacks a setting; add a line such as "# datev consultant: 29098"`},
		"consultant":         {journal.DATEV.Name, "# datev consultant: 12\naccount\n6810\n", one, "EUR", `--as datev: line 1 of the chart: datev consultant "12": want a number from 1001 to 9999999`},
		"not ISO":            {journal.DATEV.Name, settings + "account\n6810\n", one, "USDC", "--as datev: DATEV takes currencies with ISO codes only, and USDC is not one"},
		"no amounts":         {journal.CSV.Name, "# columns: date, account, debit\naccount\n6810\n", one, "EUR", `--as journal-csv: line 1 of the chart: columns "date, account, debit": want debit and credit, or amount`},
		"column":             {journal.CSV.Name, "# columns: Date = day\naccount\n6810\n", one, "EUR", `--as journal-csv: line 1 of the chart: columns "Date = day": "day" is not a field: want account, amount, class, cost_centre, credit, currency, date, debit, department, description, fees, hash, location, memo, network, number, project, symbol, tax_code, token, wei`},
		"rows":               {journal.CSV.Name, "# rows per file: 1\naccount\n6810\n", one, "EUR", `--as journal-csv: line 1 of the chart: rows per file "1": want a number of rows, 2 or more`},
		"not in the charset": {journal.CSV.Name, settings + "# encoding: windows-1252\naccount\nΩ\n", one, "EUR", ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := journal.Request{By: journal.ByDay, Prices: eur}
			if c.currency != "EUR" {
				q.Prices = readPrices(t, "2026-01-01,1\n", c.currency)
			}
			q.Chart = readChart(t, c.chart)
			q.Network, q.Symbol = "moonbeam", "GLMR"
			q.Format, _ = journal.FormatNamed(c.format)
			_, err := journal.Summarise(context.Background(), paymentsOf(t, c.payments), q)
			if c.want == "" {
				require.ErrorContains(t, err, "is not in Windows-1252; rename it, or choose another encoding")
			} else {
				require.EqualError(t, err, c.want)
			}
		})
	}
}

// A CSV has the columns, separators, dates and numbers that the chart chooses, and rows per file.
func TestChosenColumns(t *testing.T) {
	q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-01,0.5\n2026-01-02,0.5\n", "EUR")}
	q.Chart = readChart(t, "# asset: 1500\n# columns: Datum = date, Beleg = number, Konto = account, Betrag = amount, KST = cost_centre, Menge = token, wei, Text = description\n"+
		"# date form: DD.MM.YYYY\n# decimal: comma\n# separator: semicolon\n# line end: lf\n# encoding: windows-1252\n# rows per file: 3\naccount,cost_centre\n6810,Büro\n")
	j := summarise(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "2500000000000000000"), payment(t, 2, "2026-01-02T12:00:00Z", 1, "1000000000000000000")}, q)
	contents, plan := files(t, j, journal.CSV.Name)
	require.Equal(t, []string{
		"Datum;Beleg;Konto;Betrag;KST;Menge;wei;Text\n" +
			"01.01.2026;FEE-GLMR-20260101;6810;1,25;B\xfcro;2,500000000000000000;2500000000000000000;fees 2026-01-01: 2.500000000000000000 GLMR\n" +
			"01.01.2026;FEE-GLMR-20260101;1500;-1,25;;2,500000000000000000;2500000000000000000;fees 2026-01-01: 2.500000000000000000 GLMR\n",
		"Datum;Beleg;Konto;Betrag;KST;Menge;wei;Text\n" +
			"02.01.2026;FEE-GLMR-20260102;6810;0,50;B\xfcro;1,000000000000000000;1000000000000000000;fees 2026-01-02: 1.000000000000000000 GLMR\n" +
			"02.01.2026;FEE-GLMR-20260102;1500;-0,50;;1,000000000000000000;1000000000000000000;fees 2026-01-02: 1.000000000000000000 GLMR\n",
	}, contents)
	require.EqualValues(t, 2, plan[1].Rows)
	require.Empty(t, j.Lacks())
	q.Format = journal.QuickBooks
	q.Chart = readChart(t, "# asset: Wallet\naccount,cost_centre\nFees,1\n")
	require.Equal(t, []string{"cost_centre"}, summarise(t, j.fees, q).Lacks())
}

// One chart has the settings of several formats: with a format's name in front, a setting is only for it.
func TestSettingsOfOneFormat(t *testing.T) {
	q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-31,1\n", "EUR")}
	q.Chart = readChart(t, settings+"# QuickBooks date form: YYYY-MM-DD\n# netsuite date form: DD.MM.YYYY\n# journal-csv columns: date, account, amount\n# xero number prefix: X-\naccount\n6810\n")
	j := summarise(t, fees{payment(t, 1, "2026-01-31T12:00:00Z", 1, "1000000000000000000")}, q)
	for name, want := range map[string]string{
		journal.QuickBooks.Name: "\r\nFEE-GLMR-20260131,2026-01-31,Account 6810,1.00,", journal.NetSuite.Name: "\r\nFEE-GLMR-20260131,31.01.2026,",
		journal.CSV.Name: "date,account,amount\r\n2026-01-31,6810,1.00\r\n", journal.Xero.Name: "\r\nX-GLMR-20260131: moonbeam transaction fees 2026-01-31,31 Jan 2026,",
	} {
		contents, _ := files(t, j, name)
		require.Contains(t, contents[0], want)
	}
}

// Fees of less than half a cent have no line, and the note says how to book them together.
func TestAdviceOnSmallAmounts(t *testing.T) {
	for by, want := range map[journal.By]string{
		journal.ByTransaction: "rounding entry. Book them together with --summarise day or --summarise month",
		journal.ByDay:         "rounding entry. Book them together with --summarise month", journal.ByMonth: "rounding entry",
	} {
		q := journal.Request{By: by, Prices: readPrices(t, "2026-01-01,1\n", "EUR"), Format: journal.Xero}
		q.Chart = readChart(t, settings+"account\n6810\n")
		j := summarise(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "4900000000000000")}, q)
		notes := j.Remarks()
		require.Equal(t, "no line for 1 fee, 0.004900000000000000 GLMR: the amounts round to zero, and their value is in other lines of the entry or in the "+want, notes[len(notes)-1])
	}
}

// A column may have no heading.
func TestColumnWithoutHeading(t *testing.T) {
	q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-01,1\n", "EUR")}
	q.Chart = readChart(t, settings+"# columns: = date, account, amount\naccount\n6810\n")
	contents, _ := files(t, summarise(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000")}, q), journal.CSV.Name)
	require.Contains(t, contents[0], ",account,amount\r\n2026-01-01,6810,1.00\r\n")
}

// Amounts have the decimals of the currency in a CSV, and two in the other formats.
func TestDecimals(t *testing.T) {
	for currency, want := range map[string][2]string{"JPY": {"124", "124.00"}, "EUR": {"123.57", "123.57"}, "KWD": {"123.568", ""}} {
		q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-01,123.5675\n", currency)}
		q.Chart = readChart(t, settings+"account\n6810\n")
		j := summarise(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000")}, q)
		contents, _ := files(t, j, journal.CSV.Name)
		require.Contains(t, contents[0], ",6810,"+want[0]+",,"+currency+",")
		if want[1] != "" {
			contents, _ = files(t, j, journal.NetSuite.Name)
			require.Contains(t, contents[0], ",6810,"+want[1]+",,")
		}
	}
}

// The fiscal year of a DATEV file begins in the month of the setting.
func TestFiscalYear(t *testing.T) {
	for month, want := range map[string]string{"1": "20260101", "2": "20260201", "3": "20250301", "7": "20250701"} {
		q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-02-03,1\n", "EUR")}
		q.Chart = readChart(t, settings+"# datev fiscal year month: "+month+"\naccount\n6810\n")
		j := summarise(t, fees{payment(t, 1, "2026-02-03T12:00:00Z", 1, "1000000000000000000")}, q)
		contents, _ := files(t, j, journal.DATEV.Name)
		head := splitDATEV(strings.SplitN(contents[0], "\r\n", 2)[0])
		require.Equal(t, want, head[12])
		require.Equal(t, "20260201", head[14])
		require.Equal(t, "20260228", head[15])
		checkDATEV(t, contents[0])
	}
}
