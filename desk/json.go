package desk

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/feeledger/fees/sheet"
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
	_, err := w.Write(sheet.EscapeControls(text.Bytes()))
	return err
}

// withoutControls escapes the control characters of JSON that is written to it, with
// none of its values in two parts.
type withoutControls struct{ to io.Writer }

func (w withoutControls) Write(text []byte) (int, error) {
	if _, err := w.to.Write(sheet.EscapeControls(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
