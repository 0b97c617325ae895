package table

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A part that is too large for spreadsheet programs is an error with a remedy, not truncated.
func TestAPartThatIsTooLarge(t *testing.T) {
	large := &part{name: "xl/worksheets/sheet1.xml", to: io.Discard, size: math.MaxUint32 - 3}
	n, err := large.Write([]byte("abc"))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	_, err = large.Write([]byte("d"))
	require.EqualError(t, err, "xl/worksheets/sheet1.xml would exceed 4 GiB, which spreadsheet programs cannot read; write CSV or Parquet")
}
