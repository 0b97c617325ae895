package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// lastBlocks maps the recordings to the height of the last block.
var lastBlocks = map[string]uint64{"moonbeam-2100": 27, "moonbeam-1701": 21}

// books caches the recordings as ledgers.
var (
	books     = map[string]*ledger.Book{}
	directory string
)

func TestMain(m *testing.M) {
	var err error
	if directory, err = os.MkdirTemp("", "journal"); err != nil {
		panic(err)
	}
	code := m.Run()
	for _, b := range books {
		b.Close()
	}
	os.RemoveAll(directory)
	os.Exit(code)
}

// bookOf returns a recording as a ledger.
func bookOf(t testing.TB, name string) *ledger.Book {
	if books[name] != nil {
		return books[name]
	}
	ctx := context.Background()
	src, err := answers.OpenDirectory("../../../testdata/recordings/" + name)
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	book, err := ledger.OpenWriter(ctx, filepath.Join(directory, name+".db"))
	require.NoError(t, err)
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0))
	var entries []*ledger.Entry
	prover := prove.Prover{Reader: reader, Concurrency: 2}
	for p, err := range prover.Range(ctx, chain.Heights{Last: lastBlocks[name]}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, book.Write(ctx, entries))
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	books[name] = book
	return book
}

// question selects accounts in a range of heights.
func question(accounts []chain.Address, first, last uint64) journal.Selection {
	span := chain.Heights{First: first, Last: last}
	return journal.Selection{Accounts: accounts, Period: ledger.Period{Heights: chain.Some(span)}, Span: chain.Some(span)}
}

// recorded contains recorded balances by account and height.
type recorded = ledgertest.Balances

// accountsOf returns all accounts, sorted.
func accountsOf(r recorded) (list []chain.Address) {
	for a := range r {
		list = append(list, a)
	}
	slices.SortFunc(list, chain.Address.Compare)
	return list
}

// namesOf parses a file of names.
func namesOf(file string) (*journal.Names, error) {
	book, err := addressbook.Read(strings.NewReader(file))
	if err != nil {
		return nil, err
	}
	return journal.NewNames(book)
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

// sent is a transaction with its charge, determined from events and balances when the blocks were
// recorded.
type sent struct {
	Family  string `json:"family"`
	From    string `json:"from"`
	Charged string `json:"charged_wei"`
	EthHash string `json:"ethHash"`
	XtHash  string `json:"xtHash"`
}

func sentIn(t testing.TB, name string) []sent {
	text, err := os.ReadFile("../../../testdata/recordings/" + name + "/sent.json")
	require.NoError(t, err)
	var file struct {
		Sent []sent `json:"sent"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Sent)
	return file.Sent
}

// charges returns the charges by account of a fee journal, in wei: expenses by layer, and negative amounts for the
// payers' assets.
func charges(t testing.TB, name string) map[string]*big.Int {
	sums := map[string]*big.Int{}
	add := func(account string, n *big.Int) {
		if sums[account] == nil {
			sums[account] = new(big.Int)
		}
		sums[account].Add(sums[account], n)
	}
	for _, s := range sentIn(t, name) {
		n, ok := new(big.Int).SetString(s.Charged, 10)
		require.True(t, ok)
		layer := map[string]string{"evm": "EVM", "native": "Native"}[s.Family]
		add("Expenses:Fees:"+layer, n)
		add("Assets:"+address(t, s.From).String(), new(big.Int).Neg(n))
	}
	return sums
}

// style returns Moonbeam's style.
func style() journal.Request {
	return journal.Request{Network: "moonbeam", Token: console.Token{Symbol: "GLMR"}, Title: "a test"}
}

// all reads all payments.
func all(t testing.TB, payments *journal.Payments) (list []*journal.Payment) {
	for p, err := range payments.All(context.Background()) {
		require.NoError(t, err)
		list = append(list, p)
	}
	return list
}

// feesOf returns the fee journal of all recorded accounts.
func feesOf(t testing.TB, name string, s journal.Request) *journal.Journal {
	payments, err := journal.Find(context.Background(), bookOf(t, name), question(accountsOf(ledgertest.RecordedBalances(t, name)), 0, lastBlocks[name]))
	require.NoError(t, err)
	count, _ := payments.Undetermined()
	require.Zero(t, count)
	require.Len(t, all(t, payments), len(sentIn(t, name)))
	j, err := journal.FeeJournal(context.Background(), payments, s)
	require.NoError(t, err)
	return j
}

// movementsOf returns the journal of all movements of the recorded accounts in a range.
func movementsOf(t testing.TB, name string, first, last uint64, s journal.Request) *journal.Journal {
	ctx, book, balances := context.Background(), bookOf(t, name), ledgertest.RecordedBalances(t, name)
	payments, err := journal.Find(ctx, book, question(accountsOf(balances), first, last))
	require.NoError(t, err)
	j, err := journal.MovementJournal(ctx, payments, balances, s)
	require.NoError(t, err)
	return j
}

// written returns a journal in a program's format.
func written(t testing.TB, j *journal.Journal, p journal.Format) string {
	var out bytes.Buffer
	require.NoError(t, j.Write(context.Background(), &out, p))
	return out.String()
}
