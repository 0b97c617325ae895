package journal

import (
	"regexp"
	"strings"
)

// hledger and Ledger share a format. They differ in which entry contains an account's last
// posting: Ledger uses the order of entries, hledger the order of days. The two differ only if the time of a
// block goes backwards.
var (
	hledger     = plainText((*writer).hledgerHead, func(p *posted) int { return p.latest })
	plainLedger = plainText((*writer).ledgerHead, func(p *posted) int { return p.last })
)

func plainText(head func(*writer), last func(*posted) int) *program {
	return &program{
		account: func(a Account) string { return string(a) }, symbol: commodity, head: head, last: last,
		opened: "account %[2]s", price: "P %s %s %s %s", entry: "\n%[1]s * %[3]s%[2]s", refer: "(%s) ", tag: "    ; %s: %s", line: "    %s  %s",
	}
}

var letters = regexp.MustCompile(`^[A-Za-z]+$`)

// commodity returns a symbol in the form of hledger and Ledger: quoted if it contains a digit.
func commodity(symbol string) string {
	if letters.MatchString(symbol) {
		return symbol
	}
	return `"` + symbol + `"`
}

func (w *writer) hledgerHead() {
	w.print("decimal-mark .")
	w.print("commodity 1000.%s %s", strings.Repeat("0", w.Places()), w.symbol)
	if w.Prices != nil {
		w.print("commodity 1000.00 %s", w.Prices.Currency)
	}
}

func (w *writer) ledgerHead() {
	w.print("commodity %s\n    format 1000.%s %[1]s", w.symbol, strings.Repeat("0", w.Places()))
	if w.Prices != nil {
		w.print("commodity %s\n    format 1000.00 %[1]s", w.Prices.Currency)
	}
	w.print("tag time\ntag remark")
	if w.Chart != nil {
		for _, t := range dimensions {
			w.print("tag %s", t)
		}
	}
}
