package statement_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Stop()
	os.Exit(code)
}

// A ledger in PostgreSQL gives the same statement as one in a file.
func TestPostgres(t *testing.T) {
	const name = "moonbeam-2100"
	place := postgrestest.Start(t).Database(t)
	src, err := answers.OpenDirectory("../../../testdata/recordings/" + name)
	require.NoError(t, err)
	span := chain.Heights{Last: recordings[name]}
	fill(t, place, src, span)
	balances := ledgertest.RecordedBalances(t, name)
	one, other := made(t, open(t, place), balances, alith, span, true), made(t, recorded(t, name), balances, alith, span, true)
	require.Equal(t, other.Totals, one.Totals)
	require.Equal(t, linesOf(t, other), linesOf(t, one))
	require.True(t, one.Holds())
}

func linesOf(t *testing.T, s *statement.Statement) (lines []statement.Line) {
	for l, err := range s.Lines(context.Background()) {
		require.NoError(t, err)
		lines = append(lines, *l)
	}
	return lines
}
