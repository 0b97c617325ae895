package reconcile_test

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/tier"
)

// fixedRecords is the number of records that TestFixedAgain tries.
const fixedRecords = 48

// writer writes a generated record in one of the forms of companies.
type writer struct {
	*rand.Rand
	o        reconcile.Options
	unit     reconcile.Unit
	named    bool // each amount states its unit
	numbers  bool // a workbook's amounts are numbers
	bare     bool // hashes without 0x
	small    bool // addresses in small letters
	date     func(time.Time) string
	separate rune
}

// amount writes an amount that was computed with math/big.
func (w *writer) amount(wei *big.Int) string {
	places := map[reconcile.Unit]int{reconcile.Token: 18, reconcile.Gwei: 9}[w.unit]
	digits := fmt.Sprintf("%0*s", places+1, wei.String())
	whole, fraction := digits[:len(digits)-places], digits[len(digits)-places:]
	if w.o.Thousands != 0 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + string(w.o.Thousands) + whole[at:]
		}
	}
	if places > 0 {
		whole += string(w.o.Decimal) + fraction
	}
	if w.o.Negative {
		whole = "-" + whole
	}
	if w.named {
		whole += " " + map[reconcile.Unit]string{reconcile.Token: "GLMR", reconcile.Gwei: "Gwei", reconcile.Wei: "wei"}[w.unit]
	}
	return whole
}

// newWriter chooses a form.
func newWriter(r *rand.Rand, isSheet bool) *writer {
	w := &writer{Rand: r, unit: []reconcile.Unit{reconcile.Wei, reconcile.Gwei, reconcile.Token}[r.IntN(3)], bare: r.IntN(4) == 0, small: r.IntN(2) == 0}
	w.separate = []rune(",;\t|")[r.IntN(4)]
	w.o = reconcile.Options{Separator: w.separate, Symbol: "GLMR", Decimal: '.', Negative: r.IntN(4) == 0}
	w.named = r.IntN(3) == 0
	w.numbers = isSheet && !w.named && r.IntN(2) == 0
	if !w.named {
		w.o.Unit = w.unit
	}
	if !w.numbers && r.IntN(2) == 0 {
		w.o.Decimal = ','
	}
	if !w.numbers && r.IntN(3) == 0 {
		w.o.Thousands = map[rune]rune{'.': ',', ',': '.'}[w.o.Decimal]
	}
	berlin, _ := time.LoadLocation("Europe/Berlin") // of the standard library
	dates := []struct {
		format, layout string
		zone           *time.Location
	}{
		{"", "2006-01-02 15:04:05", time.UTC}, {"", "2006-01-02T15:04:05Z", time.UTC}, {"", "2006-01-02", berlin}, {"", "Jan 2, 2006 3:04 PM", berlin},
		{"", "2006-01-02 15:04:05 UTC", berlin}, {"", "2006-01-02T15:04:05.000-07:00", berlin}, {"dd.mm.yyyy HH:MM", "02.01.2006 15:04", berlin}, {"mm/dd/yyyy", "1/2/2006", time.UTC},
		{"yyyymmdd", "20060102", berlin}, {"unix", "", time.UTC}, {"unix-ms", "", time.UTC},
	}
	d := dates[r.IntN(len(dates))]
	w.o.DateFormat, w.o.Zone = d.format, d.zone
	w.date = func(at time.Time) string {
		switch {
		case d.layout != "":
			zone := d.zone
			if strings.HasSuffix(d.layout, "UTC") {
				zone = time.UTC
			}
			return at.In(zone).Format(d.layout)
		case d.format == "unix":
			return fmt.Sprint(at.Unix())
		}
		return fmt.Sprint(at.UnixMilli())
	}
	return w
}

// row writes a transaction.
func (w *writer) row(s *sent, wei *big.Int, at time.Time) []string {
	hash, account := s.hash(), s.From
	if w.bare {
		hash = hash[2:]
	}
	if w.small {
		account = strings.ToLower(account)
	}
	return []string{"kept; \"as\nit\" is", hash, w.amount(wei), account, w.date(at), ""}
}

func weiOf(text string) *big.Int {
	wei, _ := new(big.Int).SetString(text, 10)
	return wei
}

