package rollforward_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
)

// A line of a statement without a movement is a fee.
func TestLinesOf(t *testing.T) {
	c := rollforward.Classifier{}
	line, err := c.LinesOf(nil)(t.Context(), &statement.Line{})
	require.NoError(t, err)
	require.Equal(t, rollforward.Fees, line)
	for _, name := range rollforward.Selections() {
		s, err := rollforward.ParseSelection(name)
		require.NoError(t, err)
		require.Equal(t, name, s.String())
	}
}
