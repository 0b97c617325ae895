package money_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// file returns a file of testdata; pair may be "".
func file(t testing.TB, name, pair string) money.File {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return named(t, name, pair, string(text))
}

func named(t testing.TB, name, pair, text string) money.File {
	f := money.File{Name: name, Text: []byte(text)}
	if pair != "" {
		var err error
		f.Pair, err = money.ParsePair(pair)
		require.NoError(t, err)
	}
	return f
}

// some returns noon of a day.
func some(t testing.TB, day string) chain.Optional[chain.Time] {
	return chain.Some(at(t, day+"T12:00:00Z"))
}

func list(t testing.TB, o money.Options, files ...money.File) *money.List {
	l, err := money.ReadFiles(files, o)
	require.NoError(t, err)
	return l
}

// price returns the price of a day, "" for none.
func price(t testing.TB, l *money.List, day string) string {
	text, _ := l.Price(l.Moment(at(t, day+"T12:00:00Z")))
	return text
}

// The same three days, written as each product writes them.
func TestProducts(t *testing.T) {
	for name, c := range map[string]struct{ pair, format, day string }{
		"glmr-usd-max.csv":                  {"", "CoinGecko", "the price at 00:00 UTC when the day ends"},
		"GLMR_historical_coinmarketcap.csv": {"GLMR/USD", "CoinMarketCap", "the close of the day (UTC)"},
		"GLMR-USD.csv":                      {"", "Yahoo", "the close of the day (UTC)"},
		"GLMRUSD_1440.csv":                  {"", "Kraken", "the close of the day (UTC)"},
		"cryptodatadownload.csv":            {"", "CryptoDataDownload", "the close of the day (UTC)"},
	} {
		t.Run(c.format, func(t *testing.T) {
			f := file(t, name, c.pair)
			for _, text := range []string{string(f.Text), "\ufeff" + strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(string(f.Text), "\ufeff"), "\r", ""), "\n", "\r\n")} {
				l := list(t, money.Options{}, money.File{Name: f.Name, Pair: f.Pair, Text: []byte(text)})
				require.Equal(t, money.Currency("USD"), l.Currency, "the only possibility")
				require.Equal(t, "GLMR", l.Token)
				require.Equal(t, "0.2418723342518796", price(t, l, "2026-01-01"))
				require.Equal(t, "0.2501", price(t, l, "2026-01-02"))
				require.Equal(t, "0.24", price(t, l, "2026-01-03"))
				require.Empty(t, price(t, l, "2026-01-04"))
				require.Equal(t, []string{c.format + " GLMR/USD (" + c.day + ")"}, l.Sources)
				require.Equal(t, c.format, l.Files[0].Format)
				require.Contains(t, l.Notes()[0], "SHA-256 of "+name+": "+l.SHA256)
			}
		})
	}
}

// CoinGecko's price at 00:00 UTC is that of the day that ends then. A price at another time is of no day.
func TestEve(t *testing.T) {
	l := list(t, money.Options{}, file(t, "glmr-usd-max.csv", ""))
	require.Equal(t, "0.26", price(t, l, "2026-01-05"))
	require.Empty(t, price(t, l, "2026-01-06"))
	require.Equal(t, "1 row of the price files is not at 00:00 UTC and left out", l.Notes()[2])
}

// The decimal comma and the other names of CoinMarketCap's columns.
func TestDecimalComma(t *testing.T) {
	l := list(t, money.Options{}, named(t, "x.csv", "GLMR/EUR", "timeOpen;timeClose;priceOpen;priceClose;marketCap\n1767312000000;1767398399999;0,24;0,2501;1\n"))
	require.Equal(t, "0.2501", price(t, l, "2026-01-02"))
	require.Equal(t, "EUR", string(l.Currency))
}

