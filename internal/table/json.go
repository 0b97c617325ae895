package table

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"strconv"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

// WriteJSONLines writes the objects of [JSONRows], one per line.
func WriteJSONLines(w io.Writer, sheets ...*Sheet) (err error) {
	out := bufio.NewWriter(w)
	for row, failed := range JSONRows(sheets...) {
		if err = failed; err == nil {
			_, err = out.Write(append(row, '\n'))
		}
		if err != nil {
			break
		}
	}
	return cmp.Or(err, out.Flush())
}

// JSONRows yields an object per row, with the columns' names as keys, in order. Amounts and prices are
// strings in their smallest unit, integers are numbers, dates and times are strings, and a missing value is
// null. Text is unchanged, with control characters escaped. A row is valid until the next one. Objects of several sheets
// have the columns of all.
func JSONRows(sheets ...*Sheet) iter.Seq2[[]byte, error] {
	return Sequence(func(each func([]byte) error) error {
		columns, err := union(sheets)
		if err != nil {
			return err
		}
		var text []byte
		return eachOf(columns, sheets, func(_ *Sheet, row []any) error {
			text = append(text[:0], '{')
			for i, c := range columns {
				if i > 0 {
					text = append(text, ',')
				}
				text = append(strconv.AppendQuote(text, c.Name), ':') // snake case: the same in JSON
				text = appendJSON(text, row[i])
			}
			text = append(text, '}')
			return each(text)
		})
	})
}

func appendJSON(text []byte, value any) []byte {
	switch v := value.(type) {
	case nil, unknownAmount:
		return append(text, "null"...)
	case integer:
		return append(text, v...)
	case bool:
		return strconv.AppendBool(text, v)
	}
	more, _ := jsontext.Line(exact(value)) // no string fails
	return append(text, more...)
}
