package journal

import (
	"context"
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
	opening, closing chain.SignedWei
	sum              chain.SignedWei
	last             int    // the number of the entry with the last posting, from 1 on
	latest           int    // the same by the entries' days
	day              string // of latest
}

// look makes a pass over all entries and checks that each is balanced, that they lead to the asserted
// balances, and that there are prices.
func (j *Journal) look(ctx context.Context) (err error) {
	j.survey = survey{accounts: map[Account]bool{}, days: map[string]bool{}, moments: map[money.Moment]bool{}, asserted: map[Account]*posted{}}
	for _, h := range j.holdings {
		j.asserted[h.asset] = &posted{opening: h.opening.Free.Signed(), closing: h.closing.Free.Signed()}
		j.asserted[reserved(h.asset)] = &posted{opening: h.opening.Reserved.Signed(), closing: h.closing.Reserved.Signed()}
	}
	owed := map[Account]*owing{}
	for _, r := range j.receivables {
		owed[r.account] = &owing{posted: posted{opening: r.opening, closing: r.closing}}
	}
	j.seen, err = j.read(ctx, func(number int, e *Entry, changes []change) error {
		if err := balanced(changes); err != nil {
			return e.of(err)
		}
		if e.time.Std().Before(j.begin.Std()) {
			j.begin = e.time
		}
		if e.time.Std().After(j.end.Std()) {
			j.end = e.time
		}
		day := j.day(e.time)
		j.days[day] = true
		if j.Prices != nil {
			j.moments[j.Prices.Moment(e.time)] = true
		}
		for account, o := range owed {
			if err := o.count(account, e); err != nil {
				return e.of(err)
			}
		}
		for _, c := range changes {
			j.accounts[c.account] = true
			for _, a := range []*posted{j.asserted[c.account], owed[c.account].sums()} {
				if a == nil {
					continue
				}
				if err := a.add(c.amount, number, day); err != nil {
					return e.of(err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := j.settle(owed); err != nil {
		return err
	}
	for _, h := range j.holdings { // which are entered at the beginning
		j.accounts[h.asset], j.days[j.day(j.begin)] = true, true
		if !j.Continues {
			j.accounts[openingBalances] = true
		}
		if h.held {
			j.accounts[reserved(h.asset)] = true
		}
		if j.Prices != nil {
			j.moments[j.Prices.Moment(j.begin)] = true
		}
	}
	for _, a := range j.asserted {
		if by, err := a.closing.Add(a.opening.Negated()); err != nil || by != a.sum {
			return &LedgerError{ErrChanged} // these are not the movements that were proved
		}
	}
	return j.checkPrices()
}

// each calls do for the entries with their numbers and changes, in another pass. It returns [ErrChanged] if they differ
// from those of the survey.
func (j *Journal) each(ctx context.Context, do func(number int, e *Entry, changes []change) error) error {
	seen, err := j.read(ctx, do)
	if err == nil && seen != j.seen {
		err = &LedgerError{ErrChanged}
	}
	return err
}

func (j *Journal) read(ctx context.Context, do func(int, *Entry, []change) error) (seen tally, err error) {
	number := 0
	for e, err := range j.entries(ctx) {
		if err != nil {
			return seen, err
		}
		changes, err := e.changes()
		if err != nil {
			return seen, e.of(err)
		}
		if len(changes) == 0 {
			continue
		}
		number++
		count(&seen, e.head)
		for _, c := range changes {
			count(&seen, numbered{number, c})
		}
		if err := do(number, e, changes); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// numbered is a change with the number of its entry.
type numbered struct {
	number int
	change
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

// day returns a time's date in the journal's zone.
func (j *Journal) day(t chain.Time) string { return t.Std().In(j.zone()).Format(time.DateOnly) }