// Cross rates. The expected values are Python's:
//
//	from decimal import *; getcontext().prec = 60
//	q = lambda x: x.quantize(Decimal(10)**-18, ROUND_HALF_UP); D = Decimal
//	q(D("0.2501") / D("1.0321"))                # GLMR/USD ÷ EUR/USD of 2 January
//	q(D("0.2501") * D("0.8299") / D("1.0321"))  # × EUR/GBP
//	q(D("0.2501") * D("162.81") / D("1.0321"))  # × EUR/JPY
//	q(D("0.2501") / D("1.3437")); q(D("0.2501") * D("1.1438") / D("1.3437"))
func TestCrossRate(t *testing.T) {
	for _, c := range []struct{ rates, currency, want, formula string }{
		{"eurofxref-hist.csv", "EUR", "0.242321480476697994", "GLMR/USD ÷ EUR/USD, rounded half up to 18 decimals"},
		{"eurofxref-hist.zip", "EUR", "0.242321480476697994", "GLMR/USD ÷ EUR/USD, rounded half up to 18 decimals"},
		{"eurofxref-hist.csv", "GBP", "0.201102596647611666", "GLMR/USD × EUR/GBP ÷ EUR/USD, rounded half up to 18 decimals"},
		{"eurofxref-hist.zip", "JPY", "39.452360236411200465", "GLMR/USD × EUR/JPY ÷ EUR/USD, rounded half up to 18 decimals"},
		{"hmrc.csv", "GBP", "0.186127855920220287", "GLMR/USD ÷ GBP/USD, rounded half up to 18 decimals"},
		{"hmrc.csv", "EUR", "0.212893041601547965", "GLMR/USD × GBP/EUR ÷ GBP/USD, rounded half up to 18 decimals"},
	} {
		for _, files := range [][]money.File{{file(t, "GLMR-USD.csv", ""), file(t, c.rates, "")}, {file(t, c.rates, ""), file(t, "GLMR-USD.csv", "")}} {
			l := list(t, money.Options{Fiat: money.Currency(c.currency)}, files...)
			require.Equal(t, c.want, price(t, l, "2026-01-02"), c.currency)
			require.Equal(t, c.formula, l.Formula)
			require.Len(t, l.Sources, 2)
			require.Len(t, strings.Split(l.SHA256, ", "), 2)
		}
	}
	// 0.25 USDT × 0.998 USD, a product, is exact. USDT is not USD without it.
	pairs := []money.File{named(t, "a.csv", "GLMR/USDT", "# source: A\n2026-01-01,0.25\n"), named(t, "b.csv", "USDT/USD", "# source: B\n2026-01-01,0.998\n")}
	require.Equal(t, "0.2495", price(t, list(t, money.Options{Fiat: "USD"}, pairs...), "2026-01-01"))
	_, err := money.ReadFiles(pairs[:1], money.Options{Fiat: "USD"})
	require.EqualError(t, err, "it contains no prices in USD, only in USDT")
}

// A quotient is the nearest multiple of 10^-18, and the larger one of two that are as near, as with integers.
func TestQuotients(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		p, r, s := 1+random.Int64N(1e15), 1+random.Int64N(1e9), 1+random.Int64N(1e9) // in 10^-15, 10^-4 and 10^-4
		ecb := fmt.Sprintf("Date,USD,JPY,GBP,CHF\n2026-01-01,%d.%04d,1,%d.%04d,1\n", r/10000, r%10000, s/10000, s%10000)
		own := fmt.Sprintf("# source: X\ndate,USD\n2026-01-01,0.%015d\n", p)
		l := list(t, money.Options{Fiat: "GBP"}, named(t, "a.csv", "", own), named(t, "b.csv", "", ecb))
		have, ok := new(big.Rat).SetString("0" + price(t, l, "2026-01-01"))
		exact := new(big.Rat).Mul(big.NewRat(p, 1e15), big.NewRat(s, r))
		unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
		scaled := new(big.Rat).Quo(exact, unit) // floor(x × 10^18 + 1/2)
		twice := new(big.Int).Add(new(big.Int).Mul(scaled.Num(), big.NewInt(2)), scaled.Denom())
		want := new(big.Rat).Mul(new(big.Rat).SetInt(twice.Div(twice, new(big.Int).Mul(scaled.Denom(), big.NewInt(2)))), unit)
		if want.Sign() == 0 {
			require.Empty(t, price(t, l, "2026-01-01"), "a price of 0 is none")
			continue
		}
		require.True(t, ok)
		require.Zero(t, want.Cmp(have), "%s %s %s", own, ecb, price(t, l, "2026-01-01"))
	}
}

