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
	"github.com/feeledger/fees/internal/reconcile"
)

// fixedRecords is the number of records that TestFixedAgain tries.
const fixedRecords = 120

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
	for n := range fixedRecords {
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
		copied, before := copyOf(t, b, text, o, fail)
		require.Equal(t, reconcile.Changes{Added: missing, Corrected: wrong}, before.Fixed, fail)
		twice, after := copyOf(t, b, copied, o, fail+"\n---\n"+copied)
		require.True(t, after.Reconciled(), "%s\n---\n%s\n%v", fail, copied, counts(after))
		require.Equal(t, total(mine), after.Total.Books.String(), fail)
		require.Equal(t, reconcile.Changes{}, after.Fixed, fail)
		require.NotEmpty(t, twice)
		for _, note := range after.File.Notes {
			require.NotContains(t, note, "The total in line", fail)
		}
	}
}

// copyOf returns a record's copy, and its result.
func copyOf(t *testing.T, b reconcile.Book, text string, o reconcile.Options, fail string) (string, *reconcile.Result) {
	f, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
	require.NoError(t, err, fail)
	defer f.Close()
	r, err := reconcile.Match(t.Context(), b, f.Rows.All(), f.Matching(o))
	require.NoError(t, err, fail)
	defer r.Close()
	r.File = f
	var out bytes.Buffer
	require.NoError(t, r.WriteFixed(t.Context(), &out, strings.NewReader(text)), fail)
	return out.String(), r
}

// wide returns a text in UTF-16 with a byte order mark.
func wide(text string) string {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}