// A copy with missing rows and right amounts is complete: compared again, everything matches, and nothing is added to
// it. The sums are those that were recorded when the transactions were sent.
func TestFixedAgain(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	when := map[string]time.Time{}
	all := match(t, b, nil, reconcile.Options{Accounts: payers(t, list)})
	for _, i := range items(t, all) {
		of, _ := i.Transaction.Get()
		at, _ := of.Time.Get()
		when[of.Place.String()] = at.Std()
	}
	for n := range fixedRecords / tier.Step(2) {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		isSheet := n%3 == 0
		w := newWriter(r, isSheet)
		first := 3 + r.Uint64N(20)
		span := chain.Heights{First: first, Last: first + 4}
		g := grid{{"Note", "Transaction hash", "Fee", "From", "Date", "More"}}
		if r.IntN(4) == 0 {
			g = append(grid{{"Fees of the month"}}, g...)
		}
		var mine []*sent
		books, missing, wrong := new(big.Int), 0, 0
		for _, s := range list {
			if s.Height < span.First || s.Height > span.Last || weiOf(s.Charged).Sign() == 0 {
				continue
			}
			mine = append(mine, s)
			wei := weiOf(s.Charged)
			switch r.IntN(4) {
			case 0:
				missing++
				continue
			case 1:
				wrong++
				wei = new(big.Int).Add(wei, big.NewInt(1+r.Int64N(1e15)))
			}
			books.Add(books, wei)
			g = append(g, w.row(s, wei, when[s.place()]))
		}
		rows := len(mine) - missing
		if rows > 0 && r.IntN(2) == 0 {
			g = append(g, []string{"Total", "", w.amount(books), "", "", ""})
		}
		text := g.csv(w.separate)
		if isSheet {
			text = g.xlsx(t, func(f *excelize.File) {
				for i := range g {
					if w.numbers && len(g[i]) > 2 && g[i][2] != "Fee" {
						require.NoError(t, f.SetCellDefault("Sheet1", fmt.Sprintf("C%d", i+1), g[i][2]))
					}
				}
			})
		} else {
			w.o.Encoding = reconcile.UTF8
			switch r.IntN(4) {
			case 0:
				text = strings.ReplaceAll(text, "kept;", "h\u00e4lt;")
				w.o.Encoding = reconcile.Windows1252
				text = strings.ReplaceAll(text, "\u00e4", "\xe4")
			case 1:
				w.o.Encoding = ""
				text = wide(text)
			case 2:
				text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\r\n"), "as\r\nit", "as\nit")
			case 3:
				text = strings.TrimSuffix(text, "\n")
			}
		}
		o := w.o
		o.Accounts, o.Period = payers(t, list), heights(span.First, span.Last)
		fail := fmt.Sprintf("seed %d, record %d: %+v\n%s", seed, n, w.o, text)
		copied, before := fixed(t, b, text, o, fail)
		require.Equal(t, reconcile.Changes{Added: missing, Corrected: wrong}, before.Fixed, fail)
		twice, after := fixed(t, b, copied, o, fail+"\n---\n"+copied)
		require.Equal(t, chain.Some(true), after.Reconciled(), "%s\n---\n%s\n%v", fail, copied, counts(after))
		require.Equal(t, total(mine), after.Total.Books.String(), fail)
		require.Equal(t, reconcile.Changes{}, after.Fixed, fail)
		require.NotEmpty(t, twice)
		for _, note := range after.Files[0].Notes {
			require.NotContains(t, note, "The total in line", fail)
		}
	}
}

