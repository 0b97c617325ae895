package table

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A part that is too large for spreadsheet programs is an error with a remedy, not truncated.
func TestAPartThatIsTooLarge(t *testing.T) {
	p := &parts{}
	w, err := p.Create("xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	defer func() { require.NoError(t, p.remove()) }()
	large := w.(*part)
	large.size = math.MaxUint32 - 3
	n, err := large.Write([]byte("abc"))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	_, err = large.Write([]byte("d"))
	require.EqualError(t, err, "xl/worksheets/sheet1.xml would exceed 4 GiB, which spreadsheet programs cannot read; write CSV or Parquet")
}
