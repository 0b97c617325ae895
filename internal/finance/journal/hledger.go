package journal

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
)

// plainAccount returns the account unchanged, as hledger and Ledger accept it.
func plainAccount(a Account) string { return string(a) }

var letters = regexp.MustCompile(`^[A-Za-z]+$`)

// commodity returns a symbol in the form of hledger and Ledger: quoted if it contains a digit.
func commodity(symbol string) string {
	if letters.MatchString(symbol) {
		return symbol
	}
	return `"` + symbol + `"`
}

func (w *writer) hledger() error {
	w.comment()
	w.line("decimal-mark .")
	w.line("commodity 1000.%s %s", strings.Repeat("0", w.Places()), commodity(w.Symbol))
	if w.Prices != nil {
		w.line("commodity 1000.00 %s", w.Prices.Currency)
	}
	return w.plain(func(p *posted) int { return p.latest })
}

func (w *writer) ledger() error {
	w.comment()
	w.line("commodity %s\n    format 1000.%s %s", commodity(w.Symbol), strings.Repeat("0", w.Places()), commodity(w.Symbol))
	if w.Prices != nil {
		w.line("commodity %s\n    format 1000.00 %s", w.Prices.Currency, w.Prices.Currency)
	}
	w.line("tag time\ntag remark")
	if w.Chart != nil {
		for _, name := range w.Chart.Tags() {
			w.line("tag %s", name)
		}
	}
	return w.plain(func(p *posted) int { return p.last })
}

// plain writes the common format of hledger and Ledger. They differ in which entry contains an account's last
// posting: Ledger uses the order of entries, hledger the order of days. The two differ only if the time of a
// block goes backwards.
func (w *writer) plain(last func(*posted) int) error {
	for _, a := range w.used() {
		w.line("account %s", w.named[a])
	}
	if list := w.dayPrices(); len(list) > 0 {
		w.line("")
		for _, p := range list {
			w.line("P %s %s %s %s", p.day, commodity(w.Symbol), p.price, w.Prices.Currency)
		}
	}
	for i := range w.holdings {
		w.plainOpening(&w.holdings[i])
	}
	return w.each(func(number int, e *entry) error {
		day := w.day(e.time)
		mark := ""
		if e.code != "" {
			mark = "(" + e.code + ") "
		}
		w.line("\n%s * %s%s", day, mark, e.description)
		for _, tag := range e.tags() {
			w.line("    ; %s: %s", tag[0], tag[1])
		}
		for _, p := range e.postings {
			assertion := ""
			if a := w.asserted[p.account]; a != nil && last(a) == number {
				assertion = w.equals(a.closing)
			}
			w.line("    %s  %s%s", w.named[p.account], w.amount(p.amount, e.time), assertion)
		}
		return w.err
	})
}

// plainOpening enters an account's opening balance. If the journal continues another one, it adds nothing and
// asserts it.
func (w *writer) plainOpening(h *holding) {
	day := w.day(w.begin)
	w.line("\n%s * balance of %s after block %d", day, w.named[h.asset], h.height)
	enter := func(a Account, opening, closing chain.Wei) {
		assertion, amount := "", opening.Signed()
		switch {
		case w.Continues:
			assertion, amount = w.equals(opening), chain.SignedWei{}
		case !w.asserted[a].moved(): // the account's last posting
			assertion = w.equals(closing)
		}
		w.line("    %s  %s%s", w.named[a], w.amount(amount, w.begin), assertion)
		if !w.Continues {
			w.line("    %s  %s", w.named[openingBalances], w.amount(amount.Negated(), w.begin))
		}
	}
	enter(h.asset, h.opening.Free, h.closing.Free)
	if h.held {
		enter(reserved(h.asset), h.opening.Reserved, h.closing.Reserved)
	}
}

// amount formats an amount in tokens with its price at a time. Zero gets no price.
func (w *writer) amount(a chain.SignedWei, at chain.Time) string {
	text := w.Tokens(a) + " " + commodity(w.Symbol)
	if a.Sign() == 0 {
		return text
	}
	return text + w.priced(at)
}

// equals asserts an account's balance after a posting.
func (w *writer) equals(balance chain.Wei) string {
	return fmt.Sprintf(" = %s %s", w.Tokens(balance), commodity(w.Symbol))
}