// Two rates of different earlier days are both named.
func TestRatesOfTwoDays(t *testing.T) {
	l := list(t, money.Options{Fiat: "JPY", LastKnown: true},
		named(t, "GLMR-USD.csv", "", "Date,Open,High,Low,Close,Adj Close,Volume\n2026-01-05,0.25,0.25,0.25,0.25,0.25,1\n"),
		named(t, "eurofxref-hist.csv", "", "Date,USD,JPY,GBP,CHF,\n2026-01-04,1.25,N/A,1,1,\n2026-01-02,1.2,160,1,1,\n"))
	v := l.Valuer()
	require.Equal(t, "32", price(t, l, "2026-01-05")) // 0.25 × 160 ÷ 1.25
	money.Value(v, wei(t, token), some(t, "2026-01-05"))
	require.Equal(t, []money.Late{{Day: "2026-01-05", From: "rate of 2026-01-02, rate of 2026-01-04"}}, v.Late())
}

// A day without a price is unknown, and listed. With LastKnown it has the last price or rate of at most seven days
// before. By Python: 0.24 ÷ 1.0321 and 0.2418723342518796 ÷ 1.0389, as above.
func TestGaps(t *testing.T) {
	files := []money.File{file(t, "GLMR-USD.csv", ""), file(t, "eurofxref-hist.zip", "")}
	v := list(t, money.Options{Fiat: "EUR"}, files...).Valuer()
	for _, day := range []string{"2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"} {
		value(t, v, token, day+"T10:00:00Z")
	}
	require.EqualError(t, v.Check(false), "no price in EUR for 3 days: 2026-01-01, 2026-01-03, 2026-01-04 (2 of them have a price but no exchange rate); the ECB publishes none on weekends and holidays")
	require.Nil(t, v.Basis().Late)

	l := list(t, money.Options{Fiat: "EUR", LastKnown: true}, files...)
	v = l.Valuer()
	for day, want := range map[string]string{
		"2026-01-01": "0.232815799645663298", "2026-01-02": "0.242321480476697994", "2026-01-03": "0.232535607014824145", "2026-01-04": "0.232535607014824145",
		"2025-12-31": "", "2026-01-10": "0.230503265462927391", "2026-01-11": "", // 0.24 ÷ 1.0412
	} {
		require.Equal(t, want, price(t, l, day), day)
		amount, known := money.Value(v, wei(t, token), some(t, day)).Get()
		require.Equal(t, want != "", known)
		require.Equal(t, want != "" && day != "2026-01-02", amount.Late(), day)
	}
	require.EqualError(t, v.Check(false), "no price in EUR for 2 days: 2025-12-31, 2026-01-11")
	require.Equal(t, []money.Late{
		{Day: "2026-01-01", From: "rate of 2025-12-31"}, {Day: "2026-01-03", From: "rate of 2026-01-02"},
		{Day: "2026-01-04", From: "price of 2026-01-03, rate of 2026-01-02"}, {Day: "2026-01-10", From: "price of 2026-01-03, rate of 2026-01-05"},
	}, v.Late())
	require.Contains(t, v.Sourced()[1], "LAST KNOWN PRICE: 4 days without a price: 2026-01-01 (rate of 2025-12-31), ")
	require.Contains(t, strings.Join(v.Notes(), "\n"), "LAST KNOWN PRICE: 4 days")
	text, err := json.Marshal(v.Basis())
	require.NoError(t, err)
	require.Contains(t, string(text), `"last_known":[{"day":"2026-01-01","from":"rate of 2025-12-31"}`)
	require.Contains(t, string(text), `"formula":"GLMR/USD ÷ EUR/USD, rounded half up to 18 decimals"`)
	late, _ := money.Value(v, wei(t, token), some(t, "2026-01-03")).Get()
	own, _ := money.Value(v, wei(t, token), some(t, "2026-01-02")).Get()
	require.True(t, own.Add(late).Late(), "a sum is marked if a part is")
	require.False(t, own.Add(own).Late())

	days := []money.Moment{l.Moment(at(t, "2026-01-03T00:00:00Z")), l.Moment(at(t, "2026-02-03T00:00:00Z"))}
	notes, err := l.CheckMoments(days, false)
	require.ErrorContains(t, err, "no price in EUR for 1 day: 2026-02-03")
	require.Len(t, notes, 2)
	_, err = l.CheckMoments(days, true)
	require.NoError(t, err)
}

