package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strconv"
)

// WriteJSONLines writes one object a row, in one line, with the columns' names as
// keys in their order. Amounts and prices are strings of their smallest unit,
// integers are numbers, dates and times strings; where there is no value, it is
// null. Text is as it came, with control characters escaped.
func WriteJSONLines(w io.Writer, s *Sheet) error {
	if err := s.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	err := s.each(func(row []any) error {
		for i, c := range s.Columns {
			separator := byte(',')
			if i == 0 {
				separator = '{'
			}
			out.WriteByte(separator)
			out.WriteString(strconv.Quote(c.Name)) // snake case: the same in JSON
			out.WriteByte(':')
			out.Write(jsonValue(row[i]))
		}
		_, err := out.WriteString("}\n")
		return err
	})
	return cmp.Or(err, out.Flush())
}

func jsonValue(value any) []byte {
	switch v := value.(type) {
	case nil:
		return []byte("null")
	case integer:
		return []byte(v)
	case bool:
		return strconv.AppendBool(nil, v)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode(exact(value)) // every text has a JSON form
	return EscapeControls(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
