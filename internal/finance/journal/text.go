package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/unicode/norm"

	"github.com/feeledger/fees/chain"
)

// longestText limits the characters of external text that are written.
const longestText = 160

// clean makes external text safe for any position in a line of any program's journal: it composes letters with their
// marks, and keeps them, digits, and punctuation without meaning to the programs. Invisible characters are removed, such
// as the joiners within words of some scripts. Everything else becomes a space, never two in a row. All external text in a
// program's journal passes through it or cleanName.
func clean(text string) string { return keep(text, "-_./,()+") }

// cleanName makes a text safe as a part of an account's name, which starts with a letter or a
// digit.
func cleanName(text string) string {
	return strings.TrimLeftFunc(keep(text, "-_."), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func keep(text, punctuation string) string {
	var kept strings.Builder
	space, length := false, 0
	for _, r := range norm.NFC.String(text) {
		if unicode.Is(unicode.Cf, r) {
			continue
		}
		isMark := unicode.IsMark(r) && length > 0 && !space // such as a vowel sign: part of the letter before it
		if r == utf8.RuneError || !isMark && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(punctuation, r) {
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

// tokenNumber converts an amount to tokens.
func (r *Request) tokenNumber(w chain.SignedWei) decimal.Decimal {
	return decimal.RequireFromString(w.String()).Shift(-int32(r.Places()))
}