// A gap that a product always has is named.
func TestNamedGaps(t *testing.T) {
	v := list(t, money.Options{}, file(t, "GLMRUSD_1440.csv", "")).Valuer()
	value(t, v, token, "2026-01-04T10:00:00Z")
	require.EqualError(t, v.Check(false), "no price in USD for 1 day: 2026-01-04; Kraken has none for days without trades")
}

// Prices by the hour have the rates of their day in UTC, and go back seven days.
func TestHoursAndRates(t *testing.T) {
	hours := named(t, "h.csv", "", "# source: X\ndate,USD\n2026-01-02T23:00:00Z,0.2501\n2026-01-03T00:00:00Z,0.24\n")
	l := list(t, money.Options{Fiat: "EUR"}, hours, file(t, "eurofxref-hist.csv", ""))
	text, ok := l.Price(l.Moment(at(t, "2026-01-02T23:30:00Z")))
	require.True(t, ok)
	require.Equal(t, "0.242321480476697994", text)
	_, ok = l.Price(l.Moment(at(t, "2026-01-03T00:30:00Z")))
	require.False(t, ok)
	require.Equal(t, "the price of the hour", l.Files[0].Day)
	l = list(t, money.Options{Fiat: "EUR", LastKnown: true}, hours, file(t, "eurofxref-hist.csv", ""))
	text, _ = l.Price(l.Moment(at(t, "2026-01-03T01:30:00Z")))
	require.Equal(t, "0.232535607014824145", text)
	text, _ = l.Price(l.Moment(at(t, "2026-01-10T00:30:00Z")))
	require.Equal(t, "0.230503265462927391", text)
	_, ok = l.Price(l.Moment(at(t, "2026-01-10T01:30:00Z")))
	require.False(t, ok)
}

// Several files of the same prices are one list.
func TestParts(t *testing.T) {
	a := named(t, "a.csv", "", "# source: A\ndate,EUR\n2026-01-01,1\n2026-01-02,2\n")
	b := named(t, "b.csv", "GLMR/EUR", "# source: B\ndate,EUR\n2026-01-02,2.0\n2026-01-03,3\n")
	l := list(t, money.Options{}, a, b)
	require.Equal(t, []string{"A", "B"}, l.Sources)
	require.Equal(t, "GLMR", l.Token)
	require.Equal(t, []string{"1", "3"}, []string{price(t, l, "2026-01-01"), price(t, l, "2026-01-03")})
	require.Equal(t, "GLMR/EUR", l.Files[0].Pair)
}

// The columns of other files are named by the user.
func TestMappedColumns(t *testing.T) {
	const text = "My broker\nDay;Pair;Last  price\n02.01.2026;GLMR;0,2501\n03.01.2026;GLMR;-\n"
	for _, columns := range [][]string{{"date=day", "price=last price"}, {"date=#1", "price=#3"}} {
		l := list(t, money.Options{Columns: columns}, named(t, "broker.csv", "GLMR/EUR", text))
		require.Equal(t, "0.2501", price(t, l, "2026-01-02"))
		require.Equal(t, "your columns", l.Files[0].Format)
	}
	l := list(t, money.Options{Columns: []string{"date=#1", "price=#2"}}, named(t, "GLMR-EUR.csv", "", "2026-01-02,0.25\n"))
	require.Equal(t, "0.25", price(t, l, "2026-01-02"), "without a header")
	l = list(t, money.Options{Columns: []string{"date=d", "price=p", "currency=c"}}, named(t, "x.csv", "GLMR/CHF", "d,p,c\n2026-01-02,0.25,CHF\n"))
	require.Equal(t, "0.25", price(t, l, "2026-01-02"))
	_, err := money.ReadFiles([]money.File{named(t, "x.csv", "GLMR/CHF", "d,p,c\n2026-01-02,0.25,EUR\n")}, money.Options{Columns: []string{"date=d", "price=p", "currency=c"}})
	require.EqualError(t, err, "line 2: the price is of EUR, not of CHF")
	for form, text := range map[string]string{"dd/mm/yyyy": "02/01/2026", "mmm d, yyyy": `"Jan 2, 2026"`} {
		l = list(t, money.Options{Fiat: "EUR", Columns: []string{"date=d", "price=p", "date-format=" + form}}, named(t, "x.csv", "", "d,p\n"+text+",0.25\n"))
		require.Equal(t, "0.25", price(t, l, "2026-01-02"))
	}
	_, err = money.ReadFiles([]money.File{named(t, "x.csv", "", "d,p\n")}, money.Options{Fiat: "EUR", Columns: []string{"date=d", "price=p", "date-format=dd/mm"}})
	require.EqualError(t, err, `date-format "dd/mm" lacks the year, month or day. Include yyyy, mm and dd.`)
	for _, columns := range [][]string{{"date"}, {"date="}, {"day=x"}, {"date=x"}, {"date=x", "price=y"}} {
		_, err := money.ReadFiles([]money.File{named(t, "x.csv", "", "# source: X\n2026-01-01,1\n")}, money.Options{Fiat: "EUR", Columns: columns})
		var wrong *money.MapError
		require.ErrorAs(t, err, &wrong, columns)
		require.ErrorContains(t, err, "such as date=Day,price=Close")
	}
}

