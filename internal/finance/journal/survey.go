package journal

import (
	"maps"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// survey collects what must be known of all entries before the first is written, by account and by day, but not by
// entry.
type survey struct {
	seen     tally
	accounts map[Account]bool
	days     map[string]bool
	moments  map[money.Moment]bool // that need a price, if there are prices
	asserted map[Account]*posted
}

// posted sums up the postings to an account whose balance is asserted.
type posted struct {
	opening, closing chain.Wei
	sum              chain.SignedWei
	last             int    // the number of the entry with the last posting, from 1 on
	latest           int    // the same by the entries' days
	day              string // of latest
}

// look makes a pass over all entries and checks that each is balanced, that together they lead to the asserted
// balances, and that there are prices.
func (j *Journal) look() (err error) {
	j.survey = survey{accounts: map[Account]bool{}, days: map[string]bool{}, moments: map[money.Moment]bool{}, asserted: map[Account]*posted{}}
	for _, h := range j.holdings {
		j.asserted[h.asset] = &posted{opening: h.opening.Free, closing: h.closing.Free}
		j.asserted[reserved(h.asset)] = &posted{opening: h.opening.Reserved, closing: h.closing.Reserved}
	}
	j.seen, err = j.read(func(number int, e *entry) error {
		if err := e.check(); err != nil {
			return err
		}
		j.begin, j.end = earlier(e.time, j.begin), later(e.time, j.end)
		day := j.day(e.time)
		j.days[day] = true
		if j.Prices != nil {
			j.moments[j.Prices.Moment(e.time)] = true
		}
		for _, p := range e.postings {
			j.accounts[p.account] = true
			if a := j.asserted[p.account]; a != nil {
				if err := a.add(p.amount, number, day); err != nil {
					return e.of(err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range j.asserted {
		if a.closing.Difference(a.opening) != a.sum {
			return &LedgerError{ErrChanged} // these are not the movements that were proved
		}
	}
	return j.checkPrices()
}

// each calls do for the entries with their numbers, in another pass. It returns [ErrChanged] if they differ from
// those of the survey.
func (j *Journal) each(do func(number int, e *entry) error) error {
	seen, err := j.read(do)
	if err == nil && seen != j.seen {
		err = &LedgerError{ErrChanged}
	}
	return err
}

func (j *Journal) read(do func(number int, e *entry) error) (seen tally, err error) {
	number := 0
	for e, err := range j.entries {
		if err != nil {
			return seen, err
		}
		number++
		count(&seen, e.head)
		for _, p := range e.postings {
			count(&seen, numbered{number, p})
		}
		if err := do(number, e); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// numbered is a posting with the number of its entry.
type numbered struct {
	number int
	posting
}

// add adds a posting of an entry on a day.
func (p *posted) add(amount chain.SignedWei, number int, day string) (err error) {
	p.sum, err = p.sum.Add(amount)
	p.last = number
	if day >= p.day {
		p.latest, p.day = number, day
	}
	return err
}

// moved reports whether there is a posting.
func (p *posted) moved() bool { return p.last > 0 }

// dates returns the days of the journal without duplicates, in order.
func (j *Journal) dates() []string {
	days := maps.Clone(j.days)
	if len(j.holdings) > 0 {
		days[j.day(j.begin)] = true
	}
	return slices.Sorted(maps.Keys(days))
}

// day returns a time's date in the journal's zone.
func (j *Journal) day(t chain.Time) string { return t.Std().In(j.zone()).Format(time.DateOnly) }

func earlier(a, b chain.Time) chain.Time {
	if a.Std().Before(b.Std()) {
		return a
	}
	return b
}

func later(a, b chain.Time) chain.Time {
	if a.Std().After(b.Std()) {
		return a
	}
	return b
}
