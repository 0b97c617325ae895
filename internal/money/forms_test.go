package money_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/money"
)

// The forms of price files, each with 2 January 2026: 0.25 of the token. Microseconds, for example: date -u -d 2026-01-02 +%s.
func TestFormsOfPrices(t *testing.T) {
	const klines = "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n"
	for name, c := range map[string]struct{ file, pair, fiat, text, source string }{
		"Binance, milliseconds":      {"GLMRUSDT-1d-2024-12.csv", "", "", "1767312000000,0.2,0.3,0.1,0.25,1,1767398399999,1,2,3,4,0\n", "Binance GLMR/USDT (the close of the day (UTC))"},
		"Binance, microseconds":      {"GLMRUSDT-1d-2026-01.csv", "", "", "1767312000000000,0.2,0.3,0.1,0.25,1,1767398399999999,1,2,3,4,0\n", "Binance GLMR/USDT (the close of the day (UTC))"},
		"Binance, with its header":   {"klines.csv", "", "USDT", klines + "1767312000000000,0.2,0.3,0.1,0.25,1,1767398399999999,1,2,3,4,0\n", "Binance token/USDT (the close of the day (UTC))"},
		"Coinbase":                   {"GLMR-USD.csv", "", "", "time,low,high,open,close,volume\n1767312000,0.1,0.3,0.2,0.25,1\n", "daily candles GLMR/USD (the close of the day (UTC))"},
		"Coinbase, dates":            {"GLMR-USD.csv", "", "", "time,low,high,open,close,volume\n2026-01-02T00:00:00Z,0.1,0.3,0.2,0.25,1\n", "daily candles GLMR/USD (the close of the day (UTC))"},
		"Kraken's candles":           {"candles.csv", "GLMR/EUR", "", "time,open,high,low,close,vwap,volume,count\n1767312000,0.2,0.3,0.1,0.25,0.2,1,1\n", "Kraken GLMR/EUR (the close of the day (UTC))"},
		"yfinance, three head lines": {"history.csv", "", "", "Price,Close,High,Low,Open,Volume\nTicker,GLMR-USD,GLMR-USD,GLMR-USD,GLMR-USD,GLMR-USD\nDate,,,,,\n2026-01-02,0.25,0.3,0.1,0.2,1\n", "Yahoo GLMR/USD (the close of the day (UTC))"},
		"yfinance, adjusted":         {"history.csv", "", "", "Price,Adj Close,Close,High,Low,Open,Volume\nTicker,GLMR-USD,GLMR-USD,GLMR-USD,GLMR-USD,GLMR-USD,GLMR-USD\nDate,,,,,,\n2026-01-02,0.2,0.25,0.3,0.1,0.2,1\n", "Yahoo GLMR/USD (the close of the day (UTC))"},
		"yfinance, one ticker":       {"GLMR-USD.csv", "", "", "Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2026-01-02 00:00:00+00:00,0.2,0.3,0.1,0.25,1,0.0,0.0\n", "Yahoo GLMR/USD (the close of the day (UTC))"},
		"yfinance, of London":        {"GLMR-GBP.csv", "", "", "Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2026-01-02 00:00:00+00:00,0.2,0.3,0.1,0.25,1,0.0,0.0\n2026-07-01 00:00:00+01:00,0.2,0.3,0.1,0.26,1,0.0,0.0\n", "Yahoo GLMR/GBP (the close of the day (UTC, UTC+01:00))"},
		"yfinance, of New York":      {"GLMR-USD.csv", "", "", "Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2026-01-02 00:00:00-05:00,0.2,0.3,0.1,0.25,1,0.0,0.0\n", "Yahoo GLMR/USD (the close of the day (UTC-05:00))"},
		"Yahoo's page":               {"GLMR-USD.csv", "", "", "Date\tOpen\tHigh\tLow\tClose*\tAdj Close**\tVolume\nJan 2, 2026\t0.2\t0.3\t0.1\t0.25\t0.25\t-\n", "Yahoo GLMR/USD (the close of the day (UTC))"},
		"Yahoo's page, explained":    {"GLMR-USD.csv", "", "", "Date,Open,High,Low,Close Close price adjusted for splits.,Adj Close Adjusted close price adjusted for splits and dividend and/or capital gain distributions.,Volume\n\"Jan 2, 2026\",0.2,0.3,0.1,0.25,0.25,1\n", "Yahoo GLMR/USD (the close of the day (UTC))"},
		"Yahoo, token unknown":       {"history.csv", "", "CHF", "Date,Open,High,Low,Close,Adj Close,Volume\n2026-01-02,0.2,0.3,0.1,0.25,0.25,1\n", "Yahoo token/CHF (the close of the day (UTC))"},
		"CoinGecko, named otherwise": {"export.csv", "", "EUR", "snapped_at,price,market_cap,total_volume\n2026-01-03 00:00:00 UTC,0.25,1,2\n", "CoinGecko token/EUR (the price at 00:00 UTC when the day ends)"},
	} {
		t.Run(name, func(t *testing.T) {
			l := list(t, money.Options{Fiat: money.Currency(c.fiat)}, named(t, c.file, c.pair, c.text))
			require.Equal(t, "0.25", price(t, l, "2026-01-02"))
			require.Equal(t, []string{c.source}, l.Sources)
		})
	}
}

