package scalejson

import (
	"encoding/hex"
	"unicode/utf8"

	"github.com/feeledger/fees/scale"
)

// Writer reads values from the one end and writes their text at the other. Its error is the
// reader's; the text is worthless where there is one.
type Writer struct {
	*scale.Reader
	Text []byte
	// Addresses are looked up before a checksum is made, where they are given.
	Addresses *Addresses
	depth     int
}

const (
	// mostDepth is how deeply types may be nested, as a batch of batches is.
	mostDepth = 512
	// mostText is how long a text may get. Values without bytes have text too: types that
	// double each other could write for ever.
	mostText = 64 << 20
)

// value writes a value of a type.
func (w *Writer) value(n *node) { w.with(n.write) }

func (w *Writer) with(write func(*Writer)) {
	switch {
	case w.Err() != nil:
		return
	case w.depth == mostDepth:
		w.Fail("values are nested more than %d deep", mostDepth)
		return
	case len(w.Text) > mostText:
		w.Fail("the text of the values is longer than %d bytes", mostText)
		return
	}
	w.depth++
	write(w)
	w.depth--
}

func (w *Writer) raw(text string) { w.Text = append(w.Text, text...) }

func (w *Writer) byte(b byte) { w.Text = append(w.Text, b) }

// Hex writes bytes as a string of hex digits.
func (w *Writer) Hex(bytes []byte) {
	w.raw(`"0x`)
	w.Text = hex.AppendEncode(w.Text, bytes)
	w.byte('"')
}

// String writes a text as JSON.stringify does: it escapes what it must and nothing else.
func (w *Writer) String(text string) { w.Text = AppendString(w.Text, text) }

// AppendString writes a text as JSON.stringify does.
func AppendString(to []byte, text string) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c >= ' ':
			to = append(to, c)
		case c == '\b':
			to = append(to, `\b`...)
		case c == '\f':
			to = append(to, `\f`...)
		case c == '\n':
			to = append(to, `\n`...)
		case c == '\r':
			to = append(to, `\r`...)
		case c == '\t':
			to = append(to, `\t`...)
		default:
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(to, '"')
}

// list writes elements in brackets.
func (w *Writer) list(n int, element func(i int)) {
	w.byte('[')
	for i := range n {
		if i > 0 {
			w.byte(',')
		}
		if element(i); w.Err() != nil {
			return
		}
	}
	w.byte(']')
}

// decimal writes an unsigned little-endian integer of any length as a string.
func (w *Writer) decimal(bytes []byte) {
	w.byte('"')
	w.Text = appendDecimal(w.Text, bytes)
	w.byte('"')
}

// text writes UTF-8 behind its length. JavaScript's decoder drops a byte order mark.
func (w *Writer) text() {
	text := w.Reader.Text()
	if r, size := utf8.DecodeRuneInString(text); r == '\uFEFF' {
		text = text[size:]
	}
	w.String(text)
}
