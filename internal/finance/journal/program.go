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

// Program is a plain-text accounting program.
type Program struct {
	Name string
	// account returns an account in the program's form.
	account func(Account) string
	// check, if not nil, verifies that the program can represent the journal exactly.
	check func(*Journal) error
	write func(*writer) error
}

// The programs.
var (
	HLedger   = Program{"hledger", plainAccount, nil, (*writer).hledger}
	Ledger    = Program{"ledger", plainAccount, nil, (*writer).ledger}
	Beancount = Program{"beancount", beancountAccount, (*Journal).beancountExact, (*writer).beancount}
)

// Programs returns all supported programs.
func Programs() []Program { return []Program{HLedger, Beancount, Ledger} }

// writer writes a journal for a program.
type writer struct {
	*Journal
	program Program
	out     *bufio.Writer
	named   map[Account]string // the accounts in the program's form
	err     error              // of the last line: out keeps the first one
}

// Write writes the journal for a program, in another pass over the entries. It returns [ErrChanged] if they have
// changed; the output is then invalid.
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

// nameAccounts converts the accounts to the program's form. It fails if two of them become
// equal.
func (w *writer) nameAccounts(list []Account) error {
	taken := map[string]Account{}
	for _, a := range list {
		name := w.program.account(a)
		if other, twice := taken[name]; twice {
			return fmt.Errorf("%s cannot distinguish the accounts %q and %q (%s); rename one of them", w.program.Name, other, a, name)
		}
		taken[name], w.named[a] = a, name
	}
	return nil
}

// used returns the accounts of the journal, sorted by name.
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

// started returns the first day of the journal.
func (j *Journal) started() string {
	days := j.dates()
	if len(days) == 0 {
		return ""
	}
	return days[0]
}

// ended returns the day after the last.
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
		w.line("; each amount carries the price of one %s for its %s (%s), source %s. Nothing is rounded here, reports in %s round for display", w.Symbol, w.Prices.Step(), w.Prices.Timezone(), keep(w.Prices.Source(), "-_./,()+:'"), w.Prices.Currency)
		for _, f := range w.Prices.Files {
			w.line("; SHA-256 of %s: %s", keep(cmp.Or(f.File, "the price file"), "-_./,()+:'"), f.SHA256)
		}
	}
	w.line("")
}

// priced returns the price of the token at a time, if there is one, in the syntax shared by all
// programs.
func (w *writer) priced(at chain.Time) string {
	price, ok := w.priceOf(at)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" @ %s %s", price, w.Prices.Currency)
}

// tags returns the time and the remarks of an entry.
func (e *entry) tags() (tags [][2]string) {
	tags = append(tags, [2]string{"time", e.time.String()})
	for _, r := range e.remarks {
		tags = append(tags, [2]string{"remark", r})
	}
	tags = append(tags, e.more...)
	return tags
}
