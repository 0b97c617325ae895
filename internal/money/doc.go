// Package money reads prices of one token in a currency, by day or by hour, and values amounts with them exactly.
//
// # Our own form
//
// A price file is CSV in UTF-8, with columns separated by commas, semicolons, tabs or bars, and a line for each day:
//
//	# source: Example Exchange, GLMR-EUR, daily close
//	date,price
//	2026-01-01,0.2315
//	2026-01-02,0.2289
//
// or a line for each day and currency, each with its source:
//
//	date,currency,price,source
//	2026-01-01,EUR,0.2315,Example Exchange
//	2026-01-01,USD,0.2718,Example Exchange
//
// or a column for each currency:
//
//	# source: Example Exchange, daily close
//	# timezone: Europe/Berlin
//	date;EUR;USD
//	2026-01-01;0.2315;0.2718
//
// A day is written 2026-01-31, and an hour 2026-01-31T13:00:00Z, 2026-01-31T14:00:00+01:00 or 2026-01-31 13:00 (UTC).
// A file contains either days or hours. Every price needs a source. An empty price means no price, and a price of 0 is
// rejected. A day may occur again with the same price, but not with another.
//
// Lines that start with # before the first row declare how the file is read:
//
//	# source: NAME        source of the prices; a column source states it for each line
//	# currency: EUR       currency of the column price, without a column currency
//	# timezone: ZONE      time zone of the days, such as Europe/Berlin; UTC if omitted
//	# decimal: comma      prices are written 0,2315
//
// # Files of products
//
// [ReadFiles] recognises the daily files of CoinGecko, CoinMarketCap, Binance, Kraken, Yahoo, yfinance and CryptoDataDownload,
// other daily candles, and the exchange rates of the ECB, the Bundesbank, FRED, the Federal Reserve and HMRC, by their
// header. Binance's candles may lack it. So do older files of Kraken: only their name identifies them, and each row must
// confirm the order of its columns. A price is the close of the day in UTC, or in the zone that its times state, which the
// source then names. CoinGecko's price at 00:00 UTC is that of the day that ends then; its rows at other times are left out.
// Files in no known format need the names of their columns.
//
// The pair is stated by the user, by a cell, by the name of the file, such as GLMR-EUR.csv, or by the code of a series, but
// never guessed. Without it, a price is one of the network's token, in the currency that the user asks for.
//
// # Exchange rates
//
// Prices in another currency are converted with the rates of the same day; prices by the hour, with those of the day in
// UTC. A product is exact. A quotient, as with the ECB's units for 1 EUR, is rounded once, half up, to 18 decimals. All
// files must be needed, and there must be only one way to calculate the price.
//
// # Days without a price
//
// Without a price or a rate, the price is unknown. With [Options].LastKnown, each is taken from the last day of at most
// seven before. Such days are listed, and amounts that need them are marked: see [Amount.Late].
//
// # How amounts are valued
//
// An amount is multiplied by the price of its day or hour. Nothing is rounded until it is written: then once, half up
// (away from zero), to the currency's minor units. A sum adds the exact values and is rounded once. An amount without a
// price has an unknown value, and so has a sum that includes it; only an amount of 0 needs no price.
package money
