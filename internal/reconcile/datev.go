package reconcile

import (
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/chain"
)

// A Buchungsstapel of DATEV begins with a line about the batch: its form, its fiscal year and its dates. The dates of its
// rows have no year. Source: developer.datev.de, "Buchungsstapel".

// isDATEV reports whether a text begins a file of DATEV.
func isDATEV(text string) bool { return text == "EXTF" || text == "DTVF" }

// batch is what the first line states: the first day of the rows, otherwise of the fiscal year, and the currency of rows
// that state none.
type batch struct {
	begin    time.Time
	currency string
}

func (b *batch) isSet() bool { return !b.begin.IsZero() }

// read reads the line about the batch.
func (b *batch) read(rec *record) (err error) {
	const category, postings, yearBegin, from, currency = 3, "21", 13, 15, 22
	if rec.value(category) != postings {
		return fmt.Errorf("it is another file of DATEV than a Buchungsstapel (category 21): its category is %s", shownName(rec.value(category)))
	}
	text := rec.value(from)
	if text == "" {
		text = rec.value(yearBegin)
	}
	b.currency = rec.value(currency)
	if b.begin, err = time.Parse("20060102", text); err != nil {
		return errors.New("the first line of the Buchungsstapel has no date, so the year of its rows is unknown. Export it again")
	}
	return nil
}

// day reads a date without a year, such as 3101 or 101: the first one from the begin of the batch.
func (b *batch) day(text string, zone *time.Location) (chain.Time, error) {
	if len(text) == 3 {
		text = "0" + text
	}
	for year := b.begin.Year(); year <= b.begin.Year()+1; year++ {
		at, err := time.ParseInLocation("02012006", fmt.Sprintf("%s%04d", text, year), zone)
		if err == nil && at.Format(time.DateOnly) >= b.begin.Format(time.DateOnly) {
			return timeOf(at)
		}
	}
	return chain.Time{}, fmt.Errorf("%s is not a date of the form ddmm", shownName(text))
}
