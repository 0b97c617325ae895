package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
)

// writeJSON writes one object over several lines.
func writeJSON(w io.Writer, value any) error { return encodeJSON(w, value, "  ") }

// writeJSONLine writes one object in one line.
func writeJSONLine(w io.Writer, value any) error { return encodeJSON(w, value, "") }

func encodeJSON(w io.Writer, value any, indent string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escapeControls(text.Bytes()))
	return err
}

// escapeControls escapes the control characters that encoding/json leaves as they
// are, such as those that turn the direction of text: a terminal obeys them. They
// can only be inside of strings.
func escapeControls(text []byte) []byte {
	isControl := func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.C, r) || r == 0x7f }
	if !bytes.ContainsFunc(text, isControl) {
		return text
	}
	var escaped bytes.Buffer
	for _, r := range string(text) {
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
