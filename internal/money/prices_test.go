package money_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

func read(t testing.TB, text, currency string) *money.List {
	l, err := money.Read([]byte(text), currency)
	require.NoError(t, err)
	return l
}

func at(t testing.TB, text string) chain.Time {
	when, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	converted, err := chain.TimeAt(uint64(when.UnixMilli()))
	require.NoError(t, err)
	return converted
}

func wei(t testing.TB, text string) chain.Wei {
	amount, err := chain.ParseWei(text)
	require.NoError(t, err)
	return amount
}

// value returns the value of an amount as text, or "not known".
func value(t testing.TB, v *money.Valuer, amount, when string) string {
	worth, known := money.Value(v, wei(t, amount), chain.Some(at(t, when))).Get()
	if !known {
		return "not known"
	}
	return worth.String()
}

const token = "1000000000000000000"

// The same prices in every format give the same list.
func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"two columns":            "# source: Exchange\ndate,price\n2026-01-01,0.25\n2026-01-02,0.5\n",
		"without a header":       "# source: Exchange\n2026-01-01,0.25\n2026-01-02,0.5\n",
		"by currency":            "date,currency,price,source\n2026-01-01,EUR,0.25,Exchange\n2026-01-01,USD,9,Other\n2026-01-02,EUR,0.5,Exchange\n",
		"a column for each":      "# Source: Exchange\n# just a comment\n\ndate;EUR;USD\n2026-01-01;0.25;9\n2026-01-02;0.5;\n",
		"tabs, BOM, CRLF":        "\ufeff# source: Exchange\r\nDate\tPrice\r\n2026-01-01\t0.25\r\n2026-01-02\t0.50\r\n",
		"bars, comma":            "# source: Exchange\n# decimal: comma\ndate|price\n2026-01-01|0,25\n2026-01-02|0,5\n",
		"comma in quotes":        "# source: Exchange\n# decimal: comma\ndate,price\n2026-01-01,\"0,25\"\n2026-01-02,\"0,5\"\n",
		"as Excel says it":       "sep=;\n# source: Exchange\n# decimal: point\ndate;price\n2026-01-01;0.25\n2026-01-02;0.5\n",
		"the same twice":         "# source: Exchange\n2026-01-02,0.5\n2026-01-01,0.25\n2026-01-01,0.250\n",
		"currency at the top":    "# source: Exchange\n# currency: EUR\ndate,price\n2026-01-01,0.25\n2026-01-02,0.5\n",
		"empty cells at the end": "# source: Exchange\ndate,price,\n2026-01-01,0.25,\n2026-01-02,0.5,, \n2026-01-03,,\n",
		"a line without a price": "date,price,source\n2026-01-01,0.25,Exchange\n2026-01-02,0.5,Exchange\n2026-01-03,,\n",
	} {
		t.Run(name, func(t *testing.T) {
			l := read(t, text, "EUR")
			sum := sha256.Sum256([]byte(text))
			require.Equal(t, hex.EncodeToString(sum[:]), l.SHA256)
			require.Equal(t, "Exchange", l.Source())
			require.Equal(t, "day", l.Step())
			require.Equal(t, "UTC", l.Timezone())
			v := l.Valuer()
			require.Equal(t, "0.25", value(t, v, token, "2026-01-01T23:59:59Z"))
			require.Equal(t, "0.50", value(t, v, token, "2026-01-02T00:00:00Z"))
			require.NoError(t, v.Check(false))
			require.Equal(t, "not known", value(t, v, token, "2026-01-03T12:00:00Z"))
			require.Equal(t, "0.00", value(t, v, "0", "2026-01-04T12:00:00Z"), "nothing needs no price")
			require.EqualError(t, v.Check(false), "no price in EUR for 1 day: 2026-01-03")
			require.NoError(t, v.Check(true))
		})
	}
}

// A spreadsheet quotes a remark with its separator, and writes rows of separators.
func TestSavedBySpreadsheet(t *testing.T) {
	for text, source := range map[string]string{
		"\"# source: Exchange, daily close\",,\n# a comment,,\n,,\ndate,EUR,USD\n2026-01-01,0.25,9\n,,\n":                          "Exchange, daily close",
		"\"# source: Exchange; \"\"daily\"\" close\";;\r\n# decimal: comma;;\r\n;;\r\ndate;EUR;USD\r\n2026-01-01;0,25;9\r\n;;\r\n": `Exchange; "daily" close`,
	} {
		l := read(t, text, "EUR")
		require.Equal(t, source, l.Source())
		require.Equal(t, "0.25", value(t, l.Valuer(), token, "2026-01-01T12:00:00Z"))
	}
}

