// Package money reads what one token cost in a currency, by day or by hour, and values
// amounts by it, exactly.
//
// # The file
//
// It is CSV in UTF-8, with commas, semicolons, tabs or bars between the columns, a line for
// each day:
//
//	# source: Example Exchange, GLMR-EUR, daily close
//	date,price
//	2026-01-01,0.2315
//	2026-01-02,0.2289
//
// or for each day and currency, each with its source:
//
//	date,currency,price,source
//	2026-01-01,EUR,0.2315,Example Exchange
//	2026-01-01,USD,0.2718,Example Exchange
//
// or with a column for each currency:
//
//	# source: Example Exchange, daily close
//	# timezone: Europe/Berlin
//	date;EUR;USD
//	2026-01-01;0.2315;0.2718
//
// A day is written 2026-01-31, and an hour of UTC 2026-01-31T13:00:00Z, 2026-01-31T14:00:00+01:00
// or 2026-01-31 13:00. A file has days or hours, not both. Every price has a source. An empty
// price is none, and a price of 0 is refused. The same day may come again with the same price;
// with another it is an error.
//
// Lines that begin with # before the first row say how the file is read:
//
//	# source: NAME        who says so; a column source says it line by line
//	# currency: EUR       of the column price, where there is no column currency
//	# timezone: ZONE      whose days they are, such as Europe/Berlin; UTC where it is not said
//	# decimal: comma      prices are written 0,2315
//
// # How amounts are valued
//
// An amount is multiplied by the price of the day, or hour, that it is of. Nothing is rounded
// until it is written: then once, half up (away from zero), to the currency's minor units. A
// sum is the sum of what is not rounded, rounded once. What has no price is not known, and
// neither is a sum with it; only an amount of 0 needs no price.
package money
