package sheet

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/feeledger/fees/internal/console"
)

// number is what may begin with a sign and still be no formula.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// triggers are the characters with which a formula begins in one spreadsheet or
// another: the ASCII ones, a pipe, the minus sign, and the forms of other widths
// that East Asian versions take for the same.
const triggers = "=+-@|" + "\u2212" + "\uff1d\uff0b\uff0d\uff20\uff5c" + "\ufe66\ufe62\ufe63\ufe6b"

// Safe is [Printable] text that no spreadsheet takes for a formula when it reads a
// CSV: where the first character after any white space could begin one, an
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

// EscapeControls escapes, in the text of a JSON document, the control characters
// that encoding/json leaves as they are, such as those that turn the direction of
// text: a terminal obeys them. They can only be inside of strings.
func EscapeControls(json []byte) []byte {
	isControl := func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.C, r) || r == 0x7f }
	if !bytes.ContainsFunc(json, isControl) {
		return json
	}
	var escaped bytes.Buffer
	for _, r := range string(json) {
		switch {
		case !isControl(r):
			escaped.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&escaped, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	return escaped.Bytes()
}
