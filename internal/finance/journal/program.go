package journal

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
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
	write func(*writer) error
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
	program Program
	out     *bufio.Writer
	named   map[Account]string // the accounts, as the program has them
	err     error              // of the last line: out keeps its first
}

// Write writes the journal for a program, which reads all entries once more. It is
// [ErrChanged] where they are others by now; then what was written is none.
func (j *Journal) Write(out io.Writer, p Program) error {
	w := &writer{Journal: j, program: p, out: bufio.NewWriter(out), named: map[Account]string{}}
	if err := w.nameAccounts(w.used()); err != nil {
		return err
	}
	if p.check != nil {
		if err := p.check(j); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return cmp.Or(p.write(w), w.out.Flush())
}

func (w *writer) line(format string, arguments ...any) {
	_, w.err = fmt.Fprintf(w.out, format+"\n", arguments...)
}

// nameAccounts finds the names of accounts in the program. Two that would become one are
// an error.
func (w *writer) nameAccounts(list []Account) error {
	taken := map[string]Account{}
	for _, a := range list {
		name := w.program.account(a)
		if other, twice := taken[name]; twice {
			return fmt.Errorf("%s would take the accounts %q and %q for one, %s: rename one of them", w.program.Name, other, a, name)
		}
		taken[name], w.named[a] = a, name
	}
	return nil
}

// used are the accounts that the journal has, in the order of their names.
func (j *Journal) used() []Account {
	list := slices.Collect(maps.Keys(j.accounts))
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
	days := j.dates()
	if len(days) == 0 {
		return ""
	}
	return days[0]
}

// ended is the day after the last.
func (j *Journal) ended() string {
	return j.end.Std().In(j.zone()).AddDate(0, 0, 1).Format(time.DateOnly)
}

// comment writes the head of the journal as comments.
func (w *writer) comment() {
	for _, text := range append([]string{w.Title}, w.Notes...) {
		for line := range strings.Lines(text) {
			w.line("; %s", keep(line, "-_./,()+:'"))
		}
	}
	if w.Prices != nil {
		w.line("; each amount has the price of one %s on its %s (%s), by %s: nothing is rounded, and reports in %s round when they are shown", w.Symbol, w.Prices.Step(), w.Prices.Timezone(), keep(w.Prices.Source(), "-_./,()+:'"), w.Prices.Currency)
		w.line("; SHA-256 of the price file: %s", w.Prices.SHA256)
	}
	w.line("")
}

// priced is the price of the token at a time, where there is one, as every program writes
// what an amount cost.
func (w *writer) priced(at chain.Time) string {
	price, ok := w.priceOf(at)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" @ %s %s", price, w.Prices.Currency)
}

// tags are what is said of an entry: when it was, and what of its amounts.
func (e *entry) tags() (tags [][2]string) {
	tags = append(tags, [2]string{"time", e.time.String()})
	for _, r := range e.remarks {
		tags = append(tags, [2]string{"remark", r})
	}
	return tags
}
