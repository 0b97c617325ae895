package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// A ledger keeps to accounts of the size that it began with, also when it is opened again.
func TestOneSizeOfAccounts(t *testing.T) {
	text, err := os.ReadFile(repository.Path("testdata", "networks", "creditcoin-87.json"))
	require.NoError(t, err)
	tables, err := network.BuiltIn().With("creditcoin-87.json", text)
	require.NoError(t, err)
	src, err := answers.OpenDirectory(pairs.Path(t, "creditcoin3-87", "gateway"))
	require.NoError(t, err)
	var long []*ledger.Entry
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: tables}}
	for p, err := range prover.Range(ctx, chain.Heights{Last: 9}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		long = append(long, e)
	}
	short := recording2100().entries

	for _, of := range []struct {
		first, other []*ledger.Entry
		size         int
	}{{long[:8], short[8:9], 32}, {short[:8], long[8:9], 20}} {
		place := filepath.Join(t.TempDir(), "fees.db")
		book, err := ledger.OpenWriter(ctx, place)
		require.NoError(t, err)
		require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "any"}, 0))
		size, err := book.AccountSize(ctx)
		require.NoError(t, err)
		require.Zero(t, size)
		require.NoError(t, book.Write(ctx, of.first))
		require.ErrorIs(t, book.Write(ctx, of.other), ledger.ErrOtherAccounts)
		require.NoError(t, book.Close())
		book, err = ledger.OpenWriter(ctx, place)
		require.NoError(t, err)
		size, err = book.AccountSize(ctx)
		require.NoError(t, err)
		require.Equal(t, of.size, size)
		require.ErrorIs(t, book.Write(ctx, of.other), ledger.ErrOtherAccounts)
		require.NoError(t, book.Close())
	}
}
