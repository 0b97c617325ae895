package scalejson

import (
	"encoding/hex"
	"math/bits"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// Writer reads values and appends their text. Its error is the reader's; after an error the text is
// meaningless.
type Writer struct {
	*scale.Reader
	Text []byte
	// Addresses is an optional cache of checksummed addresses.
	Addresses *Addresses
	depth     int
	// unsanitized reports that polkadot-js writes the text, so that Sidecar's own rules do not apply.
	unsanitized bool
}

const (
	// maxDepth is the maximum nesting of values, such as batches of batches.
	maxDepth = 512
	// maxText is the maximum length of a text. Values without bytes have text too: types that double each other
	// would otherwise grow without bound.
	maxText = 64 << 20
)

// value writes a value of a type.
func (w *Writer) value(n *node) { w.with(n.write) }

func (w *Writer) with(write func(*Writer)) {
	switch {
	case w.Err() != nil:
		return
	case w.depth == maxDepth:
		w.Fail("values are nested more than %d deep", maxDepth)
		return
	case len(w.Text) > maxText:
		w.Fail("the text of the values is longer than %d bytes", maxText)
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

// String writes a text as JSON.stringify does, with only the necessary escapes.
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

// unsigned writes a little-endian integer of a type with that number of bits.
func (w *Writer) unsigned(bytes []byte, bits int) {
	if w.unsanitized && (bits > maxNumberType || width(bytes) > maxNumberBits) {
		w.bigEndian(bytes, bits)
		return
	}
	w.byte('"')
	w.Text = appendDecimal(w.Text, bytes)
	w.byte('"')
}

// signed writes a little-endian integer in two's complement.
func (w *Writer) signed(bytes []byte) {
	if w.unsanitized && (len(bytes)*8 > maxNumberType || width(magnitude(bytes)) > maxNumberBits) {
		w.bigEndian(bytes, len(bytes)*8)
		return
	}
	w.byte('"')
	w.Text = appendSigned(w.Text, bytes)
	w.byte('"')
}

// polkadot-js writes an integer as a number up to maxNumberBits bits, if its type has up to maxNumberType;
// others are hex, big-endian.
const maxNumberBits, maxNumberType = 52, 128

// bigEndian writes a little-endian integer of a type with that number of bits as hex.
func (w *Writer) bigEndian(bytes []byte, bits int) {
	digits := make([]byte, bits/8)
	copy(digits, bytes)
	slices.Reverse(digits)
	w.Hex(digits)
}

// width returns the number of bits of a little-endian integer.
func width(bytes []byte) int {
	for i := len(bytes) - 1; i >= 0; i-- {
		if bytes[i] != 0 {
			return i*8 + bits.Len8(bytes[i])
		}
	}
	return 0
}

// Lines writes texts as one.
func (w *Writer) Lines(texts []string) {
	lines := make([]string, len(texts))
	for i := range texts {
		lines[i] = unmarked(texts[i])
	}
	w.String(strings.Join(lines, "\n"))
}

// text writes UTF-8 with a length prefix.
func (w *Writer) text() { w.String(unmarked(w.Reader.Text())) }

// unmarked returns a text as JavaScript's decoder does, without a byte order mark.
func unmarked(text string) string { return strings.TrimPrefix(text, "\uFEFF") }