// In a list with semicolons, a point may separate thousands. A remark or another price settles it.
func TestDecimalsInDoubt(t *testing.T) {
	const head = "# source: Exchange\n"
	for _, text := range []string{
		head + "# decimal: point\ndate;EUR\n2026-01-01;1.234\n", head + "date,EUR\n2026-01-01,1.234\n", head + "date\tEUR\n2026-01-01\t1.234\n",
		head + "date;EUR;USD\n2026-01-01;1.234;1.25\n", head + "date;EUR\n2026-01-01;1.234\n2026-01-02;0.999\n",
	} {
		require.Equal(t, "1234.00", value(t, read(t, text, "EUR").Valuer(), token+"000", "2026-01-01T12:00:00Z"), text)
	}
	for text, want := range map[string]string{
		head + "date;EUR\n2026-01-01;2\n2026-01-02;1.234\n": `line 4: it is not clear whether . in the price "1.234" is the decimal separator; add the line "# decimal: point" at the top if it is, or write it without the point`,
		head + "date;EUR;USD\n2026-01-01;12.345;9.999\n":    `line 3: it is not clear whether . in the price "12.345" is the decimal separator; add the line "# decimal: point" at the top if it is, or write it without the point`,
	} {
		_, err := money.Read([]byte(text), "EUR")
		require.EqualError(t, err, want)
	}
	columns := money.Options{Fiat: "EUR", Columns: []string{"date=d", "price=p"}}
	for _, text := range []string{"d;p\n2026-01-01;1.234\n", "d,p\n2026-01-01,\"1,234\"\n"} {
		_, err := money.ReadFiles([]money.File{named(t, "x.csv", "GLMR/EUR", text)}, columns)
		require.ErrorContains(t, err, "line 2: it is not clear whether ")
	}
	for _, text := range []string{"d;p\n2026-01-01;1,234\n", "d;p\n2026-01-01;1.234\n2026-01-02;1.5\n", "d,p\n2026-01-01,1.234\n"} {
		_, err := money.ReadFiles([]money.File{named(t, "x.csv", "GLMR/EUR", text)}, columns)
		require.NoError(t, err, text)
	}
}

// Days are in the file's time zone.
func TestZone(t *testing.T) {
	v := read(t, "# source: Exchange\n# timezone: Europe/Berlin\n2026-03-28,1\n2026-03-29,2\n2026-03-30,3\n", "EUR").Valuer()
	for when, want := range map[string]string{
		"2026-03-28T22:59:59Z": "1.00", "2026-03-28T23:00:00Z": "2.00", // the day has 23 hours
		"2026-03-29T21:59:59Z": "2.00", "2026-03-29T22:00:00Z": "3.00",
	} {
		require.Equal(t, want, value(t, v, token, when), when)
	}
	require.Equal(t, "Europe/Berlin", v.Timezone())
}

// Hours are UTC, however they are written.
func TestHours(t *testing.T) {
	l := read(t, "# source: Exchange\nhour,price\n2026-01-01T12:00:00Z,1\n2026-01-01T14:00:00+01:00,2\n2026-01-01 14:00,3\n2026-01-01 15:00:00,4\n", "EUR")
	v := l.Valuer()
	for when, want := range map[string]string{
		"2026-01-01T12:59:59Z": "1.00", "2026-01-01T13:00:00Z": "2.00", "2026-01-01T14:30:00Z": "3.00", "2026-01-01T15:00:00Z": "4.00",
	} {
		require.Equal(t, want, value(t, v, token, when), when)
	}
	require.Equal(t, "hour", l.Step())
	require.Equal(t, "UTC", l.Timezone())
	require.Equal(t, "not known", value(t, v, "1", "2026-01-01T16:01:00Z"))
	require.EqualError(t, v.Check(false), "no price in EUR for 1 hour: 2026-01-01T16:00Z")
	price, ok := l.Price(l.Moment(at(t, "2026-01-01T13:10:00Z")))
	require.True(t, ok)
	require.Equal(t, "2", price)
}