// The pair is in the name of a file, or nowhere: it is never guessed.
func TestPairs(t *testing.T) {
	const yahoo = "Date,Open,High,Low,Close,Adj Close,Volume\n2026-01-01,1,1,1,2,2,1\n"
	for name, want := range map[string]string{
		"glmr-usd-max.csv": "GLMR/USD", "GLMR-EUR.csv": "GLMR/EUR", "GLMREUR.csv": "GLMR/EUR", "GLMR-USD (1).csv": "GLMR/USD", "movr_chf.csv": "MOVR/CHF", "GLMR-USDT.csv": "GLMR/USDT",
		"GLMRUSDT.csv": "GLMR/USDT",
		"GLMRBUSD.csv": "", "prices.csv": "", "GLMR.csv": "", "Download-GLMR-EUR.csv": "", "EUR.csv": "", "-.csv": "", "G-EUR.csv": "", "": "",
	} {
		l, err := money.ReadFiles([]money.File{named(t, name, "", yahoo)}, money.Options{})
		if want == "" {
			require.EqualError(t, err, "line 2: the file does not state its currency; name it with --fiat, or name the pair, as in --prices TOKEN/USD="+name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, want, l.Files[0].Pair)
	}
	for _, text := range []string{"GLMR", "glmr/usd", "GLMR/US", "GLMR/WEI", "G/USD", "/USD"} {
		_, err := money.ParsePair(text)
		require.Error(t, err, text)
	}
}

// Files that cannot be read together, or are not what they seem.
func TestFilesThatAreRefused(t *testing.T) {
	const own, gecko, yahoo = "# source: X\n", "snapped_at,price,market_cap,total_volume\n", "Date,Open,High,Low,Close,Adj Close,Volume\n"
	usd, ecb, hmrc := file(t, "GLMR-USD.csv", ""), file(t, "eurofxref-hist.csv", ""), file(t, "hmrc.csv", "")
	day := func(price string) money.File {
		return named(t, "glmr-usd-max.csv", "", gecko+"2026-01-02 00:00:00 UTC,"+price+",,\n")
	}
	for name, c := range map[string]struct {
		files []money.File
		fiat  string
		want  string
	}{
		"none":              {nil, "EUR", "0 price files; name 1 to 20"},
		"only rates":        {[]money.File{ecb}, "EUR", "only exchange rates, and no price of the token; add a file with its prices"},
		"which currency":    {[]money.File{usd, hmrc}, "", "values can be in EUR, GBP, USD; choose one with --fiat"},
		"no way":            {[]money.File{usd}, "EUR", "it contains no prices in EUR, only in USD"},
		"two ways":          {[]money.File{usd, ecb, hmrc}, "GBP", "prices in GBP can be calculated in 2 ways, such as GLMR/USD × EUR/GBP ÷ EUR/USD, rounded half up to 18 decimals and GLMR/USD ÷ GBP/USD, rounded half up to 18 decimals; leave out the files that you do not want"},
		"not needed":        {[]money.File{usd, ecb}, "USD", "eurofxref-hist.csv contains nothing that prices in USD need; leave it out"},
		"two tokens":        {[]money.File{usd, named(t, "MOVR-USD.csv", "", string(usd.Text))}, "USD", "they contain prices of more than one token: GLMR, MOVR"},
		"other price":       {[]money.File{usd, named(t, "GLMR-USD2.csv", "GLMR/USD", yahoo+"2026-01-02,1,1,1,1,1,1\n")}, "USD", "2026-01-02 has the price 1 USD in GLMR-USD2.csv, but 0.2501 in GLMR-USD.csv; leave one of them out"},
		"other prices":      {[]money.File{usd, named(t, "GLMR-USD2.csv", "GLMR/USD", yahoo+"2026-01-03,1,1,1,3,1,1\n2026-01-02,1,1,1,2,1,1\n2026-01-01,1,1,1,1,1,1\n")}, "USD", "2026-01-01 has the price 1 USD in GLMR-USD2.csv, but 0.2418723342518796 in GLMR-USD.csv; leave one of them out"},
		"days and hours":    {[]money.File{named(t, "a.csv", "", own+"date,EUR\n2026-01-01,1\n"), named(t, "b.csv", "", own+"date,EUR\n2026-01-01T00:00:00Z,1\n")}, "EUR", "a.csv and b.csv differ in their days or hours, or in their time zone"},
		"rates by hour":     {[]money.File{usd, named(t, "b.csv", "USD/EUR", own+"date,EUR\n2026-01-01T00:00:00Z,1\n")}, "EUR", "exchange rates USD/EUR are by hour; give those by day"},
		"no currency":       {[]money.File{named(t, "a.csv", "", own+"2026-01-01,1\n")}, "", `line 2: the price has no currency; name it with --fiat, or add a line such as "# currency: EUR" at the top`},
		"another pair":      {[]money.File{named(t, "a.csv", "GLMR/USD", own+"date,EUR\n2026-01-01,1\n")}, "EUR", "it contains no prices in USD, which GLMR/USD states"},
		"contradiction":     {[]money.File{file(t, "GLMR_historical_coinmarketcap.csv", "GLMR/EUR")}, "EUR", "line 2: the price is of USD, not of EUR\nline 3: the price is of USD, not of EUR\nline 4: the price is of USD, not of EUR"},
		"other symbol":      {[]money.File{file(t, "cryptodatadownload.csv", "MOVR/USD")}, "USD", "line 3: the price is of GLMR, not of MOVR\nline 4: the price is of GLMR, not of MOVR\nline 5: the price is of GLMR, not of MOVR"},
		"no symbol":         {[]money.File{named(t, "x.csv", "", "unix,date,symbol,open,high,low,close\n1767225600,,GLMR,1,1,1,1\n")}, "USD", `line 2: "GLMR" does not state the token and the currency; name the pair, as in --prices TOKEN/USD=x.csv`},
		"by the hour":       {[]money.File{named(t, "x.csv", "", "unix,date,symbol,open,high,low,close\n1767229200,,GLMR/USD,1,1,1,1\n")}, "USD", "line 2: 2026-01-01 01:00:00 UTC is not the beginning of a day; use the file with prices by day"},
		"order of Kraken":   {[]money.File{named(t, "GLMRUSD_1440.csv", "", "1767225600,0.24,0.23,0.25,0.24,1,1\n")}, "USD", "line 1: its columns are not time, open, high, low, close, volume, trades in this order"},
		"Kraken, no price":  {[]money.File{named(t, "GLMRUSD_1440.csv", "", "1767225600,0.24,,0.25,0.24,1,1\n")}, "USD", "line 1: column high has no price"},
		"Kraken by hour":    {[]money.File{named(t, "GLMRUSD_60.csv", "", "1767225600,1,1,1,1,1,1\n")}, "USD", `line 1: unknown column "1767225600"; name it date, price, currency, source, or after a currency such as EUR; or say which columns there are: --price-map date=NAME,price=NAME`},
		"1e400":             {[]money.File{day("1e400")}, "USD", `line 2: "1e400" is not a price such as 0.1234 with one kind of decimal separator`},
		"1e99":              {[]money.File{day("1e99")}, "USD", `line 2: price "1e99" has more than 15 digits or 30 decimals`},
		"1e-99":             {[]money.File{day("1e-99")}, "USD", `line 2: price "1e-99" has more than 15 digits or 30 decimals`},
		"huge":              {[]money.File{day(strings.Repeat("9", 400))}, "USD", `line 2: "` + strings.Repeat("9", 400) + `" is not a price such as 0.1234 with one kind of decimal separator`},
		"negative":          {[]money.File{day("-0.1")}, "USD", `line 2: "-0.1" is not a price such as 0.1234 with one kind of decimal separator`},
		"NaN":               {[]money.File{day("NaN")}, "USD", `line 2: "NaN" is not a price such as 0.1234 with one kind of decimal separator`},
		"zero":              {[]money.File{day("0.000")}, "USD", `line 2: price "0.000" is 0; leave it empty if the price is unknown`},
		"thousands":         {[]money.File{day(`"1,234.5"`)}, "USD", `line 2: "1,234.5" is not a price such as 0.1234 with one kind of decimal separator`},
		"point and comma":   {[]money.File{named(t, "x.csv", "GLMR/EUR", "timeOpen;timeClose;close;marketCap\n2026-01-01;;0,1;\n2026-01-02;;0.1;\n")}, "EUR", `line 3: "0.1" is not a price such as 0.1234 with one kind of decimal separator`},
		"twice":             {[]money.File{named(t, "GLMR-USD.csv", "", yahoo+"2026-01-02,,,,1,,\n2026-01-02,,,,1.0,,\n2026-01-02,,,,2,,\n")}, "USD", "line 4: 2026-01-02 has the price 2 USD here, but 1 on line 2"},
		"mixed":             {[]money.File{named(t, "GLMR-USD.csv", "", yahoo+"2026-01-02,,,,1,,\n"+gecko)}, "USD", "line 3: 4 fields for 7 columns"},
		"no day":            {[]money.File{named(t, "GLMR-USD.csv", "", yahoo+"01/02/2026,,,,1,,\n\x1b[31m,,,,1,,\n")}, "USD", "line 2: \"01/02/2026\" is not a day such as 2026-01-31\nline 3: \"[31m\" is not a day such as 2026-01-31"},
		"nothing":           {[]money.File{named(t, "GLMR-USD.csv", "", yahoo+"2026-01-02,null,null,null,null,null,null\n")}, "USD", "it contains no prices; lines must look like 2026-01-31,0.1234"},
		"quote":             {[]money.File{named(t, "GLMR-USD.csv", "", yahoo+"2026-01-02,\"1\n")}, "USD", `line 2: extraneous or missing " in quoted-field`},
		"period":            {[]money.File{usd, named(t, "h.csv", "", "Currency Code,Currency Units per £1,Start date,End date\nUSD,1,01/01/2026,01/01/2028\nUSD,1,01/01/2026,x\nusd,1,01/01/2026,01/01/2026\n")}, "GBP", "h.csv: line 2: 2026-01-01 to 2028-01-01 is not a period of at most a year\nline 3: \"x\" is not a day such as 2026-01-31\nline 4: currency \"usd\" must be 3 to 5 capital letters, such as EUR"},
		"rates":             {[]money.File{usd, named(t, "e.csv", "", "Date,USD,JPY,GBP,CHF,\n2026-01-01,-1,1,1,1,\n")}, "EUR", `e.csv: line 2: "-1" is not a price such as 0.1234 with one kind of decimal separator`},
		"not the ECB":       {[]money.File{usd, named(t, "e.csv", "", "Date,USD,JPY,GBP,CHF,EUR\n2026-01-01,1,1,1,1,1\n")}, "EUR", `e.csv: line 2: the price has no source; add a line such as "# source: Example Exchange, daily close" at the top, or a column source`},
		"not ours":          {[]money.File{named(t, "e.csv", "", own+"date,USD,JPY,GBP,CHF\n2026-01-01,1,1,1,1\n")}, "EUR", "it contains no prices in EUR, only in CHF, GBP, JPY, USD"},
		"more than twenty":  {make([]money.File, 21), "EUR", "21 price files; name 1 to 20"},
		"UTF-16":            {[]money.File{named(t, "x.csv", "", "\xff\xfe")}, "EUR", "it is UTF-16: save it as UTF-8"},
		"zip, damaged":      {[]money.File{named(t, "x.zip", "", "PK\x03\x04")}, "EUR", "zip: not a valid zip file"},
		"zip of two":        {[]money.File{named(t, "x.zip", "", zipped(t, "a", "b"))}, "EUR", "the archive contains 2 files; unpack the one with the prices"},
		"zip of a zip bomb": {[]money.File{named(t, "x.zip", "", zipped(t, strings.Repeat("\n", money.MaxFileBytes+1)))}, "EUR", "the archive unpacks to more than 16777216 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := money.ReadFiles(c.files, money.Options{Fiat: money.Currency(c.fiat)})
			require.EqualError(t, err, c.want)
		})
	}
	many := yahoo + strings.Repeat("x,,,,1,,\n", 1000)
	_, err := money.ReadFiles([]money.File{named(t, "GLMR-USD.csv", "", many)}, money.Options{})
	require.ErrorContains(t, err, "line 21: ")
	require.ErrorContains(t, err, "possibly more")
	require.NotContains(t, err.Error(), "line 22: ")
	var one *money.FileError
	_, err = money.ReadFiles([]money.File{usd, named(t, "GLMR-EUR.csv", "", many)}, money.Options{})
	require.ErrorAs(t, err, &one)
	require.Equal(t, "GLMR-EUR.csv", one.File)
	require.ErrorContains(t, one.Unwrap(), "line 2")
}

