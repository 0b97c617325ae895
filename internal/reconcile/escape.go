package reconcile

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// escapes matches characters that a workbook writes as _xHHHH_, because XML cannot hold them or would change them
// (ECMA-376, ST_Xstring).
var escapes = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4}_)+`)

// unescaped returns a text of a workbook as a spreadsheet shows it. _x005F_ is an underscore that begins no escape.
// Carriage returns become line feeds, as in all XML.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	text = escapes.ReplaceAllStringFunc(text, func(run string) string {
		const length = len("_x0000_")
		var units []uint16
		for ; run != ""; run = run[length:] {
			unit, _ := strconv.ParseUint(run[2:length-1], 16, 16) // as matched
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	})
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
