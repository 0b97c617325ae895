package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// longestText is how many characters of a text from outside are written.
const longestText = 160

// clean is a text from outside as it may stand anywhere in a line of any program's
// journal: letters, digits and marks that mean nothing to one. Whatever else is in it
// becomes a space, and there are never two spaces in a row.
func clean(text string) string { return keep(text, "-_./,()+") }

// cleanName is a text as a part of an account's name: it begins with a letter or a
// digit.
func cleanName(text string) string {
	return strings.TrimLeft(keep(text, "-_."), "-_. ")
}

func keep(text, marks string) string {
	var kept strings.Builder
	space, length := false, 0
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(marks, r) {
			space = length > 0
			continue
		}
		if length >= longestText {
			break
		}
		if space {
			kept.WriteByte(' ')
			length++
			space = false
		}
		kept.WriteRune(r)
		length++
	}
	return kept.String()
}

// tokens is an amount of wei in the token, with all of its 18 decimals.
func tokens(w chain.SignedWei) string { return console.Tokens(w) }

func tokenNumber(w chain.SignedWei) decimal.Decimal {
	return decimal.RequireFromString(w.String()).Shift(-console.TokenDecimals)
}