// A million rows are read no further than the limit.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var text strings.Builder
	text.WriteString("Date,USD,JPY,GBP,CHF\n")
	for i := range 200_000 {
		fmt.Fprintf(&text, "%04d-%02d-%02d,1,1,1,1\n", 1000+i/336, 1+i/28%12, 1+i%28)
	}
	_, err := money.ReadFiles([]money.File{named(t, "e.csv", "", text.String())}, money.Options{Fiat: "EUR"})
	require.ErrorContains(t, err, "more than 500000 prices; leave out what is not needed")
}

func zipped(t testing.TB, texts ...string) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i, text := range texts {
		w, err := z.Create(fmt.Sprint(i))
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.String()
}

// Whatever a file contains, each of its prices is above 0, and reading it twice gives the same.
func FuzzReadFiles(f *testing.F) {
	names, err := filepath.Glob("testdata/*.*")
	require.NoError(f, err)
	for _, path := range names {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(filepath.Base(path), text)
	}
	f.Add("x.csv", []byte("# source: X\ndate,EUR,USD\n2026-01-01,1,2\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		for _, o := range []money.Options{{}, {Fiat: "EUR", LastKnown: true}, {Fiat: "EUR", Columns: []string{"date=#1", "price=#2"}}} {
			l, err := money.ReadFiles([]money.File{{Name: name, Text: text}}, o)
			again, twice := money.ReadFiles([]money.File{{Name: name, Text: text}}, o)
			if err != nil {
				require.EqualError(t, twice, err.Error())
				continue
			}
			require.Equal(t, l.Valuer().Basis(), again.Valuer().Basis())
			for _, day := range []string{"2026-01-01", "2026-01-02"} {
				text, ok := l.Price(l.Moment(at(t, day+"T00:00:00Z")))
				price, number := new(big.Rat).SetString(text)
				require.True(t, !ok || number && price.Sign() > 0, text)
			}
		}
	})
}