func TestErrors(t *testing.T) {
	const head = "# source: Exchange\n"
	for name, c := range map[string]struct{ text, want string }{
		"many": {head + "date,price\n2026-01-01,0.1\n2026-01-01,0.2\n2026-02-30,1\n2026-01-02,1e3\n2026-01-03,-1\n2026-01-04\n2026-01-05,0\n2026-01-06,\"0,1\"\n",
			`line 4: 2026-01-01 has the price 0.2 EUR here, but 0.1 on line 3
line 5: "2026-02-30" is not a day such as 2026-01-31, or an hour such as 2026-01-31T13:00:00Z
line 6: "1e3" is not a price such as 0.1234 with at most 18 decimals
line 7: "-1" is not a price such as 0.1234 with at most 18 decimals
line 8: 1 fields for 2 columns
line 9: price "0" is 0; leave it empty if the price is unknown
line 10: "0,1" is not a price such as 0.1234 with at most 18 decimals; for decimal commas, add the line "# decimal: comma" at the top`},
		"another currency's": {"date,currency,price,source\n2026-01-01,USD,1,X\n2026-01-01,USD,2,X\n2026-01-01,usd,2,X\n",
			"line 3: 2026-01-01 has the price 2 USD here, but 1 on line 2\n" + `line 4: currency "usd" must be 3 to 5 capital letters, such as EUR`},
		"no source":        {"date,price\n2026-01-01,0.1\n", `line 2: the price has no source; add a line such as "# source: Example Exchange, daily close" at the top, or a column source`},
		"long source":      {"# source: " + strings.Repeat("x", 201) + "\n2026-01-01,1\n", "line 1: the name of a source is longer than 200 bytes"},
		"long source here": {"date,price,source\n2026-01-01,1," + strings.Repeat("x", 201) + "\n", "line 2: the name of a source is longer than 200 bytes"},
		"not there":        {head + "date,USD,GBP\n2026-01-01,1,2\n", "it contains no prices in EUR, only in GBP, USD"},
		"empty":            {"", "it contains no prices; lines must look like 2026-01-31,0.1234"},
		"only a header":    {"date,price\n", "it contains no prices; lines must look like 2026-01-31,0.1234"},
		"UTF-16":           {"\xff\xfed\x00", "it is UTF-16: save it as UTF-8"},
		"Latin 1":          {"# source: B\xf6rse\n2026-01-01,1", "it is not UTF-8: save it as UTF-8"},
		"days and hours":   {head + "2026-01-01,1\n2026-01-02T00:00:00Z,1\n", `line 3: "2026-01-02T00:00:00Z" follows lines with days; use either days or hours`},
		"half an hour":     {head + "date,price\n2026-01-01T00:30:00Z,1\n", `line 3: "2026-01-01T00:30:00Z" is not a full hour in UTC`},
		"hours of a zone":  {head + "# timezone: Europe/Berlin\ndate,price\n2026-01-01 01:00,1\n", `line 4: "2026-01-01 01:00" is ambiguous when clocks go back; add the UTC offset, such as 2026-01-31T13:00:00+01:00`},
		"zone":             {"# timezone: Berlin\n", `line 1: unknown timezone "Berlin"; use a name such as Europe/Berlin`},
		"local zone":       {"# timezone: Local\n", `line 1: unknown timezone "Local"; use a name such as Europe/Berlin`},
		"decimal":          {"# decimal: dot\n", `line 1: decimal "dot" must be point or comma`},
		"point":            {head + "# decimal: comma\n2026-01-01;0.1\n", `line 3: price "0.1" must use a decimal comma, as the file declares`},
		"currency":         {"# currency: euro\n", `line 1: currency "euro" must be 3 to 5 capital letters, such as EUR`},
		"separator":        {"sep=x\n2026-01-01x1\n", `line 1: the separator 'x' must be a comma, semicolon, tab or bar`},
		"column":           {"date,open\n", `line 1: unknown column "open"; name it date, price, currency, source, or after a currency such as EUR; or say which columns there are: --price-map date=NAME,price=NAME`},
		"column twice":     {"date,price,price\n", `line 1: column "price" occurs twice`},
		"no date":          {"price,source\n", "line 1: no column is named date"},
		"no price":         {"date,source\n", "line 1: use either a column price, or a column for each currency, such as EUR"},
		"price and EUR":    {"date,price,EUR\n", "line 1: use either a column price, or a column for each currency, such as EUR"},
		"currency twice":   {"date,currency,EUR\n", "line 1: the price columns are named after currencies; remove the column currency"},
		"quote":            {"sep=,\n" + head + "2026-01-01,\"1\n", `line 3: extraneous or missing " in quoted-field`},
		"control":          {head + "date,price\n\x1b[31m,1\n", `line 3: "\ufffd[31m" is not a day such as 2026-01-31, or an hour such as 2026-01-31T13:00:00Z`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := money.Read([]byte(c.text), "EUR")
			require.Error(t, err)
			if name != "control" {
				require.EqualError(t, err, c.want)
			}
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
	for _, code := range []string{"", "€", "eur", "EURO12", "WEI", "TOKEN"} {
		_, err := money.Read(nil, code)
		require.ErrorContains(t, err, "must be 3 to 5 capital letters", code)
	}
}

// Of very many errors, sources and currencies, the first are listed.
func TestBounds(t *testing.T) {
	_, err := money.Read([]byte("# source: X\n2026-01-01,1\n"+strings.Repeat("x,1\n", 1000)), "EUR")
	require.ErrorContains(t, err, "line 22: ")
	require.ErrorContains(t, err, "possibly more")
	require.NotContains(t, err.Error(), "line 23: ")
	text, wide, row := "date,price,source\n", "date", "\n2026-01-01"
	for i := range 21 {
		text += fmt.Sprintf("2026-01-%02d,1,S%d\n", i+1, i)
		wide += fmt.Sprintf(",XX%c", 'A'+i)
		row += ",1"
	}
	_, err = money.Read([]byte(text), "EUR")
	require.EqualError(t, err, "its prices name 21 sources; at most 20 are allowed")
	_, err = money.Read([]byte("# source: X\n"+wide+row), "EUR")
	require.ErrorContains(t, err, "XXJ, …")
}

// Missing prices are counted, and the first are listed.
func TestMissing(t *testing.T) {
	v := read(t, "# source: X\n2025-01-01,1\n", "EUR").Valuer()
	for day := 31; day > 0; day-- {
		value(t, v, "1", fmt.Sprintf("2026-01-%02dT10:00:00Z", day))
	}
	require.EqualError(t, v.Check(false), "no price in EUR for 31 days: 2026-01-01, 2026-01-02, 2026-01-03, 2026-01-04, 2026-01-05, 2026-01-06, 2026-01-07, 2026-01-08, 2026-01-09, 2026-01-10, and 21 more")
	require.Len(t, v.Missing(), 31)
	_, known := money.Value(v, wei(t, "1"), chain.Optional[chain.Time]{}).Get()
	require.False(t, known)
	require.Equal(t, []string{
		"Not valued: no price in EUR for 31 days: 2026-01-01, 2026-01-02, 2026-01-03, 2026-01-04, 2026-01-05, 2026-01-06, 2026-01-07, 2026-01-08, 2026-01-09, 2026-01-10, and 21 more; amounts that need it are unknown",
		"1 amounts have an unknown payment time, so their value in EUR is unknown",
	}, v.Notes()[2:])
	require.False(t, money.ValueKnown(v, chain.Optional[chain.Wei]{}, chain.Some(at(t, "2025-01-01T00:00:00Z"))).Known())
	require.True(t, money.ValueKnown(v, chain.Some(wei(t, "1")), chain.Some(at(t, "2025-01-01T00:00:00Z"))).Known())
}

func TestNotesAndBasis(t *testing.T) {
	v := read(t, "date,JPY,source\n2026-01-01,30,B\n2026-01-02,31,A\n", "JPY").Valuer()
	require.Equal(t, []string{
		"JPY: each amount at the price of its day (UTC), source: A; B; SHA-256 of the price file: " + v.SHA256,
		"JPY amounts are rounded half up to 0 decimals; a total is the rounded sum of exact amounts, so it can differ from the sum of the lines",
	}, v.Notes())
	text, err := json.Marshal(v.Basis())
	require.NoError(t, err)
	require.JSONEq(t, `{"currency":"JPY","decimals":0,"rounding":"half_up","by":"day","timezone":"UTC","sources":["A","B"],"sha256":"`+v.SHA256+`","missing":[],
		"files":[{"file":"","format":"price list","pair":"token/JPY","day":"the price of the day","sha256":"`+v.SHA256+`"}]}`, string(text))
	require.Equal(t, "jpy", v.Currency.Suffix())
}

// Rounding is half up, away from zero, to the minor units of ISO 4217.
func TestRounding(t *testing.T) {
	for _, c := range []struct{ currency, price, amount, want, exact string }{
		{"EUR", "1", "1005000000000000000", "1.01", "1.005"},
		{"EUR", "1", "1004999999999999999", "1.00", "1.004999999999999999"},
		{"EUR", "1", "-1005000000000000000", "-1.01", "-1.005"},
		{"EUR", "1", "-4999999999999999", "0.00", "-0.004999999999999999"},
		{"JPY", "1", "2500000000000000000", "3", "2.5"},
		{"KWD", "1", "500000000000000", "0.001", "0.0005"},
		{"CLF", "1", "50000000000000", "0.0001", "0.00005"},
		{"USDT", "1", "5000000000000000", "0.01", "0.005"},
		{"EUR", "999999999999.999999999999999999", "340282366920938463463374607431768211455", "", ""}, // the most that can be
	} {
		v := read(t, "# source: X\n2026-01-01,"+c.price, c.currency).Valuer()
		when := chain.Some(at(t, "2026-01-01T00:00:00Z"))
		var have chain.Optional[money.Amount]
		if c.exact == "" {
			have = money.Value(v, wei(t, c.amount), when)
		} else {
			amount, err := chain.ParseSignedWei(c.amount)
			require.NoError(t, err)
			have = money.Value(v, amount, when)
		}
		amount, known := have.Get()
		require.True(t, known)
		text, err := amount.MarshalText()
		require.NoError(t, err)
		if c.exact != "" {
			require.Equal(t, c.want, string(text), c.amount)
			require.Equal(t, c.exact, amount.Exact())
		} else { // by integers: round(amount × price / 10^36, 2)
			n, _ := new(big.Int).SetString(c.amount, 10)
			p, _ := new(big.Int).SetString(strings.Replace(c.price, ".", "", 1), 10)
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(34), nil)
			n.Mul(n, p).Add(n, new(big.Int).Div(unit, big.NewInt(2))).Div(n, unit)
			require.Equal(t, n.String(), strings.Replace(string(text), ".", "", 1))
		}
		require.Equal(t, money.Currency(c.currency), amount.Currency())
	}
}

// The sum of parts is exact, and rounded once, as with integers.
func TestSumOfParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var file strings.Builder
		file.WriteString("# source: X\n")
		priceOf := map[int]int64{} // in 10^-6
		for day := range 28 {
			priceOf[day+1] = 1 + random.Int64N(5_000_000)
			fmt.Fprintf(&file, "2026-02-%02d,%d.%06d\n", day+1, priceOf[day+1]/1_000_000, priceOf[day+1]%1_000_000)
		}
		v := read(t, file.String(), "EUR").Valuer()
		sum, want := chain.Some(money.NothingIn(v.Currency)), new(big.Int) // in 10^-24
		for range 200 {
			day, amount := 1+random.IntN(28), random.Int64()
			sum = money.Sum(sum, money.Value(v, chain.NewWei(uint64(amount)), chain.Some(at(t, fmt.Sprintf("2026-02-%02dT12:00:00Z", day)))))
			want.Add(want, new(big.Int).Mul(big.NewInt(amount), big.NewInt(priceOf[day])))
		}
		have, known := sum.Get()
		require.True(t, known)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(22), nil)
		want.Add(want, new(big.Int).Div(unit, big.NewInt(2))).Div(want, unit)
		require.Equal(t, want.String(), strings.TrimLeft(strings.Replace(have.String(), ".", "", 1), "0"))
		require.Equal(t, 0, have.Sub(have).Sign())
	}
	v := read(t, "# source: X\n2026-01-01,1\n", "EUR").Valuer()
	require.False(t, money.Sum(chain.Some(money.NothingIn(v.Currency)), chain.Optional[money.Amount]{}).Known(), "a sum with an unknown part is unknown")
	require.Equal(t, money.Currency("EUR"), money.Amount{}.Add(money.NothingIn("EUR")).Currency())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("# source: X\ndate;EUR\n2026-01-01;1\n"))
	f.Add([]byte("sep=;\n2026-01-01T00:00:00Z;1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := money.Read(text, "EUR")
		if err == nil {
			require.NotEmpty(t, l.Sources)
		}
	})
}