// wide returns a text in UTF-16 with a byte order mark.
func wide(text string) string {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

// What a copy cannot say for certain is left to people, and counted.
func TestFixedLeaves(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	one := list[0]
	asked := reconcile.Options{Accounts: payers(t, list[:1]), Period: heights(one.Height, one.Height), Symbol: "GLMR"}
	var mine []*sent
	for _, s := range list {
		if s.From == one.From && s.Height == one.Height {
			mine = append(mine, s)
		}
	}
	require.Len(t, mine, 1)

	// A row names it with another ID: it may be there already.
	copied, r := fixed(t, b, "Tx Hash,Extrinsic ID,fee_wei\n"+one.hash()+",1-1,5\n", asked, "ambiguous")
	require.Equal(t, reconcile.Changes{NotAdded: 1}, r.Fixed)
	require.Equal(t, 2, strings.Count(copied, "\n"))

	// Its fee is unknown.
	unknown := &changed{b, func(x *ledger.Transaction) {
		x.Fee, x.Charged = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
	}}
	_, r = fixed(t, unknown, "Tx Hash,fee_wei\n", asked, "unknown")
	require.Equal(t, reconcile.Changes{NotAdded: 1}, r.Fixed)

	// The only column is for another kind of hash.
	native := &changed{b, func(x *ledger.Transaction) { x.EVMHash, x.Layer = chain.Optional[chain.Hash]{}, fee.Native }}
	_, r = fixed(t, native, "EVM hash,fee_wei\n", asked, "native")
	require.Equal(t, reconcile.Changes{NotAdded: 1}, r.Fixed)
	require.Contains(t, r.Notes, "Missing from the books: 0 EVM transactions and 1 native transaction.")

	// It was accepted; and a wrong amount that was accepted.
	for _, text := range []string{"Tx Hash,fee_wei\n", "Tx Hash,fee_wei\n" + one.hash() + ",5\n"} {
		_, r = fixed(t, b, text, asked, "open")
		require.Equal(t, 1, r.Fixed.Added+r.Fixed.Corrected)
		accepting := asked
		for _, i := range itemsOf(t, b, text, asked) {
			accepting.Accepted = append(accepting.Accepted, reconcile.Acceptance{Difference: i.Digest(), By: "Anna", Time: "2026-02-03", Comment: "agreed"})
		}
		_, r = fixed(t, b, text, accepting, "accepted")
		require.Equal(t, reconcile.Changes{}, r.Fixed)
	}

	// The wrong amount is a formula: it stays, and the total of formulas keeps its value.
	text := grid{{"Tx Hash", "fee_wei"}, {one.hash(), ""}, {"Total", ""}}.xlsx(t, func(f *excelize.File) {
		for _, at := range []string{"B2", "B3"} {
			require.NoError(t, f.SetCellInt("Sheet1", at, 5))
			require.NoError(t, f.SetCellFormula("Sheet1", at, "2+3"))
		}
	})
	text = changePart(t, text, "xl/worksheets/sheet1.xml", func(s string) string { return strings.ReplaceAll(s, "<v></v>", "<v>5</v>") })
	copied, r = fixed(t, b, text, asked, "formula")
	require.Equal(t, reconcile.Changes{Kept: 1}, r.Fixed)
	f := workbook(t, copied)
	for at, want := range map[string]string{"B2": "5", "B3": "5", "I2": "books: 0.000000000000000005, chain: " + strings.TrimRight(one.token(), "0") + "; not corrected: the amount is a formula"} {
		got, err := f.GetCellValue("Sheet1", at, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.Equal(t, want, got, at)
	}

	// The formula of a total stays, with the sum of the corrected rows.
	text = grid{{"Tx Hash", "fee_wei"}, {one.hash(), "5"}, {"Total", ""}}.xlsx(t, func(f *excelize.File) {
		require.NoError(t, f.SetCellInt("Sheet1", "B3", 5))
		require.NoError(t, f.SetCellFormula("Sheet1", "B3", "SUM(B2:B2)"))
	})
	copied, r = fixed(t, b, text, asked, "total")
	require.Equal(t, reconcile.Changes{Corrected: 1}, r.Fixed)
	f = workbook(t, copied)
	formula, err := f.GetCellFormula("Sheet1", "B3")
	require.NoError(t, err)
	require.Equal(t, "SUM(B2:B2)", formula)
	got, err := f.GetCellValue("Sheet1", "B3", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	require.Equal(t, one.Charged, got)
}

// itemsOf are the items of a record's comparison.
func itemsOf(t *testing.T, b reconcile.Book, text string, o reconcile.Options) []reconcile.Item {
	return items(t, match(t, b, read(t, text, o), o))
}

// A new row of a product's export is what the product calls a fee, and is found by the same columns as its own rows. A
// corrected amount is where the row has its fee. Rows with fewer or more cells than the header keep the added columns
// in place.
func TestFixedForms(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	one, other := list[0], list[1]
	o := reconcile.Options{Accounts: payers(t, []*sent{one, other}), Period: heights(one.Height, other.Height), Symbol: "GLMR"}
	var mine []*sent
	for _, s := range list {
		if (s.From == one.From || s.From == other.From) && s.Height >= one.Height && s.Height <= other.Height && weiOf(s.Charged).Sign() > 0 {
			mine = append(mine, s)
		}
	}
	for name, c := range map[string]struct{ text, row string }{
		"Koinly universal file, costs": {
			"Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\n" +
				"2026-01-01 00:00:24 UTC,0.5,GLMR;27541,,,,,,,cost,," + one.hash() + "\n",
			"2026-01-01 00:00:24 UTC,,,,,AMOUNT,GLMR;27541,,,,,HASH,only_on_chain",
		},
		"Koinly simple file": {
			"Koinly Date,Amount,Currency,Label,TxHash\n2026-01-01 00:00:24,-0.5,GLMR,cost," + one.hash() + "\n",
			"2026-01-01 00:00:24,-AMOUNT,GLMR,cost,HASH,only_on_chain",
		},
		"CoinLedger export": {
			"Internal Id,Record Type,Type,Blockchain Id,Amount,Asset,Timestamp (UTC)\n1,Fee,Network Fee," + one.hash() + ",0.5,GLMR,2026-01-01 00:00:24\n",
			",,Network Fee,HASH,AMOUNT,GLMR,2026-01-01 00:00:24,only_on_chain",
		},
		"cells that end early": {
			"hash,fee (GLMR),memo,more\n" + one.hash() + ",0.5\n",
			"HASH,AMOUNT,,,only_on_chain",
		},
		"cells after the last column": {
			"hash,fee (GLMR),memo\n" + one.hash() + ",0.5,,,\n",
			"HASH,AMOUNT,,only_on_chain",
		},
	} {
		copied, r := fixed(t, b, c.text, o, name)
		require.Equal(t, reconcile.Changes{Added: len(mine) - 1, Corrected: 1}, r.Fixed, "%s\n%s", name, copied)
		amount := strings.TrimRight(other.token(), "0")
		require.Contains(t, copied, "\n"+strings.NewReplacer("AMOUNT", amount, "HASH", other.hash()).Replace(c.row), name)
		_, after := fixed(t, b, copied, o, copied)
		require.Equal(t, chain.Some(true), after.Reconciled(), "%s\n%s\n%v", name, copied, counts(after))
		require.Equal(t, total(mine), after.Total.Books.String(), name)
	}
}

// A missing transaction is printed with all that a row needs, in 80 columns too.
func TestMissingLine(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	one := list[0]
	o := reconcile.Options{Accounts: payers(t, list[:1]), Period: heights(one.Height, one.Height), Symbol: "GLMR"}
	r := match(t, book(t, "moonbeam-2100"), nil, o)
	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out, false, 80))
	require.Contains(t, out.String(), "GLMR\n  payer "+one.From+"\n  hash "+one.hash()+"\n")
	require.Regexp(t, `(?m)^only_on_chain .*\n  2026-01-01 00:00:\d\d UTC, EVM ethereum\.transact, `+strings.TrimRight(one.token(), "0")+` GLMR$`, out.String())
}

// A new row of a workbook has the types and the styles of its columns: dates and amounts are numbers with their format.
func TestFixedStyles(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	one, other := list[0], list[1]
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	o := reconcile.Options{Accounts: payers(t, []*sent{other}), Period: heights(other.Height, other.Height), Symbol: "GLMR", Zone: berlin}
	require.Equal(t, one.Height, other.Height)
	for format, days := range map[string]string{"dd.mm.yyyy hh:mm": "46023.041944", "dd.mm.yyyy": "46023"} {
		text := grid{{"Date", "hash", "Fee (GLMR)", "Account"}, {"", one.hash(), "", one.From}}.xlsx(t, func(f *excelize.File) {
			date, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
			require.NoError(t, err)
			amount, err := f.NewStyle(&excelize.Style{NumFmt: 2})
			require.NoError(t, err)
			require.NoError(t, f.SetCellDefault("Sheet1", "A2", days))
			require.NoError(t, f.SetCellStyle("Sheet1", "A2", "A2", date))
			require.NoError(t, f.SetCellDefault("Sheet1", "C2", strings.TrimRight(one.token(), "0")))
			require.NoError(t, f.SetCellStyle("Sheet1", "C2", "C2", amount))
		})
		copied, r := fixed(t, b, text, o, format)
		require.Equal(t, 1, r.Fixed.Added)
		f := workbook(t, copied)
		rows, err := f.GetRows("Sheet1")
		require.NoError(t, err)
		shown := "01.01.2026 01:00" // block 3, in Berlin
		require.Equal(t, shown[:len(rows[2][0])], rows[2][0])
		require.Len(t, rows[2][0], len(format))
		require.Equal(t, rows[1][0], rows[2][0][:len(rows[1][0])])
		for _, column := range "AC" {
			before, err := f.GetCellStyle("Sheet1", string(column)+"2")
			require.NoError(t, err)
			after, err := f.GetCellStyle("Sheet1", string(column)+"3")
			require.NoError(t, err)
			require.Equal(t, before, after)
		}
		exact, err := f.GetCellValue("Sheet1", "C3", excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.Equal(t, strings.TrimRight(other.token(), "0"), exact)
	}
}

// A total that is not the sum of the fees above it becomes their sum, with the corrected amounts; compared again,
// everything matches.
func TestFixedWrongTotal(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	b := book(t, "moonbeam-2100")
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	head := "Tx Hash,fee_wei\n" + list[0].hash() + "," + list[0].Charged + "\n" + list[1].hash() + ","
	for amount, corrected := range map[string]int{list[1].Charged: 0, "5": 1} {
		copied, r := fixed(t, b, head+amount+"\nTotal,123\n", o, amount)
		require.Equal(t, reconcile.Changes{Corrected: corrected}, r.Fixed)
		require.Equal(t, 1, counts(r)[reconcile.TotalDiffers])
		last := copied[strings.Index(copied, "\nTotal,"):]
		require.True(t, strings.HasPrefix(last, "\nTotal,"+total(list)+",total_differs,"), last)
		require.Contains(t, last, "; corrected in this copy")
		_, after := fixed(t, b, copied, o, copied)
		require.True(t, after.Agrees(), "%s\n%v", copied, counts(after))
	}
}

// A new row states its date in the form of the column, also if no row has a date yet, and as many decimals as the record
// keeps. It has each kind of hash and ID that the record has a column for.
func TestFixedNewRow(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	var one *sent
	for _, s := range list {
		if s.EthHash != "" && len(strings.TrimRight(s.token(), "0")) > 12 {
			one = s
			break
		}
	}
	require.NotNil(t, one)
	o := reconcile.Options{Accounts: payers(t, []*sent{one}), Period: heights(one.Height, one.Height), Symbol: "GLMR", DateFormat: "dd.mm.yyyy"}
	text := "Date,EVM hash,Extrinsic hash,Extrinsic ID,Fee (GLMR)\n"
	exact := strings.TrimRight(one.token(), "0")
	for decimals, amount := range map[int]string{0: exact, 8: cut(one.token(), 8)} {
		o.CutDecimals = decimals
		copied, r := fixed(t, b, text, o, "new")
		require.Equal(t, reconcile.Changes{Added: 1}, r.Fixed)
		require.Contains(t, copied, "\n"+strings.Join([]string{"01.01.2026", one.EthHash, one.XtHash, one.place(), amount, "only_on_chain"}, ",")+",")
		_, after := fixed(t, b, copied, o, copied)
		require.Equal(t, chain.Some(true), after.Reconciled(), "%s\n%v", copied, counts(after))
	}
}

// UTF-16 is recognised without a mark; a copy keeps its order of bytes, its mark and characters outside the first plane.
func TestFixedUTF16(t *testing.T) {
	one := allSent(t, "moonbeam-2100")[0]
	text := "Extrinsic ID,fee_wei,memo\n" + one.place() + "," + one.Charged + ",\U0001f600\n"
	swapped := func(text string) string {
		out := []byte(text)
		for i := 0; i+1 < len(out); i += 2 {
			out[i], out[i+1] = out[i+1], out[i]
		}
		return string(out)
	}
	for name, c := range map[string]struct {
		mark  string
		write func(string) string
	}{
		"little, with a mark": {"\xff\xfe", func(s string) string { return wide(s) }},
		"little, without":     {"", func(s string) string { return wide(s)[2:] }},
		"big, with a mark":    {"\xfe\xff", func(s string) string { return swapped(wide(s)) }},
		"big, without":        {"", func(s string) string { return swapped(wide(s)[2:]) }},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, strings.HasPrefix(c.write(text), c.mark))
			got, _ := fixed(t, book(t, "moonbeam-2100"), c.write(text), reconcile.Options{})
			want := "Extrinsic ID,fee_wei,memo,outcome,chain_wei,chain_token,difference_wei,difference_token,id,notes\n" + one.place() + "," + one.Charged + ",\U0001f600,matched," +
				one.Charged + "," + one.token() + ",0,0.000000000000000000," + one.place() + ",\n"
			require.Equal(t, c.write(want), got)
		})
	}
}