// Files of several tokens are read for one of them; exchange rates serve all.
func TestPricesOfAToken(t *testing.T) {
	const own = "# source: X\ndate,EUR,USD\n2026-01-01,1.5,2\n"
	files := []money.File{
		named(t, "a.csv", "GLMR/EUR", own), named(t, "b.csv", "MOVR/USD", own), named(t, "DOT-EUR.csv", "DOT/EUR", own),
		named(t, "rates.csv", "EUR/USD", "# source: Y\ndate,USD\n2026-01-01,1.25\n"),
	}
	for symbol, want := range map[string]string{"GLMR": "1.5", "movr": "1.6", "DOT": "1.5"} { // 2 ÷ 1.25
		l := list(t, money.Options{Fiat: "EUR", Symbol: symbol}, files...)
		require.Equal(t, want, price(t, l, "2026-01-01"), symbol)
	}
	for wrong, o := range map[string]money.Options{
		"they contain no prices of KSM. Add a file of them, such as KSM/EUR=FILE": {Fiat: "EUR", Symbol: "KSM"},
		"they contain no prices of TAO. Add a file of them, such as TAO/USD=FILE": {Symbol: "TAO"},
	} {
		_, err := money.ReadFiles(files, o)
		require.EqualError(t, err, wrong)
	}
	_, err := money.ReadFiles([]money.File{named(t, "a.csv", "", "# source: X\ndate,EUR\n2026-01-01,1\n")}, money.Options{Fiat: "EUR", Symbol: "GLMR"})
	require.EqualError(t, err, "a.csv: it does not state its token. Name the pair of each file: GLMR/EUR=FILE")
}
