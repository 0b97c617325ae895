package table

import (
	"bytes"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// amountType is the bytes of an amount, ordered numerically. The library orders bytes, which puts negative
// amounts last; readers would use such bounds to skip rows with negative amounts.
type amountType struct{ parquet.Type }

// Compare orders two amounts.
func (amountType) Compare(a, b parquet.Value) int {
	return compareAmounts(a.ByteArray(), b.ByteArray())
}

// compareAmounts orders two's complement numbers, whose first bit is the sign.
func compareAmounts(a, b []byte) int {
	if negative := a[0] >= 0x80; negative != (b[0] >= 0x80) {
		if negative {
			return -1
		}
		return 1
	}
	return bytes.Compare(a, b)
}

// NewColumnIndexer returns the builder of the column's page index.
func (amountType) NewColumnIndexer(int) parquet.ColumnIndexer { return &amountIndexer{} }

// NewColumnBuffer returns a buffer whose pages have numeric bounds.
func (t amountType) NewColumnBuffer(column, values int) parquet.ColumnBuffer {
	return amountBuffer{t.Type.NewColumnBuffer(column, values)}
}

type amountBuffer struct{ parquet.ColumnBuffer }

// Page returns the contents of the buffer.
func (b amountBuffer) Page() parquet.Page { return amountPage{b.ColumnBuffer.Page()} }

// Clone copies the buffer.
func (b amountBuffer) Clone() parquet.ColumnBuffer { return amountBuffer{b.ColumnBuffer.Clone()} }

type amountPage struct{ parquet.Page }

// Bounds returns the minimum and the maximum.
func (p amountPage) Bounds() (least, greatest parquet.Value, ok bool) {
	data := p.Data()
	all, size := data.FixedLenByteArray()
	if len(all) == 0 {
		return least, greatest, false
	}
	amounts := slices.Collect(slices.Chunk(all, size))
	return parquet.FixedLenByteArrayValue(slices.MinFunc(amounts, compareAmounts)), parquet.FixedLenByteArrayValue(slices.MaxFunc(amounts, compareAmounts)), true
}

// Slice returns part of the page.
func (p amountPage) Slice(i, j int64) parquet.Page { return amountPage{p.Page.Slice(i, j)} }

// amountIndexer builds the page index of a column of amounts. The library's own does not order them
// numerically, and omits pages that contain only nulls.
type amountIndexer struct{ index format.ColumnIndex }

// Reset removes all pages.
func (x *amountIndexer) Reset() { x.index = format.ColumnIndex{} }

// IndexPage adds a page, with null bounds if it has no amounts.
func (x *amountIndexer) IndexPage(values, nulls int64, least, greatest parquet.Value) {
	i := &x.index
	i.NullPages = append(i.NullPages, values == nulls)
	i.NullCounts = append(i.NullCounts, nulls)
	i.MinValues = append(i.MinValues, bytes.Clone(least.ByteArray()))
	i.MaxValues = append(i.MaxValues, bytes.Clone(greatest.ByteArray()))
}

// ColumnIndex returns the index of all pages, marked as unordered.
func (x *amountIndexer) ColumnIndex() format.ColumnIndex { return x.index }
