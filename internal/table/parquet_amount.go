package table

import (
	"bytes"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// amountType is the bytes of an amount, ordered as the numbers that they are. The library
// orders them as bytes, so that what is below zero comes last. Readers pass over what
// bounds in that order exclude, and would not see the rows below zero.
type amountType struct{ parquet.Type }

// Compare orders two amounts.
func (amountType) Compare(a, b parquet.Value) int {
	return compareAmounts(a.ByteArray(), b.ByteArray())
}

// compareAmounts orders two's complements, whose first bit is the sign.
func compareAmounts(a, b []byte) int {
	if negative := a[0] >= 0x80; negative != (b[0] >= 0x80) {
		if negative {
			return -1
		}
		return 1
	}
	return bytes.Compare(a, b)
}

// NewColumnIndexer makes the column's page index.
func (amountType) NewColumnIndexer(int) parquet.ColumnIndexer { return &amountIndexer{} }

// NewColumnBuffer makes a buffer whose pages have the bounds of the numbers.
func (t amountType) NewColumnBuffer(column, values int) parquet.ColumnBuffer {
	return amountBuffer{t.Type.NewColumnBuffer(column, values)}
}

type amountBuffer struct{ parquet.ColumnBuffer }

// Page is what the buffer holds.
func (b amountBuffer) Page() parquet.Page { return amountPage{b.ColumnBuffer.Page()} }

// Clone copies the buffer.
func (b amountBuffer) Clone() parquet.ColumnBuffer { return amountBuffer{b.ColumnBuffer.Clone()} }

type amountPage struct{ parquet.Page }

// Bounds are the least and the greatest amount.
func (p amountPage) Bounds() (least, greatest parquet.Value, ok bool) {
	data := p.Data()
	all, size := data.FixedLenByteArray()
	if len(all) == 0 {
		return least, greatest, false
	}
	amounts := slices.Collect(slices.Chunk(all, size))
	return parquet.FixedLenByteArrayValue(slices.MinFunc(amounts, compareAmounts)), parquet.FixedLenByteArrayValue(slices.MaxFunc(amounts, compareAmounts)), true
}

// Slice is a part of the page.
func (p amountPage) Slice(i, j int64) parquet.Page { return amountPage{p.Page.Slice(i, j)} }

// amountIndexer makes the page index of a column of amounts. The library's own does not
// order them as numbers, and leaves out the place of a page that has nothing but nulls.
type amountIndexer struct{ index format.ColumnIndex }

// Reset forgets all pages.
func (x *amountIndexer) Reset() { x.index = format.ColumnIndex{} }

// IndexPage adds a page. Its bounds are null where it has no amount.
func (x *amountIndexer) IndexPage(values, nulls int64, least, greatest parquet.Value) {
	i := &x.index
	i.NullPages = append(i.NullPages, values == nulls)
	i.NullCounts = append(i.NullCounts, nulls)
	i.MinValues = append(i.MinValues, bytes.Clone(least.ByteArray()))
	i.MaxValues = append(i.MaxValues, bytes.Clone(greatest.ByteArray()))
}

// ColumnIndex is the index of all pages. No order is claimed for them.
func (x *amountIndexer) ColumnIndex() format.ColumnIndex { return x.index }
