package journal

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// program is the syntax of a plain-text accounting program.
type program struct {
	account func(Account) string // an account in the program's form
	symbol  func(string) string  // the commodity
	check   func(*writer) error  // if not nil, verifies that the program can represent the journal exactly
	head    func(*writer)        // declares commodities and tags
	opened  string               // declares an account, after the day
	price   string               // of a day, commodity and currency
	entry   string               // day, memo, reference
	refer   string               // to the transaction
	tag     string               // name and value
	line    string               // account, amount
	// last returns the entry with the last posting to an account, which asserts its balance. It is nil if balances are
	// asserted on a day, and then accounts are opened once in all journals.
	last func(*posted) int
}

// writer writes a journal for a program.
type writer struct {
	*Journal
	*program
	ctx    context.Context
	name   string
	out    *bufio.Writer
	named  map[Account]string // the accounts in the program's form
	symbol string
	err    error // of the last line: out keeps the first one
}

// Write writes the journal in a format of [Movements], in another pass over the entries. It returns [ErrChanged] if they
// have changed; the output is then invalid.
func (j *Journal) Write(ctx context.Context, out io.Writer, f Format) error {
	w := &writer{Journal: j, program: f.program, ctx: ctx, name: f.Name, out: bufio.NewWriter(out), named: map[Account]string{}, symbol: f.program.symbol(j.Symbol)}
	accounts := slices.Sorted(maps.Keys(j.accounts))
	if err := w.nameAccounts(accounts); err != nil {
		return err
	}
	if w.check != nil {
		if err := w.check(w); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if w.last == nil && !j.Alone {
		var err error
		if accounts, err = w.newAccounts(); err != nil {
			return err
		}
	}
	w.comment()
	w.head(w)
	day := j.firstDay()
	if s := j.shared; s != nil {
		day = s.first
		accounts = slices.DeleteFunc(accounts, func(a Account) bool { return s.opened[a] })
		for _, a := range accounts {
			s.opened[a] = true
		}
	}
	for _, a := range accounts {
		w.print(w.opened, day, w.named[a])
	}
	if list := w.dayPrices(); len(list) > 0 {
		w.print("")
		for _, p := range list {
			w.print(w.price, p.day, w.symbol, p.price, w.Prices.Currency)
		}
	}
	for i := range w.holdings {
		w.opening(&w.holdings[i])
	}
	for i := range w.receivables {
		w.owing(&w.receivables[i])
	}
	if err := w.each(ctx, w.write); err != nil {
		return err
	}
	if w.last == nil && len(w.holdings) > 0 {
		w.print("")
		after := w.end.Std().In(w.zone()).AddDate(0, 0, 1).Format(time.DateOnly) // the day after the last
		for i := range w.holdings {
			w.balance(after, &w.holdings[i], w.holdings[i].closing)
		}
		for _, r := range w.receivables {
			if r.asserted {
				w.assert(after, r.account, r.closing)
			}
		}
	}
	return w.out.Flush()
}

func (w *writer) print(format string, arguments ...any) {
	_, w.err = fmt.Fprintf(w.out, format+"\n", arguments...)
}

// nameAccounts converts the accounts to the program's form. It fails if two of them become
// equal.
func (w *writer) nameAccounts(list []Account) error {
	taken := map[string]Account{}
	for _, a := range list {
		name := w.account(a)
		if other, twice := taken[name]; twice {
			return fmt.Errorf("%s cannot distinguish the accounts %q and %q (%s); rename one of them", w.name, other, a, name)
		}
		taken[name], w.named[a] = a, name
	}
	return nil
}

// newAccounts returns the accounts that the journal opens. Beancount requires each to be opened once across all
// included files. The first journal therefore also opens the accounts that the ledger used before it, and a
// continuing one opens only those that the ledger never used before.
func (w *writer) newAccounts() ([]Account, error) {
	before, err := w.before(w.ctx)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(before)
	maps.Copy(all, w.accounts)
	if err := w.nameAccounts(slices.Sorted(maps.Keys(all))); err != nil {
		return nil, err
	}
	if w.Continues {
		w.addOpened(before)
		maps.DeleteFunc(all, func(a Account, _ bool) bool { return before[a] })
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// addOpened adds the accounts that the first journal has opened in any case.
func (j *Journal) addOpened(before map[Account]bool) {
	for _, h := range j.holdings {
		before[h.asset] = true
		if !h.opening.Reserved.IsZero() {
			before[reserved(h.asset)] = true
		}
	}
	for _, r := range j.receivables {
		if r.opening.Sign() != 0 {
			before[r.account] = true
		}
	}
}

// comment writes the head of the journal as comments.
func (w *writer) comment() {
	for _, text := range append([]string{w.Title}, w.Notes...) {
		for line := range strings.Lines(text) {
			w.print("; %s", keep(line, "-_./,()+:'"))
		}
	}
	if w.Prices != nil {
		w.print("; each amount carries the price of one %s for its %s (%s), source %s. Nothing is rounded here, reports in %s round for display", w.Symbol, w.Prices.Step(), w.Prices.Timezone(), keep(w.Prices.Source(), "-_./,()+:'"), w.Prices.Currency)
		for _, f := range w.Prices.Files {
			w.print("; SHA-256 of %s: %s", keep(cmp.Or(f.File, "the price file"), "-_./,()+:'"), f.SHA256)
		}
	}
	w.print("")
}

// opening enters an account's opening balance, or asserts it if the journal continues another one.
func (w *writer) opening(h *holding) {
	if w.Continues && w.last == nil {
		w.print("")
		w.balance(w.day(w.begin), h, h.opening)
		return
	}
	w.opens(h.asset, h.height)
	w.enter(h.asset, h.opening.Free.Signed(), h.closing.Free.Signed())
	if h.held {
		w.enter(reserved(h.asset), h.opening.Reserved.Signed(), h.closing.Reserved.Signed())
	}
}

// owing is opening for deposits. What the chart's accounts contain is not asserted.
func (w *writer) owing(r *receivable) {
	switch {
	case w.Continues && !r.asserted:
	case w.Continues && w.last == nil:
		w.print("")
		w.assert(w.day(w.begin), r.account, r.opening)
	default:
		w.opens(r.account, w.holdings[0].height)
		w.enter(r.account, r.opening, r.closing)
	}
}

// opens writes the first line of an opening entry.
func (w *writer) opens(a Account, height uint64) {
	w.print(w.entry, w.day(w.begin), fmt.Sprintf("balance of %s after block %d", w.named[a], height), "")
}

// enter writes the lines of an opening entry.
func (w *writer) enter(a Account, opening, closing chain.SignedWei) {
	amount, assertion := opening, ""
	switch its := w.asserted[a]; {
	case w.Continues:
		amount, assertion = chain.SignedWei{}, w.equals(opening)
	case w.last != nil && its != nil && its.last == 0: // no posting follows
		assertion = w.equals(closing)
	}
	w.print(w.line, w.named[a], w.amount(amount, w.begin)+assertion)
	if !w.Continues {
		w.print(w.line, w.named[openingBalances], w.amount(amount.Negated(), w.begin))
	}
}

// write writes an entry.
func (w *writer) write(number int, e *Entry, changes []change) error {
	reference := ""
	if e.Reference != "" {
		reference = fmt.Sprintf(w.refer, e.Reference)
	}
	w.print(w.entry, w.day(e.time), e.Memo, reference)
	tags := [][2]string{{"time", e.time.String()}}
	for _, r := range e.remarks {
		tags = append(tags, [2]string{"remark", r})
	}
	for _, p := range e.Postings {
		for i, t := range dimensions {
			if value := p.Dimensions[i]; value != "" {
				tags = append(tags, [2]string{string(t), clean(value)})
			}
		}
	}
	seen := map[string]int{}
	for _, tag := range tags {
		key := tag[0]
		if seen[key]++; seen[key] > 1 && w.last == nil { // Beancount allows a key once
			key = fmt.Sprintf("%s%d", key, seen[key])
		}
		w.print(w.tag, key, tag[1])
	}
	for _, c := range changes {
		assertion := ""
		if a := w.asserted[c.account]; a != nil && w.last != nil && w.last(a) == number {
			assertion = w.equals(a.closing)
		}
		w.print(w.line, w.named[c.account], w.amount(c.amount, e.time)+assertion)
	}
	return w.err
}

// amount formats an amount in tokens with its price at a time, if there is one. Where a posting may be an assertion only,
// zero gets no price.
func (w *writer) amount(a chain.SignedWei, at chain.Time) string {
	text := w.Tokens(a) + " " + w.symbol
	if price, ok := w.priceOf(at); ok && (a.Sign() != 0 || w.last == nil) {
		text += fmt.Sprintf(" @ %s %s", price, w.Prices.Currency)
	}
	return text
}

// equals asserts an account's balance after a posting.
func (w *writer) equals(balance chain.SignedWei) string {
	return fmt.Sprintf(" = %s %s", w.Tokens(balance), w.symbol)
}

// balance asserts an account's balance at the start of a day. Beancount includes the accounts
// below it.
func (w *writer) balance(day string, h *holding, b chain.Balance) {
	all, _ := b.Free.Signed().Add(b.Reserved.Signed()) // beancountExact has checked the sum
	w.assert(day, h.asset, all)
	if h.held {
		w.assert(day, reserved(h.asset), b.Reserved.Signed())
	}
}

// assert asserts an amount at the start of a day.
func (w *writer) assert(day string, a Account, amount chain.SignedWei) {
	w.print("%s balance %s  %s ~ 0 %s", day, w.named[a], w.Tokens(amount), w.symbol)
}
