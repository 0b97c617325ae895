package table

import (
	"cmp"
	"encoding/csv"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// WriteCSV writes a header and one line per row, in RFC 4180 with \n line ends. A wei column fee becomes
// fee, in wei, and fee_token, with all decimals. An empty cell means no value, and text is a [plain.Cell]. Title,
// notes and totals are omitted. Of several sheets, the header has each column once, and a row the decimals of its
// sheet's token.
func WriteCSV(w io.Writer, sheets ...*Sheet) error {
	columns, err := union(sheets)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	var header []string
	for _, c := range columns {
		header = append(header, c.names()...)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	cells := make([]string, 0, len(header))
	err = eachOf(columns, sheets, func(s *Sheet, row []any) error {
		cells = cells[:0]
		for i, c := range columns {
			cells = s.appendCSV(cells, c, row[i])
		}
		if len(cells) == 1 && cells[0] == "" {
			return writeEmptyLine(w, out)
		}
		return out.Write(cells)
	})
	out.Flush() // including rows before an error
	return cmp.Or(err, out.Error())
}

// writeEmptyLine writes a row whose only cell is empty. Readers would skip the line without quotes.
func writeEmptyLine(w io.Writer, out *csv.Writer) error {
	out.Flush()
	_, err := io.WriteString(w, "\"\"\n")
	return err
}

func (s *Sheet) appendCSV(cells []string, c Column, value any) []string {
	switch v := value.(type) {
	case string:
		return append(cells, plain.Cell(v))
	case chain.SignedWei:
		digits := v.String()
		return append(cells, digits, string(console.AppendScaled(nil, digits, s.Places())))
	case nil:
		if c.isAmount() {
			return append(cells, "", "")
		}
	}
	return append(cells, exact(value))
}
