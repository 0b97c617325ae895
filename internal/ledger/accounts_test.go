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

// An account of 32 bytes finds the ERC-20 transfers of the EVM address that it is made from, as the address does.
func TestTransfersOfLongAccounts(t *testing.T) {
	place := filepath.Join(t.TempDir(), "fees.db")
	book := written(t, place, ledger.Identity{Network: "any"}, longEntries(t, 26))
	sealAll(t, book)
	found := 0
	for x, err := range book.Transfers(ctx, ledger.Query{Span: chain.Heights{Last: 26}}) {
		require.NoError(t, err)
		for _, a := range []chain.Address{x.Sender, x.Recipient} {
			for _, account := range []chain.Address{a, a.Hashed()} {
				var have []ledger.Place
				for y, err := range book.Transfers(ctx, ledger.Query{Accounts: []chain.Address{account}, Span: chain.Heights{Last: 26}}) {
					require.NoError(t, err)
					have = append(have, y.Place())
				}
				require.Contains(t, have, x.Place(), account)
				found++
			}
		}
	}
	require.Positive(t, found)
}

// longEntries returns the entries of a recorded chain whose accounts have 32 bytes, up to a height.
func longEntries(t *testing.T, last uint64) (list []*ledger.Entry) {
	text, err := os.ReadFile(repository.Path("network", "tables", "creditcoin.json"))
	require.NoError(t, err)
	tables, err := network.BuiltIn().With("creditcoin-87.json", text)
	require.NoError(t, err)
	src, err := answers.OpenDirectory(pairs.Path(t, "creditcoin3-87", "gateway"))
	require.NoError(t, err)
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: tables}}
	for p, err := range prover.Range(ctx, chain.Heights{Last: last}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		list = append(list, e)
	}
	return list
}

// A ledger keeps to accounts of the size that it began with, also when it is opened again.
func TestOneSizeOfAccounts(t *testing.T) {
	long := longEntries(t, 9)
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
