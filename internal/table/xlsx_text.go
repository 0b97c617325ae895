package table

import (
	"bufio"
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/feeledger/fees/internal/sys/plain"
)

// CellText returns printable text, shortened to the maximum length of a cell.
func CellText(text string) string {
	text = plain.Line(text)
	length := 0 // in UTF-16 code units, as a cell counts
	for i, r := range text {
		if length += utf16.RuneLen(r); length > maxCellText {
			return cut(text[:i])
		}
	}
	return text
}

// cut replaces the last character with "…".
func cut(text string) string {
	runes := []rune(text)
	return string(runes[:len(runes)-1]) + "…"
}

// escapes matches text that a spreadsheet would read as other characters: _x0041_ as A.
var escapes = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4})+_`)

// EscapeText writes the text of a cell as XML. Errors stay in w.
func EscapeText(w *bufio.Writer, text string) {
	text = escapes.ReplaceAllStringFunc(text, func(run string) string { return strings.ReplaceAll(run, "_x", "_x005F_x") })
	_ = xml.EscapeText(w, []byte(text))
}

// ColumnName returns the letters of a column, counted from 1: C is 3.
func ColumnName(column int) (name string) {
	for ; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// cellName returns a cell's name, such as B3.
func cellName(column, line int) string { return ColumnName(column) + strconv.Itoa(line) }
