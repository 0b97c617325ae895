package table

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/feeledger/fees/internal/console"
)

// number is what may begin with a sign and still be no formula.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// triggers are the characters with which a formula begins in one spreadsheet or
// another: the ASCII ones, a pipe, the minus sign, and the forms of other widths
// that East Asian versions take for the same.
const triggers = "=+-@|" + "\u2212" + "\uff1d\uff0b\uff0d\uff20\uff5c" + "\ufe66\ufe62\ufe63\ufe6b"

// Safe is text in one line, without control characters, that no spreadsheet takes for
// a formula when it reads a CSV: where the first character after any white space could begin one, an
// apostrophe stands before the text. A plain decimal number such as -5 stays as
// it is. The apostrophe is not taken off again by those that read the file as data.
//
// Source: OWASP, CSV Injection; it names = + - @, tab, carriage return, line feed
// and the full-width forms. Control characters are gone before it is looked.
func Safe(text string) string {
	text = console.Printable(text)
	for _, r := range text {
		if unicode.IsSpace(r) || blank(r) {
			continue
		}
		if strings.ContainsRune(triggers, r) && !number.MatchString(text) {
			return "'" + text
		}
		break
	}
	return text
}

// blank tells whether a character shows nothing, though Unicode does not call it a
// space: fillers, the empty Braille pattern, and marks that join the one before.
func blank(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return true
	}
	return unicode.Is(unicode.M, r)
}
