package ledger_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

var ctx = context.Background()

const recordings = "../../testdata/recordings/"

// recording is a recorded chain, judged.
type recording struct {
	name    string
	last    uint64
	id      ledger.Identity
	proved  []prove.Proved
	entries []*ledger.Entry
}

var (
	recording2100 = sync.OnceValue(func() *recording { return readRecording("moonbeam-2100", 27) })
	recording1701 = sync.OnceValue(func() *recording { return readRecording("moonbeam-1701", 21) })
)

// both runs a test on both recordings.
func both(t *testing.T, test func(*testing.T, *recording)) {
	for _, r := range []*recording{recording2100(), recording1701()} {
		t.Run(r.name, func(t *testing.T) { test(t, r) })
	}
}

func readRecording(name string, last uint64) *recording {
	src, err := answers.OpenDirectory(recordings + name)
	must(err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	r := &recording{name: name, last: last}
	prover := prove.Prover{Reader: reader, Concurrency: 2, Options: evidence.Options{Signatures: true}}
	for p, err := range prover.Range(ctx, chain.Heights{First: 0, Last: last}, chain.Optional[evidence.Predecessor]{}) {
		must(err)
		r.proved = append(r.proved, p)
		e, err := ledger.NewEntry(p.Block, p.Report)
		must(err)
		r.entries = append(r.entries, e)
	}
	r.id = ledger.Identity{Network: "moonbeam", Genesis: chain.Some(r.proved[0].Block.Hash)}
	return r
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// made is a sample block that can be changed before it becomes an entry.
type made struct {
	*chain.Block
	*evidence.Report
}

// trusted is the checkpoint of every other pair of the sample blocks.
var trusted = chain.Anchor{Height: 1 << 20, Hash: chain.Hash{7}}

// makeBlock returns a final block on top of another, with one EVM transaction. Its time is 6 seconds after its parent's.
func makeBlock(height uint64, hash, parent chain.Hash, wei string) made {
	b := &chain.Block{Number: height, Hash: hash, ParentHash: parent, Finalized: chain.Some(true)}
	amount, err := chain.ParseWei(wei)
	must(err)
	payer := chain.Address20([20]byte{19: byte(height % 5)})
	r := &evidence.Report{Report: &fee.Report{
		Network: "moonbeam", Rules: "made up", Number: height, Hash: hash, ParentHash: parent, Finalized: b.Finalized,
	}}
	r.Transactions = []evidence.Transaction{{Transaction: &fee.Transaction{
		Index: 1, Layer: fee.EVM, Type: chain.Some(chain.TransactionType("legacy")), Call: "ethereum.transact", Hash: sha256.Sum256(hash[:]),
		From: chain.Some(payer), To: chain.Some(chain.Address20([20]byte{1, 19: byte(height % 3)})), Payer: chain.Some(payer),
		Gas: chain.Some(chain.NewGas(21_000)), Fee: chain.Some(amount), Success: chain.Some(height%4 != 0),
		Outcome: chain.Some(map[bool]fee.Outcome{true: fee.Reverted, false: fee.Succeeded}[height%4 == 0]),
	}}}
	r.Totals.EVM, r.Totals.Fee, r.Totals.EVMFee = 1, amount, amount
	if height < trusted.Height && height%4 < 2 {
		r.Evidence = evidence.Recorded(1).By(trusted, 1)
	}
	return made{b, r}.at(1_700_000_000_000 + height*6_000)
}

// at sets the time of the block, in milliseconds since 1970.
func (m made) at(ms uint64) made {
	m.Block.Extrinsics = []chain.Extrinsic{{Pallet: "timestamp", Call: "set", Args: chain.Values{chain.Uint64Value(ms)}}}
	at, err := m.Block.Time()
	must(err)
	m.Report.Time = at
	return m
}

// unpaid removes the payer of the block's transaction, and thus its fee.
func (m made) unpaid() {
	x := m.Report.Transactions[0]
	x.Payer, x.Fee = chain.Optional[chain.Address]{}, chain.Optional[chain.Wei]{}
	m.Report.Totals.Fee, m.Report.Totals.EVMFee, m.Report.Totals.Undetermined = chain.Wei{}, chain.Wei{}, 1
}

// event adds an event to the block's initialisation.
func (m made) event(pallet, name, data string) made {
	b, err := sidecar.DecodeBlock(blocktest.Text(`"onInitialize":{"events":[` + blocktest.EventText(pallet+"."+name, data) + `]},"extrinsics":[]`))
	must(err)
	e := b.OnInitialize[0]
	e.Name = name // perhaps not UTF-8
	m.Block.OnInitialize = append(m.Block.OnInitialize, e)
	reported, _ := m.Block.Reported.(blocktest.Data)
	m.Block.Reported = blocktest.Data{chain.OnInitialize: append(reported[chain.OnInitialize], data)}
	return m
}

func (m made) entry(t testing.TB) *ledger.Entry {
	e, err := ledger.NewEntry(m.Block, m.Report)
	require.NoError(t, err)
	return e
}

// hashOf returns the hash of a sample block on one of several branches.
func hashOf(height uint64, branch byte) chain.Hash {
	return sha256.Sum256([]byte(fmt.Sprint("block ", height, " of branch ", branch)))
}

// madeUp returns entries of consecutive blocks, with fees by a seed. Some have a movement, a finding or an unknown event.
func madeUp(first, count uint64) (list []*ledger.Entry) {
	random := rand.New(rand.NewPCG(1, 2))
	for h := first; h < first+count; h++ {
		var parent chain.Hash
		if h > 0 {
			parent = hashOf(h-1, 0)
		}
		e, err := func() (*ledger.Entry, error) {
			m := makeBlock(h, hashOf(h, 0), parent, strconv.FormatUint(random.Uint64(), 10))
			m.event("balances", "Deposit", `["0x00000000000000000000000000000000000000aa","`+strconv.FormatUint(h+1, 10)+`"]`)
			if h%7 == 0 {
				m.event("balances", "Mystery", `[`+strconv.FormatUint(h, 10)+`]`)
				m.Findings = []evidence.Finding{{Check: "made-up", Block: h, Message: "nothing"}}
			}
			return ledger.NewEntry(m.Block, m.Report)
		}()
		must(err)
		list = append(list, e)
	}
	return list
}

var madeUpChain = ledger.Identity{Network: "moonbeam", Genesis: chain.Some(hashOf(0, 0))}

// full returns the blocks of a recording, and two on top with rows in every table.
func full(t testing.TB, r *recording) []*ledger.Entry {
	list := slices.Clone(r.entries)
	for range 2 {
		last := list[len(list)-1]
		m := makeBlock(last.Height()+1, hashOf(last.Height()+1, 0), last.Hash(), "340282366920938463463374607431768")
		for range 2 {
			m.event("balances", "Mystery", `["a"]`).event("balances", "Another", `["b"]`)
			m.event("balances", "Transfer", `["0x00000000000000000000000000000000000000aa","0x00000000000000000000000000000000000000bb","7"]`)
			m.Findings = append(m.Findings, evidence.Finding{Check: "made-up", Extrinsic: chain.Some(1), Message: fmt.Sprint("finding ", len(m.Findings))})
			m.Unanswered = append(m.Unanswered, evidence.FailedRequest{About: "multiplier", At: uint64(len(m.Unanswered)), Why: "it was late"})
			m.Report.Transactions[0].Class = chain.Some(evidence.Class(fmt.Sprint("made-up ", m.Block.Number)))
			m.Report.Transactions[0].Transfers = append(m.Report.Transactions[0].Transfers, evm.Transfer{Token: chain.Address20([20]byte{1}), From: chain.Address20([20]byte{2, byte(len(m.Findings))}), To: chain.Address20([20]byte{3}), Amount: tokens(t, largestToken)})
		}
		list = append(list, m.entry(t))
	}
	return list
}

var (
	largestWei   = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)).String()
	largestToken = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)).String()
)