// The forms of exchange rates, each with 2 January 2026. The price is 0.25 USD; expected are, by Python's decimal to 18
// digits, half up: 0.25 / 1.25 for euros, 0.25 × 160 for yen, 0.25 / 1.25 × 0.85 for pounds.
func TestFormsOfRates(t *testing.T) {
	const h10 = `"Series Description","SPOT EXCHANGE RATE - EURO AREA ","JAPAN -- SPOT EXCHANGE RATE, YEN/US$"` + "\n" + `"Unit:","Currency:_Per_EUR","Currency:_Per_USD"` + "\n" +
		`"Multiplier:","1","1"` + "\n" + `"Currency:","USD","JPY"` + "\n" + `"Unique Identifier: ","H10/H10/RXI$US_N.B.EU","H10/H10/RXI_N.B.JA"` + "\n" + `"Time Period","RXI$US_N.B.EU","RXI_N.B.JA"` + "\n"
	for name, c := range map[string]struct{ fiat, want, text, format string }{
		"ECB, all":               {"GBP", "0.17", "Date,USD,JPY,GBP,CHF,\n2026-01-02,1.25,200,0.85,0.9,\n", "ECB"},
		"ECB, one series":        {"EUR", "0.2", `"DATE","TIME PERIOD","US dollar/Euro (EXR.D.USD.EUR.SP00.A)"` + "\n" + `"2026-01-01","2026Jan01",""` + "\n" + `"2026-01-02","2026Jan02","1.25"` + "\n", "ECB"},
		"ECB, with keys":         {"EUR", "0.2", "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS\nEXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-01-02,1.25,A\n", "ECB"},
		"Bundesbank, German":     {"EUR", "0.2", `"";BBEX3.D.USD.EUR.BB.AC.000;BBEX3.D.USD.EUR.BB.AC.000_FLAGS` + "\n" + `"";"Euro-Referenzkurs der EZB / 1 EUR = ... USD / Vereinigte Staaten";` + "\nEinheit;USD;\nDimension;eins;\nStand vom;05.01.2026 16:05:00 Uhr;\n2026-01-01;.;Kein Wert vorhanden\n2026-01-02;1,25;\n" + `"Kommentar";"Stand: heute";` + "\n", "Bundesbank"},
		"Bundesbank, English":    {"EUR", "0.2", `"","BBEX3.D.USD.EUR.BB.AC.000","BBEX3.D.USD.EUR.BB.AC.000_FLAGS"` + "\n" + `"","Euro foreign exchange reference rate of the ECB / EUR 1 = USD ... / United States",""` + "\nunit,USD,\nlast update,2026-01-05 16:05:00,\n2026-01-01,.,No value available\n2026-01-02,1.25,\n", "Bundesbank"},
		"FRED":                   {"EUR", "0.2", "observation_date,DEXUSEU\n2026-01-01,\n2026-01-02,1.25\n", "FRED"},
		"FRED, several":          {"JPY", "40", "DATE,DEXUSEU,DEXJPUS,DGS10\n2026-01-01,.,.,.\n2026-01-02,1.25,160,4.1\n", "FRED"},
		"Federal Reserve":        {"EUR", "0.2", h10 + "2026-01-01,ND,ND\n2026-01-02,1.25,160\n", "Federal Reserve"},
		"Federal Reserve, yen":   {"JPY", "40", h10 + "2026-01-01,ND,ND\n2026-01-02,1.25,160\n", "Federal Reserve"},
		"Federal Reserve, pound": {"GBP", "0.2", "Time Period,RXI$US_N.B.UK\n2026-01-02,1.25\n", "Federal Reserve"},
	} {
		t.Run(name, func(t *testing.T) {
			l := list(t, money.Options{Fiat: money.Currency(c.fiat)}, named(t, "GLMR-USD.csv", "", "# source: X\ndate,USD\n2026-01-02,0.25\n"), named(t, "rates.csv", "", c.text))
			require.Equal(t, c.want, price(t, l, "2026-01-02"))
			require.Empty(t, price(t, l, "2026-01-01"))
			require.Equal(t, c.format, l.Files[1].Format)
		})
	}
}

