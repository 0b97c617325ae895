package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// rowsInGroup is the default number of rows in a group.
const rowsInGroup = 20_000

// bytesInGroup limits the bytes of text in a group, approximately.
const bytesInGroup = 64 << 20

// Amounts in Parquet are decimals of 38 digits, the maximum of readers.
const (
	amountDigits = 38
	amountBytes  = 16
)

// ParquetOptions configure a file beyond its sheet.
type ParquetOptions struct {
	Sorted      []string          // the columns by which rows are sorted, recorded in the file
	Metadata    map[string]string // of the file
	RowsInGroup int               // the maximum
	Zstd        bool              // instead of Snappy, which every reader supports but which takes half as much again
}

// ParquetWriter writes a Parquet file. Every column is optional. Wei amounts and gas prices are
// DECIMAL(38,0) in wei; more than 38 digits are an error, as is an integer beyond int64. Token amounts,
// hashes and addresses are strings, as is text, in valid UTF-8. Times are UTC timestamps in milliseconds.
// Currency amounts and percentages are DECIMAL(38,n) with their own decimals. Title, notes and symbol are
// file metadata under the keys title, note_1 and so on, and symbol.
type ParquetWriter struct {
	sheet *Sheet
	out   rowWriter
	read  []any // the converted values of a row
	rows  int
}

// rowWriter is a parquetFile, whose type it hides: each package that imports this one would compile the library's generic
// types.
type rowWriter interface {
	write(values []any) error
	Close() error
}

type parquetFile struct {
	*parquet.Writer
	sheet *Sheet
	row   parquet.Row
	limit int // maximum rows in a group
	group int // rows in the pending group
	held  int // bytes of text in it
}

// NewParquetWriter starts a file with the columns of a sheet. It does not read the sheet's rows.
func NewParquetWriter(w io.Writer, s *Sheet, o ParquetOptions) (*ParquetWriter, error) {
	out, err := newParquetFile(w, s, o)
	if err != nil {
		return nil, err
	}
	return &ParquetWriter{sheet: s, out: out, read: make([]any, len(s.Columns))}, nil
}

func newParquetFile(w io.Writer, s *Sheet, o ParquetOptions) (*parquetFile, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	fields := make([]parquet.Field, len(s.Columns))
	for i, c := range s.Columns {
		fields[i] = parquet.Group{c.Name: parquet.Optional(parquetType(c))}.Fields()[0]
	}
	limit := cmp.Or(o.RowsInGroup, rowsInGroup)
	options := []parquet.WriterOption{
		parquet.NewSchema(validText(s.Name), inOrder{fields: fields}),
		parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(int64(limit)),
		parquet.CreatedBy("fees", "1", "0"), // instead of the library's build
	}
	if o.Zstd {
		options = append(options, parquet.Compression(&parquet.Zstd))
	}
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		options = append(options, parquet.KeyValueMetadata(key, validText(o.Metadata[key])))
	}
	var sorted []parquet.SortingColumn
	for _, name := range o.Sorted {
		sorted = append(sorted, parquet.Ascending(name))
	}
	options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(sorted...)))
	writer := parquet.NewWriter(w, append(options, metadata(s)...)...)
	return &parquetFile{Writer: writer, sheet: s, row: make(parquet.Row, len(s.Columns)), limit: limit}, nil
}

// Write writes a row.
func (w *ParquetWriter) Write(values []any) error {
	w.rows++
	if err := w.sheet.read(w.rows, values, w.read); err != nil {
		return err
	}
	return w.out.write(w.read)
}

// Close completes the file, which is invalid without it.
func (w *ParquetWriter) Close() error { return w.out.Close() }

// write writes a row of converted values.
func (w *parquetFile) write(values []any) error {
	for i, c := range w.sheet.Columns {
		value, err := parquetValue(values[i])
		if err != nil {
			return fmt.Errorf("sheet %q, column %s: %w", w.sheet.Name, c.Name, err)
		}
		level := 1
		if value.IsNull() {
			level = 0
		}
		w.row[i] = value.Level(0, level, i)
		if value.Kind() == parquet.ByteArray {
			w.held += len(value.ByteArray())
		}
	}
	if _, err := w.WriteRows([]parquet.Row{w.row}); err != nil {
		return err
	}
	if w.group++; w.group < w.limit && w.held < bytesInGroup {
		return nil
	}
	w.group, w.held = 0, 0
	return w.Flush()
}

// WriteParquet writes a sheet with a [ParquetWriter], or the rows of several with the columns of all. The symbol of several
// sheets is a column.
func WriteParquet(w io.Writer, sheets ...*Sheet) error {
	columns, err := union(sheets)
	if err != nil {
		return err
	}
	whole := *sheets[0]
	if whole.Columns = columns; len(sheets) > 1 {
		whole.Title, whole.Notes, whole.Symbol = "", nil, ""
	}
	out, err := newParquetFile(w, &whole, ParquetOptions{})
	if err != nil {
		return err
	}
	if err := eachOf(columns, sheets, func(_ *Sheet, row []any) error { return out.write(row) }); err != nil {
		return err
	}
	return out.Close()
}