func tokens(t testing.TB, text string) chain.TokenAmount {
	a, err := chain.ParseTokenAmount(text)
	require.NoError(t, err)
	return a
}

// newFile returns a path for a ledger.
func newFile(t testing.TB) string { return filepath.Join(t.TempDir(), "fees.db") }

// blank is the file of a ledger without blocks: creating the tables takes longer than most tests.
var blank = sync.OnceValue(func() []byte {
	directory, err := os.MkdirTemp("", "fees-blank-")
	must(err)
	defer os.RemoveAll(directory)
	place := filepath.Join(directory, "fees.db")
	book, err := ledger.OpenWriter(ctx, place)
	must(err)
	must(book.Close())
	file, err := os.ReadFile(place)
	must(err)
	return file
})

// writer opens a ledger for writing, and closes it when the test ends. A new file is a copy of blank.
func writer(t testing.TB, place string) *ledger.Book {
	if _, err := os.Stat(place); !ledger.Postgres(place) && os.IsNotExist(err) {
		require.NoError(t, os.WriteFile(place, blank(), 0o644))
	}
	book, err := ledger.OpenWriter(ctx, place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// reader opens a ledger for reading, and closes it when the test ends.
func reader(t testing.TB, place string) *ledger.Book {
	book, err := ledger.Open(ctx, place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// written returns a ledger with entries, all sealed.
func written(t testing.TB, place string, id ledger.Identity, entries []*ledger.Entry) *ledger.Book {
	book := writer(t, place)
	require.NoError(t, book.Begin(ctx, id, entries[0].Height()))
	require.NoError(t, book.Write(ctx, entries))
	sealAll(t, book)
	return book
}

// copied returns a copy of a ledger that is not open.
func copied(t testing.TB, place string) string {
	t.Helper()
	if ledger.Postgres(place) {
		return postgrestest.Start(t).Copy(t, place)
	}
	require.NoFileExists(t, place+"-wal")
	file, err := os.ReadFile(place)
	require.NoError(t, err)
	another := newFile(t)
	require.NoError(t, os.WriteFile(another, file, 0o600))
	return another
}

func sealAll(t testing.TB, book *ledger.Book) uint64 {
	n, err := book.Seal(ctx)
	require.NoError(t, err)
	return n
}

func statusOf(t testing.TB, book *ledger.Book) ledger.Status {
	s, err := book.Status(ctx)
	require.NoError(t, err)
	return s
}

// verified requires a ledger without damage.
func verified(t testing.TB, book *ledger.Book) {
	t.Helper()
	require.Empty(t, damages(t, book))
}

// damages returns what a verification of the ledger finds.
func damages(t testing.TB, book *ledger.Book) (list []ledger.Damage) {
	t.Helper()
	require.NoError(t, book.Verify(ctx, func(d ledger.Damage) {
		if d.Table != "kept" { // the copy of a table that a test alters
			list = append(list, d)
		}
	}, func(_, _ uint64) {}))
	return list
}

// database accesses the ledger's database with plain SQL.
type database struct {
	*sql.DB
	postgres bool
}

func openSQL(t testing.TB, place string) database {
	d := database{postgres: ledger.Postgres(place)}
	var err error
	if d.postgres {
		d.DB, err = sql.Open("pgx", place)
	} else {
		d.DB, err = sql.Open("sqlite", place+"?_pragma=busy_timeout(10000)&_pragma=legacy_alter_table(1)") // so that renaming a table does not check all views
	}
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func (d database) do(t testing.TB, query string, arguments ...any) {
	t.Helper()
	_, err := d.Exec(d.numbered(query), arguments...)
	require.NoError(t, err, query)
}

// numbered replaces ?1, ?2 by the engine's placeholders.
func (d database) numbered(query string) string {
	if !d.postgres {
		return query
	}
	out := []rune(query)
	for i, c := range out {
		if c == '?' {
			out[i] = '$'
		}
	}
	return string(out)
}

// table reads a query's rows as the driver returns them, and the column names.
func (d database) table(t testing.TB, query string, arguments ...any) (columns []string, list [][]any) {
	t.Helper()
	return ledgertest.Ask(t, d.DB)(d.numbered(query), arguments...)
}

// texts returns a query's rows as text, "null" for null.
func (d database) texts(t testing.TB, query string) (list [][]string) {
	t.Helper()
	_, rows := d.table(t, query)
	for _, r := range rows {
		line := make([]string, len(r))
		for i, v := range r {
			line[i] = textOf(v)
		}
		list = append(list, line)
	}
	return list
}

func textOf(v any) string {
	if v == nil {
		return "null"
	}
	if b, ok := v.([]byte); ok {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprint(v)
}

// names returns the tables or views of the database.
func (d database) names(t testing.TB, kind string) (list []string) {
	query := "SELECT name FROM sqlite_master WHERE type = '" + kind + "' AND name NOT LIKE 'sqlite_%' ORDER BY name"
	if d.postgres {
		query = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND NOT relispartition AND relkind IN (" +
			map[string]string{"table": "'r', 'p'", "view": "'v'"}[kind] + ") ORDER BY relname COLLATE \"C\""
	}
	for _, r := range d.texts(t, query) {
		list = append(list, r[0])
	}
	require.NotEmpty(t, list)
	return list
}

// column is a column of a table, from the database's catalogue.
type column struct {
	name, kind string
	key        bool
}

func (d database) columns(t testing.TB, table string) (list []column) {
	query := "SELECT name, type, pk > 0 FROM pragma_table_info('" + table + "') ORDER BY cid"
	if d.postgres {
		query = `SELECT c.column_name::text, c.data_type::text, EXISTS (SELECT 1 FROM information_schema.key_column_usage k
			JOIN information_schema.table_constraints x USING (constraint_schema, constraint_name)
			WHERE k.table_schema = current_schema() AND k.table_name = c.table_name AND k.column_name = c.column_name AND x.constraint_type = 'PRIMARY KEY')
			FROM information_schema.columns c WHERE c.table_schema = current_schema() AND c.table_name = '` + table + `' ORDER BY c.ordinal_position`
	}
	for _, r := range d.texts(t, query) {
		list = append(list, column{r[0], r[1], r[2] == "1" || r[2] == "true"})
	}
	require.NotEmpty(t, list)
	return list
}

// engines runs a test on a file and on PostgreSQL concurrently. newPlace returns a place for a new ledger.
func engines(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	var both sync.WaitGroup
	both.Go(func() { onFiles(t, test) })
	both.Go(func() { onPostgres(t, test) })
	both.Wait()
}

// enginesInTurn is for tests that change global settings.
func enginesInTurn(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	onFiles(t, test)
	onPostgres(t, test)
}

func onFiles(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, func() string { return newFile(t) }) })
}

func onPostgres(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	t.Run("postgres", func(t *testing.T) {
		server := postgrestest.Start(t)
		test(t, func() string { return server.Database(t) })
	})
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // tests hold little memory, and garbage collection would take a third of the time
	ledger.ScanFirst(1)
	if place := os.Getenv(asWriter); place != "" {
		child(place)
		return
	}
	code := m.Run()
	postgrestest.Stop()
	os.Exit(code)
}

// in returns a query for the rows of a span, of some accounts or all.
func in(span chain.Heights, accounts ...chain.Address) ledger.Query {
	return ledger.Query{Accounts: accounts, Span: span}
}

// each iterates over a ledger's rows.
func each[T any](rows iter.Seq2[T, error], do func(T) error) error {
	for x, err := range rows {
		if err == nil {
			err = do(x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// countOf returns the number of rows, up to an error.
func countOf[T any](rows iter.Seq2[T, error]) (n int, err error) {
	err = each(rows, func(T) error { n++; return nil })
	return n, err
}

// at returns the transaction at a place, if there is one.
func at(book *ledger.Book, height uint64, index int, do func(*ledger.Transaction) error) error {
	t, err := book.TransactionAt(ctx, ledger.Place{Height: height, Row: index})
	if err != nil || t == nil {
		return err
	}
	return do(t)
}
