package table

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

// WriteJSONLines writes one object a row, in one line: those of [JSONRows].
func WriteJSONLines(w io.Writer, s *Sheet) (err error) {
	out := bufio.NewWriter(w)
	for row, failed := range JSONRows(s) {
		if err = failed; err == nil {
			_, err = out.Write(append(row, '\n'))
		}
		if err != nil {
			break
		}
	}
	return cmp.Or(err, out.Flush())
}

// JSONRows are an object for each row, with the columns' names as keys in their order.
// Amounts and prices are strings of their smallest unit, integers are numbers, dates and
// times strings; where there is no value, it is null. Text is as it came, with control
// characters escaped. A row holds until the next.
func JSONRows(s *Sheet) iter.Seq2[[]byte, error] {
	errStop := errors.New("enough")
	return func(yield func([]byte, error) bool) {
		var text []byte
		err := s.check()
		if err == nil {
			err = s.each(func(row []any) (err error) {
				text = append(text[:0], '{')
				for i, c := range s.Columns {
					if i > 0 {
						text = append(text, ',')
					}
					text = append(strconv.AppendQuote(text, c.Name), ':') // snake case: the same in JSON
					if text, err = appendJSON(text, row[i]); err != nil {
						return err
					}
				}
				if text = append(text, '}'); !yield(text, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

func appendJSON(text []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil, unknownAmount:
		return append(text, "null"...), nil
	case integer:
		return append(text, v...), nil
	case bool:
		return strconv.AppendBool(text, v), nil
	}
	more, err := jsontext.Line(exact(value))
	return append(text, more...), err
}
