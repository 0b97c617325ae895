package sheet

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/feeledger/fees/chain"
)

// rowsInGroup is how many rows a writer of Parquet holds.
const rowsInGroup = 20_000

// Amounts in Parquet are decimals of 38 digits, the most that readers have.
const (
	amountDigits = 38
	amountBytes  = 16
)

// WriteParquet writes a file for programs that work with columns. Every column is
// optional. Amounts of wei, and gas prices, are DECIMAL(38,0) in wei; one of more
// than 38 digits is an error, as is an integer that 64 bits with a sign do not hold.
// Token amounts, hashes and addresses are strings, as is text, which is as it came
// but in UTF-8. Times are timestamps in milliseconds of UTC. Title, notes and symbol
// are metadata of the file, under the keys title, note_1 and on, and symbol.
// Compression is Snappy, which every reader has.
func WriteParquet(w io.Writer, s *Sheet) error {
	if err := s.check(); err != nil {
		return err
	}
	fields := make([]parquet.Field, len(s.Columns))
	for i, c := range s.Columns {
		fields[i] = parquet.Group{c.Name: parquet.Optional(parquetTypes[c.Kind]())}.Fields()[0]
	}
	options := []parquet.WriterOption{
		parquet.NewSchema(utf8(s.Name), inOrder{fields: fields}),
		parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(rowsInGroup),
		parquet.CreatedBy("fees", "1", "0"), // not the library's build
	}
	out := parquet.NewGenericWriter[any](w, append(options, metadata(s)...)...)
	row := make(parquet.Row, len(s.Columns))
	err := s.each(func(values []any) error {
		for i, c := range s.Columns {
			value, err := parquetValue(values[i])
			if err != nil {
				return fmt.Errorf("sheet %q, column %s: %w", s.Name, c.Name, err)
			}
			level := 1
			if values[i] == nil {
				level = 0
			}
			row[i] = value.Level(0, level, i)
		}
		_, err := out.WriteRows([]parquet.Row{row})
		return err
	})
	if err != nil {
		return err // without the footer, what was written is no Parquet
	}
	return out.Close()
}

// parquetTypes are the columns' types.
var parquetTypes = map[Kind]func() parquet.Node{
	Text:        parquet.String,
	Integer:     func() parquet.Node { return parquet.Int(64) },
	Wei:         amountType,
	SignedWei:   amountType,
	TokenAmount: parquet.String,
	GasPrice:    amountType,
	Time:        func() parquet.Node { return parquet.Timestamp(parquet.Millisecond) },
	Date:        parquet.Date,
	Hash:        parquet.String,
	Address:     parquet.String,
	Boolean:     func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
}

func amountType() parquet.Node {
	return parquet.Decimal(0, amountDigits, parquet.FixedLenByteArrayType(amountBytes))
}

func metadata(s *Sheet) (options []parquet.WriterOption) {
	add := func(key, value string) {
		if value != "" {
			options = append(options, parquet.KeyValueMetadata(key, utf8(value)))
		}
	}
	add("title", s.Title)
	add("symbol", s.Symbol)
	for i, note := range s.Notes {
		add(fmt.Sprintf("note_%d", i+1), note)
	}
	return options
}

// utf8 is text whose every byte is of UTF-8.
func utf8(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

func parquetValue(value any) (parquet.Value, error) {
	switch v := value.(type) {
	case nil:
		return parquet.NullValue(), nil
	case bool:
		return parquet.BooleanValue(v), nil
	case integer:
		whole, ok := v.int64()
		if !ok {
			return parquet.Value{}, fmt.Errorf("%s does not fit 64 bits with a sign", v)
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
	return parquet.ByteArrayValue([]byte(utf8(exact(value)))), nil
}

var errTooLong = errors.New("more than the 38 digits of a decimal in Parquet")

// decimalValue is the amount in 16 bytes, the first one the most significant, as
// two's complement.
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

// inOrder is a group of columns that keeps their order; the library's own sorts them
// by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields are the columns.
func (g inOrder) Fields() []parquet.Field { return g.fields }