// parquetTypes returns the columns' types.
var parquetTypes = map[Kind]func() parquet.Node{
	Text:        repeatedType,
	Integer:     func() parquet.Node { return parquet.Int(64) },
	Wei:         amountNode,
	SignedWei:   amountNode,
	TokenAmount: parquet.String,
	GasPrice:    amountNode,
	Time:        func() parquet.Node { return parquet.Timestamp(parquet.Millisecond) },
	Date:        parquet.Date,
	Hash:        parquet.String,
	Address:     repeatedType,
	Boolean:     func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
}

// parquetType returns a column's type.
func parquetType(c Column) parquet.Node {
	if decimals, fixed := c.decimals(); fixed {
		return decimalNode(decimals)
	}
	return parquetTypes[c.Kind]()
}

// decimals returns the number of decimals of a column of currency amounts or percentages.
func (c Column) decimals() (n int, fixed bool) {
	switch c.Kind {
	case Fiat:
		return c.Currency.Decimals(), true
	case Percent:
		return percentDecimals, true
	}
	return 0, false
}

func amountNode() parquet.Node { return decimalNode(0) }

func decimalNode(decimals int) parquet.Node {
	return parquet.Decimal(decimals, amountDigits, amountType{parquet.FixedLenByteArrayType(amountBytes)})
}

// repeatedType is dictionary-encoded text: each value is written once per group.
func repeatedType() parquet.Node { return parquet.Encoded(parquet.String(), &parquet.RLEDictionary) }

func metadata(s *Sheet) (options []parquet.WriterOption) {
	add := func(key, value string) {
		if value != "" {
			options = append(options, parquet.KeyValueMetadata(key, validText(value)))
		}
	}
	add("title", s.Title)
	add("symbol", s.Symbol)
	for i, note := range s.Notes {
		add(fmt.Sprintf("note_%d", i+1), note)
	}
	return options
}

// validText returns text with invalid UTF-8 replaced.
func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

func parquetValue(value any) (parquet.Value, error) {
	switch v := value.(type) {
	case nil, unknownAmount:
		return parquet.NullValue(), nil
	case money.Amount, percent:
		units, err := chain.ParseSignedWei(unpointed(exact(v)))
		if err != nil {
			return parquet.Value{}, fmt.Errorf("%s: %w", v, errTooLong)
		}
		return decimalValue(units)
	case bool:
		return parquet.BooleanValue(v), nil
	case integer:
		whole, ok := v.int64()
		if !ok {
			return parquet.Value{}, fmt.Errorf("%s does not fit in a signed 64-bit integer", v)
		}
		return parquet.Int64Value(whole), nil
	case chain.SignedWei:
		return decimalValue(v)
	case chain.GasPrice:
		wei, err := chain.ParseWei(v.String())
		if err != nil {
			return parquet.Value{}, fmt.Errorf("%v wei per gas: %w", v, errTooLong)
		}
		return decimalValue(wei.Signed())
	case chain.Time:
		return parquet.Int64Value(v.Std().UnixMilli()), nil
	case date:
		return parquet.Int32Value(int32(v.start.Unix() / (24 * 60 * 60))), nil
	}
	return parquet.ByteArrayValue([]byte(validText(exact(value)))), nil
}

// unpointed returns the digits of a decimal number with its sign, without the point.
func unpointed(number string) string {
	digits, negative := strings.CutPrefix(strings.Replace(number, ".", "", 1), "-")
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	if negative {
		return "-" + digits
	}
	return digits
}

var errTooLong = errors.New("more than the 38 digits of a Parquet decimal")

// decimalValue returns the amount as 16 bytes in big-endian two's complement.
func decimalValue(amount chain.SignedWei) (parquet.Value, error) {
	size := amount.Size()
	if len(size.String()) > amountDigits {
		return parquet.Value{}, fmt.Errorf("%v wei: %w", amount, errTooLong)
	}
	bytes := size.Big().FillBytes(make([]byte, amountBytes))
	if amount.Sign() < 0 {
		carry := true // -n is ^n + 1
		for i := len(bytes) - 1; i >= 0; i-- {
			bytes[i] = ^bytes[i]
			if carry {
				bytes[i]++
				carry = bytes[i] == 0
			}
		}
	}
	return parquet.FixedLenByteArrayValue(bytes), nil
}

// inOrder is a group of columns in their order; the library's own sorts by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns.
func (g inOrder) Fields() []parquet.Field { return g.fields }
