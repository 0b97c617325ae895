package journal

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// Program is one that keeps books in text, and what it takes.
type Program struct {
	Name string
	// account writes an account so that the program takes it.
	account func(Account) string
	// check is nil, or wants that the program can hold the journal exactly.
	check func(*Journal) error
	write func(*writer)
}

// The programs.
var (
	HLedger   = Program{"hledger", plainAccount, nil, (*writer).hledger}
	Ledger    = Program{"ledger", plainAccount, nil, (*writer).ledger}
	Beancount = Program{"beancount", beancountAccount, (*Journal).beancountExact, (*writer).beancount}
)

// Programs are all of them.
func Programs() []Program { return []Program{HLedger, Beancount, Ledger} }

// writer writes a journal for a program.
type writer struct {
	*Journal
	program  Program
	out      *bufio.Writer
	accounts map[Account]string // as the program has them
}

// Write writes the journal for a program.
func (j *Journal) Write(out io.Writer, p Program) error {
	w := &writer{Journal: j, program: p, out: bufio.NewWriter(out), accounts: map[Account]string{}}
	if err := w.nameAccounts(); err != nil {
		return err
	}
	if p.check != nil {
		if err := p.check(j); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	p.write(w)
	return w.out.Flush()
}

func (w *writer) line(format string, arguments ...any) {
	fmt.Fprintf(w.out, format+"\n", arguments...)
}

// nameAccounts finds the names of all accounts in the program. Two that would become
// one are an error.
func (w *writer) nameAccounts() error {
	taken := map[string]Account{}
	for _, a := range w.used() {
		name := w.program.account(a)
		if other, twice := taken[name]; twice {
			return fmt.Errorf("%s would take the accounts %q and %q for one, %s: rename one of them", w.program.Name, other, a, name)
		}
		taken[name], w.accounts[a] = a, name
	}
	return nil
}

// used are the accounts that the journal has, in the order of their names.
func (j *Journal) used() (list []Account) {
	for i := range j.entries {
		for _, p := range j.entries[i].postings {
			list = append(list, p.account)
		}
	}
	for _, h := range j.holdings {
		list = append(list, h.asset)
		if !j.Continues {
			list = append(list, openingBalances)
		}
		if h.held {
			list = append(list, reserved(h.asset))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// started is the day with which the books begin.
func (j *Journal) started() string {
	days := j.days()
	if len(days) == 0 {
		return ""
	}
	return days[0]
}

// ended is the day after the last.
func (j *Journal) ended() string {
	last := j.end
	if n := len(j.entries); n > 0 && j.entries[n-1].time.Std().After(last.Std()) {
		last = j.entries[n-1].time
	}
	return last.Std().In(j.zone()).AddDate(0, 0, 1).Format(time.DateOnly)
}

// comment writes the head of the journal as comments.
func (w *writer) comment() {
	for _, text := range append([]string{w.Title}, w.Notes...) {
		for line := range strings.Lines(text) {
			w.line("; %s", keep(line, "-_./,()+:'"))
		}
	}
	if w.Prices != nil {
		w.line("; each amount has the price of one %s on its day: nothing is rounded, and reports in %s round when they are shown", w.Symbol, w.Prices.Fiat)
	}
	w.line("")
}

// priced is the day's price of the token, where there is one, as every program writes
// what an amount cost.
func (w *writer) priced(day string) string {
	if w.Prices == nil {
		return ""
	}
	return fmt.Sprintf(" @ %s %s", w.Prices.days[day], w.Prices.Fiat)
}

// tags are what is said of an entry: when it was, and what of its amounts.
func (e *entry) tags() (tags [][2]string) {
	tags = append(tags, [2]string{"time", e.time.String()})
	for _, r := range e.remarks {
		tags = append(tags, [2]string{"remark", r})
	}
	return tags
}

// last finds for each account that is asserted its last posting: that of an entry, by
// their indices.
func (j *Journal) last() map[Account][2]int {
	found := map[Account][2]int{}
	for i := range j.entries {
		for k, p := range j.entries[i].postings {
			found[p.account] = [2]int{i, k}
		}
	}
	return found
}

// asserted are the balances that the journal ends with.
func (j *Journal) asserted() map[Account]chain.Wei {
	closing := map[Account]chain.Wei{}
	for _, h := range j.holdings {
		closing[h.asset] = h.closing.Free
		closing[reserved(h.asset)] = h.closing.Reserved
	}
	return closing
}
