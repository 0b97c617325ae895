package ledgertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Hub returns a sealed ledger at a place, with a span of blocks of a recorded chain with pallet revive.
func Hub(t *testing.T, place, name string, span chain.Heights) *ledger.Book {
	t.Helper()
	src, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
	require.NoError(t, err)
	return Filled(t, place, name, &source.Reader{Source: src, Tables: pairs.HubTables(t)}, span)
}

// Filled returns a sealed ledger at a place, with a span of blocks of a network.
func Filled(t *testing.T, place, name string, r *source.Reader, span chain.Heights) *ledger.Book {
	t.Helper()
	book, err := ledger.OpenWriter(t.Context(), place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(t.Context(), ledger.Identity{Network: name}, span.First))
	var entries []*ledger.Entry
	prover := prove.Prover{Reader: r}
	for p, err := range prover.Range(t.Context(), span, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, book.Write(t.Context(), entries))
	_, err = book.Seal(t.Context())
	require.NoError(t, err)
	return book
}
