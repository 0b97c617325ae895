package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A block about whose finality the source says nothing is not final: it is not sealed, and another may take its place.
func TestFinalityThatIsNotReported(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, madeUp(0, 3))
		m := makeBlock(3, hashOf(3, 1), hashOf(2, 0), "7")
		m.Block.Finalized, m.Report.Finalized = chain.Optional[bool]{}, chain.Optional[bool]{}
		e := m.entry(t)
		require.False(t, e.Final())
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
		require.Zero(t, sealAll(t, book))
		s := statusOf(t, book)
		require.Equal(t, []any{uint64(1), chain.Some(uint64(2))}, []any{s.NotFinal, s.Sealed})
		require.NoError(t, book.Write(ctx, branch(t, 3, 1, hashOf(2, 0), 0, true)))
		require.Equal(t, chain.Some(uint64(3)), statusOf(t, book).Sealed)
		verified(t, book)
	})
}
