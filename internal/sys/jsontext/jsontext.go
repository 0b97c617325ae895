// Package jsontext writes JSON the way fees does everywhere: text unescaped except for control characters, either indented
// by two spaces or on one line.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"unicode"
	"unicode/utf16"
)

// Line returns a value on one line, without a newline.
func Line(value any) ([]byte, error) { return encode(value, "", "") }

// Indented returns a value on several lines, without a final newline. All lines but the first begin with the prefix.
func Indented(value any, prefix string) ([]byte, error) { return encode(value, prefix, "  ") }

// Write writes a value on several lines.
func Write(w io.Writer, value any) error {
	text, err := Indented(value, "")
	return write(w, text, err)
}

// WriteLine writes a value on one line.
func WriteLine(w io.Writer, value any) error {
	text, err := Line(value)
	return write(w, text, err)
}

func write(w io.Writer, text []byte, err error) error {
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

func encode(value any, prefix, indent string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return escapeControls(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil
}

// escapeControls escapes the control characters that encoding/json leaves in place, such as those that change the
// direction of text, because terminals obey them. In a JSON document they occur only inside strings.
func escapeControls(document []byte) []byte {
	isControl := func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.C, r) || r == 0x7f }
	if !bytes.ContainsFunc(document, isControl) {
		return document
	}
	var escaped bytes.Buffer
	for _, r := range string(document) {
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

// Object returns an object whose members keep their order, for use in MarshalJSON.
func Object(members iter.Seq2[string, any]) ([]byte, error) {
	out := []byte{'{'}
	for name, value := range members {
		if len(out) > 1 {
			out = append(out, ',')
		}
		for i, x := range []any{name, value} {
			text, err := json.Marshal(x)
			if err != nil {
				return nil, err
			}
			if i == 1 {
				out = append(out, ':')
			}
			out = append(out, text...)
		}
	}
	return append(out, '}'), nil
}
