package finance

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/console"
)

// pairs are names with what stands beside them, for people, one below the other.
type pairs [][2]string

// add adds a pair; what is "" is left out.
func (p *pairs) add(name, text string) {
	if text != "" {
		*p = append(*p, [2]string{name, text})
	}
}

// pairsColumns is the width from which a text stands beside its name.
const pairsColumns = 60

// write writes the pairs in at most width columns, if it can.
func (p pairs) write(w io.StringWriter, width int) {
	column := 0
	for _, pair := range p {
		column = max(column, utf8.RuneCountInString(pair[0])+2)
	}
	for _, pair := range p {
		if width < pairsColumns {
			w.WriteString(pair[0] + "\n")
			console.WriteWrapped(w, "  "+pair[1], 2, width)
			continue
		}
		line := fmt.Sprintf("%-*s%s", column, pair[0], console.Printable(pair[1]))
		if utf8.RuneCountInString(line) <= width || !strings.Contains(pair[1], " ") { // a hash is not broken
			w.WriteString(line + "\n")
			continue
		}
		console.WriteWrapped(w, line, column, width)
	}
}

// tokens is an amount in the token, and "not known" where it is not.
func tokens(amount chain.Optional[chain.Wei], symbol string) string {
	wei, ok := amount.Get()
	if !ok {
		return cli.NotKnown
	}
	return inToken(console.Tokens(wei), symbol)
}

// inToken is a number with the symbol, where that is known.
func inToken(number, symbol string) string {
	if symbol == "" {
		return console.Plain(number)
	}
	return console.Plain(number) + " " + console.Printable(symbol)
}