// A remark names the source of a file whose columns the user names, and the user's columns come before those of candles.
func TestMappedSource(t *testing.T) {
	columns := money.Options{Fiat: "EUR", Columns: []string{"date=time", "price=open"}}
	l := list(t, columns, named(t, "x.csv", "", "# source: My broker\ntime,open,high,low,close\n2026-01-02,0.25,1,1,1\n"))
	require.Equal(t, "0.25", price(t, l, "2026-01-02"))
	require.Equal(t, []string{"My broker token/EUR (the price of the day (UTC))"}, l.Sources)
}

// Files that are nearly in a known form.
func TestFormsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"hours of Binance":     {"1767312000000,1,1,1,1,1,1767315599999,1,2,3,4,0\n", "line 1: its candle from 1767312000000 to 1767315599999 does not last a day; use the file with prices by day"},
		"hours, later":         {"1767312000000,1,1,1,1,1,1767398399999,1,2,3,4,0\n1767315600000,1,1,1,1,1,1767319199999,1,2,3,4,0\n", "line 2: 2026-01-02 01:00:00 UTC is not the beginning of a day; use the file with prices by day"},
		"two tickers":          {"Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume\nTicker,A-USD,B-USD,A-USD,B-USD,A-USD,B-USD,A-USD,B-USD,A-USD,B-USD\nDate,,,,,,,,,,\n2026-01-02,1,1,1,1,1,1,1,1,1,1\n", "line 2: the file has prices of several tickers; use a file for each"},
		"another currency":     {"timeOpen;timeClose;name;close;marketCap\n2026-01-02;;2790;0,1;\n", `line 2: "2790" does not state a known currency; name the pair, as in --prices TOKEN/USD=x.csv`},
		"three zones":          {"time,open,high,low,close\n2026-01-02,1,1,1,1\n2026-01-03 00:00:00+01:00,1,1,1,1\n2026-01-04 00:00:00+02:00,1,1,1,1\n", "line 4: its days are of more than 2 time zones; use the file of one place"},
		"a multiplier":         {"Multiplier:,1000\nTime Period,RXI$US_N.B.EU\n2026-01-02,1.25\n", "its prices have a multiplier other than 1; use the file without it"},
		"months of the ECB":    {"KEY,FREQ,CURRENCY,CURRENCY_DENOM,TIME_PERIOD,OBS_VALUE\nEXR.M.USD.EUR.SP00.A,M,USD,EUR,2026-01-31,1.25\n", `line 2: FREQ is "M", not "D"; use the daily rates for 1 EUR`},
		"a price, but no day":  {"observation_date,DEXUSEU\n2026-01-01,1.25\n1/2/2026,1.25\n", `line 3: "1/2/2026" is not a day such as 2026-01-31`},
		"weeks of FRED":        {"observation_date,WEXUSEU\n2026-01-01,1.25\n", `line 1: unknown column "observation_date"; name it date, price, currency, source, or after a currency such as EUR; or say which columns there are: --price-map date=NAME,price=NAME`},
		"another ticker twice": {"Price,Close,High,Low,Open,Volume\nTicker,GLMR-USD,,,,\nTicker,MOVR-USD,,,,\n", "line 3: the prices are of MOVR/USD, not of GLMR/USD"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := money.ReadFiles([]money.File{named(t, "x.csv", "", c.text)}, money.Options{Fiat: "USD"})
			require.EqualError(t, err, c.want)
		})
	}
}
