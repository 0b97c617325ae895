package rollforward_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// recordings are recorded chains.
var recordings = []string{"moonbeam-1701", "moonbeam-2100", "moonbeam-2600", "datahaven-100"}

// directoryOf returns the directory of a recording.
func directoryOf(t testing.TB, name string) string {
	t.Helper()
	if name == "moonbeam-2600" || name == "datahaven-100" {
		return pairs.Path(t, name, "gateway")
	}
	return repository.Path("testdata", "recordings", name)
}

// heightOf returns the last height of a recording.
func heightOf(t testing.TB, dir string) uint64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "blocks", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return uint64(len(files)) - 1
}

// files caches ledgers of the recordings.
var files = struct {
	sync.Mutex
	bytes map[string][]byte
}{bytes: map[string][]byte{}}

// recorded opens a ledger of a recording, modified by SQL statements. A modified ledger is not sealed: sealed data is
// also indexed by account.
func recorded(t testing.TB, name string, changes ...string) *ledger.Book {
	t.Helper()
	dir := directoryOf(t, name)
	files.Lock()
	defer files.Unlock()
	path, key := filepath.Join(t.TempDir(), "fees.db"), fmt.Sprint(name, len(changes) == 0)
	if files.bytes[key] == nil {
		fill(t, path, dir, name, len(changes) == 0)
		var err error
		files.bytes[key], err = os.ReadFile(path)
		require.NoError(t, err)
	} else {
		require.NoError(t, os.WriteFile(path, files.bytes[key], 0o600))
	}
	ledgertest.Change(t, path, changes...)
	book, err := ledger.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// fill writes a ledger file from a recording's blocks.
func fill(t testing.TB, path, dir, name string, seal bool) {
	ctx := context.Background()
	src, err := answers.OpenDirectory(dir)
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	before, err := prove.Before(ctx, reader, 0)
	require.NoError(t, err)
	book, err := ledger.OpenWriter(ctx, path)
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: strings.Split(name, "-")[0]}, 0))
	prover := prove.Prover{Reader: reader, Concurrency: 2, Options: evidence.Options{}}
	for p, err := range prover.Range(ctx, chain.Heights{Last: heightOf(t, dir)}, before) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
	}
	if seal {
		_, err = book.Seal(ctx)
		require.NoError(t, err)
	}
}

// told contains balances by account and height.
type told = ledgertest.Balances

// recordedBalances returns the balances that the gateway reported: from the files of balance-info if they cover all
// accounts, otherwise from the list derived from them.
func recordedBalances(t testing.TB, name string) told {
	t.Helper()
	have := told{}
	dir := directoryOf(t, name)
	list, err := filepath.Glob(filepath.Join(dir, "balance-info", "*", "*.json"))
	require.NoError(t, err)
	for _, path := range list {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var info struct{ Free, Reserved string }
		if err := json.Unmarshal(text, &info); err != nil || info.Free == "" {
			continue // the answer that there is none
		}
		var height uint64
		_, err = fmt.Sscanf(filepath.Base(path), "%d.json", &height)
		require.NoError(t, err)
		have.Add(t, filepath.Base(filepath.Dir(path)), height, info.Free, info.Reserved)
	}
	if len(have) >= 18 {
		return have
	}
	return ledgertest.RecordedBalances(t, name)
}

// accountsOf returns the 18 accounts of a recording, sorted by name, some of them in two
// groups.
func accountsOf(t testing.TB, name string) *addressbook.Book {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directoryOf(t, name), "accounts.json"))
	require.NoError(t, err)
	var list map[string]string
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list, 18)
	var names []string
	for label := range list {
		names = append(names, label)
	}
	slices.Sort(names)
	book := &addressbook.Book{}
	for i, label := range names {
		group := []string{"trading", "treasury", ""}[i%3]
		require.NoError(t, book.Add(addressbook.Entry{Address: address(t, list[label]), Label: label, Group: group}))
	}
	return book
}

func address(t testing.TB, text string) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

func wei(t testing.TB, text string) chain.Wei {
	t.Helper()
	w, err := chain.ParseWei(text)
	require.NoError(t, err)
	return w
}

func number(t testing.TB, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

// made returns a rollforward and fails the test on errors.
func made(t testing.TB, book *ledger.Book, q rollforward.Request) *rollforward.Rollforward {
	t.Helper()
	r, err := rollforward.Make(context.Background(), book, q)
	require.NoError(t, err)
	return r
}

// columnOf returns the column of an account, a group or all, in a period.
func columnOf(t testing.TB, r *rollforward.Rollforward, period, name string) *rollforward.Column {
	t.Helper()
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Period.Name == period && c.Name(console.Token{}) == name {
			return c
		}
	}
	require.Fail(t, "no column", "%s of %s", period, name)
	return nil
}

func emptyBook() *addressbook.Book { return &addressbook.Book{} }

func entryOf(a chain.Address) addressbook.Entry { return addressbook.Entry{Address: a} }
