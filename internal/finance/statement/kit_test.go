package statement_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Types of package balances, whose name the tests use for a variable.
type (
	Change     = balances.Change
	Difference = balances.Difference
	Options    = balances.Options
	Reader     = balances.Reader
)

var of = balances.Of

const maxDifferences = balances.MaxDifferences

// recordings are the recorded chains, with the height of the last block.
var recordings = map[string]uint64{"moonbeam-1701": 21, "moonbeam-2100": 27}

// fill writes a ledger file from a source's blocks.
func fill(t testing.TB, path string, src source.Source, span chain.Heights) {
	ctx := context.Background()
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	before, err := prove.Before(ctx, reader, span.First)
	require.NoError(t, err)
	book, err := ledger.OpenWriter(ctx, path)
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, span.First))
	prover := prove.Prover{Reader: reader, Concurrency: 2, Options: evidence.Options{}}
	for p, err := range prover.Range(ctx, span, before) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
	}
	_, err = book.Seal(ctx)
	require.NoError(t, err)
}

// files caches ledgers of the recordings.
var files = struct {
	sync.Mutex
	directory string
	bytes     map[string][]byte
}{bytes: map[string][]byte{}}

// recorded opens a ledger of a recording, modified by SQL statements.
func recorded(t testing.TB, name string, changes ...string) *ledger.Book {
	files.Lock()
	defer files.Unlock()
	path := filepath.Join(t.TempDir(), "fees.db")
	if files.bytes[name] == nil {
		src, err := answers.OpenDirectory("../../../testdata/recordings/" + name)
		require.NoError(t, err)
		fill(t, path, src, chain.Heights{Last: recordings[name]})
		files.bytes[name], err = os.ReadFile(path)
		require.NoError(t, err)
	} else {
		require.NoError(t, os.WriteFile(path, files.bytes[name], 0o600))
	}
	ledgertest.Change(t, path, changes...)
	return open(t, path)
}

func open(t testing.TB, path string) *ledger.Book {
	book, err := ledger.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// told contains balances by account and height.
type told = ledgertest.Balances

// with returns the balances with one of them replaced.
func with(b told, account chain.Address, at uint64, other chain.Balance) told {
	changed := maps.Clone(b)
	changed[account] = maps.Clone(b[account])
	changed[account][at] = other
	return changed
}

func address(t testing.TB, text string) chain.Address {
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

func wei(t testing.TB, text string) chain.Wei {
	w, err := chain.ParseWei(text)
	require.NoError(t, err)
	return w
}

func signed(t testing.TB, text string) chain.SignedWei {
	w, err := chain.ParseSignedWei(text)
	require.NoError(t, err)
	return w
}

// by parses a change, such as "-1", "0".
func by(t testing.TB, free, reserved string) Change {
	return Change{Free: signed(t, free), Reserved: signed(t, reserved)}
}

// The most active account on the recorded chains.
var alith = chain.Address20([20]byte{0xf2, 0x4f, 0xf3, 0xa9, 0xcf, 0x04, 0xc7, 0x1d, 0xbc, 0x94, 0xd0, 0xb5, 0x66, 0xf7, 0xa2, 0x7b, 0x94, 0x56, 0x6c, 0xac})

// made returns a statement and fails the test on errors.
func made(t testing.TB, book *ledger.Book, balances Reader, account chain.Address, span chain.Heights, everyBlock bool) *statement.Statement {
	t.Helper()
	s, err := statement.Make(context.Background(), book, balances, account, span, statement.Options{Options: Options{EveryBlock: everyBlock}})
	require.NoError(t, err)
	return s
}
