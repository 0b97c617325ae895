package reconcile_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

const recordings = "../../testdata/recordings/"

// sent is a transaction recorded when it was sent, with the sender's loss of balance, independent of this program.
type sent struct {
	From    string `json:"from"`
	EthHash string `json:"ethHash"`
	XtHash  string `json:"xtHash"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
}

func (s *sent) place() string { return fmt.Sprintf("%d-%d", s.Height, s.Index) }

// hash returns the EVM hash, or the hash of a native extrinsic.
func (s *sent) hash() string {
	if s.EthHash != "" {
		return s.EthHash
	}
	return s.XtHash
}

// token returns the charged amount in the token, computed with math/big.
func (s *sent) token() string {
	wei, _ := new(big.Int).SetString(s.Charged, 10)
	whole, rest := new(big.Int).QuoRem(wei, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil), new(big.Int))
	return fmt.Sprintf("%v.%018v", whole, rest)
}

// allSent returns the transactions of a recording in order of sending.
func allSent(t testing.TB, name string) []*sent {
	text, err := os.ReadFile(recordings + name + "/sent.json")
	require.NoError(t, err)
	var all struct{ Sent []*sent }
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all.Sent)
	return all.Sent
}

// total returns the sum of the charged amounts, computed with math/big.
func total(list []*sent) string {
	sum := new(big.Int)
	for _, s := range list {
		wei, _ := new(big.Int).SetString(s.Charged, 10)
		sum.Add(sum, wei)
	}
	return sum.String()
}

// payers returns all senders.
func payers(t testing.TB, list []*sent) (accounts []chain.Address) {
	for _, s := range list {
		a, err := chain.ParseAddress(s.From)
		require.NoError(t, err)
		accounts = append(accounts, a)
	}
	return accounts
}

// lasts are the highest blocks of the recordings.
var lasts = map[string]uint64{"moonbeam-2100": 27, "moonbeam-1701": 21}

// books are the ledgers of the recordings, filled once.
var books = struct {
	sync.Mutex
	dir    string
	opened map[string]*ledger.Book
}{opened: map[string]*ledger.Book{}}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range books.opened {
		b.Close()
	}
	os.RemoveAll(books.dir)
	os.Exit(code)
}

func book(t testing.TB, name string) *ledger.Book {
	books.Lock()
	defer books.Unlock()
	if books.dir == "" {
		dir, err := os.MkdirTemp("", "reconcile")
		require.NoError(t, err)
		books.dir = dir
	}
	if books.opened[name] == nil {
		books.opened[name] = filled(t, filepath.Join(books.dir, name+".db"), name, chain.Heights{Last: lasts[name]})
	}
	return books.opened[name]
}

// filled returns a ledger with blocks of a recording.
func filled(t testing.TB, place, name string, span chain.Heights) *ledger.Book {
	ctx := context.Background()
	src, err := answers.OpenDirectory(recordings + name)
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	b, err := ledger.OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, b.Begin(ctx, ledger.Identity{Network: "moonbeam"}, span.First))
	before, err := prove.Before(ctx, reader, span.First)
	require.NoError(t, err)
	prover := prove.Prover{Reader: reader, Concurrency: 2}
	var entries []*ledger.Entry
	for p, err := range prover.Range(ctx, span, before) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, b.Write(ctx, entries))
	_, err = b.Seal(ctx)
	require.NoError(t, err)
	return b
}

// grid is a file's contents in any format.
type grid [][]string

// weiGrid contains the hash, fee in wei and payer of each transaction.
func weiGrid(list []*sent) grid {
	g := grid{{"Tx Hash", "fee_wei", "Payer", "memo"}}
	for _, s := range list {
		g = append(g, []string{s.hash(), s.Charged, s.From, "paid, as agreed"})
	}
	return g
}

// csv returns the file as csv with a separator.
func (g grid) csv(separator rune) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = separator
	_ = w.WriteAll(g) // to memory
	return out.String()
}

// xlsx returns the file as excelize writes it: each cell as text.
func (g grid) xlsx(t testing.TB, change func(*excelize.File)) string {
	f := excelize.NewFile()
	for i, line := range g {
		for k, text := range line {
			at, err := excelize.CoordinatesToCellName(k+1, i+1)
			require.NoError(t, err)
			require.NoError(t, f.SetCellStr("Sheet1", at, text))
		}
	}
	if change != nil {
		change(f)
	}
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	return out.String()
}

// readAll returns the rows of a file.
func readAll(in io.Reader, o reconcile.Options) (rows []reconcile.Row, err error) {
	f, err := reconcile.ReadFile(context.Background(), in, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for row, err := range f.Rows.All() {
		if err != nil {
			return nil, err
		}
		rows = append(rows, *row)
	}
	return rows, nil
}

// each returns rows in the form that Match expects.
func each(rows []reconcile.Row) iter.Seq2[*reconcile.Row, error] {
	return func(yield func(*reconcile.Row, error) bool) {
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}

// items returns the items of a result.
func items(t testing.TB, r *reconcile.Result) (list []reconcile.Item) {
	for i, err := range r.Items() {
		require.NoError(t, err)
		list = append(list, *i)
	}
	return list
}

// read requires a file to be readable.
func read(t testing.TB, text string, o reconcile.Options) []reconcile.Row {
	rows, err := readAll(strings.NewReader(text), o)
	require.NoError(t, err)
	return rows
}

// match requires rows to be comparable.
func match(t testing.TB, b reconcile.Book, rows []reconcile.Row, o reconcile.Options) *reconcile.Result {
	r, err := reconcile.Match(context.Background(), b, each(rows), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// matched returns a file and its comparison with the ledger of the first recording.
func matched(t testing.TB, text string, o reconcile.Options, about ...any) (*reconcile.File, *reconcile.Result) {
	t.Helper()
	return matchedIn(t, book(t, "moonbeam-2100"), text, o, about...)
}

// matchedIn is matched for any ledger.
func matchedIn(t testing.TB, b reconcile.Book, text string, o reconcile.Options, about ...any) (*reconcile.File, *reconcile.Result) {
	t.Helper()
	f, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
	require.NoError(t, err, about...)
	t.Cleanup(func() { f.Close() })
	r, err := reconcile.Match(t.Context(), b, f.Rows.All(), f.Matching(o))
	require.NoError(t, err, about...)
	t.Cleanup(func() { r.Close() })
	return f, r
}

// workbook opens a file as excelize reads it.
func workbook(t testing.TB, text string) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(strings.NewReader(text))
	require.NoError(t, err)
	return f
}

// sum returns the sum of an outcome.
func sum(t testing.TB, r *reconcile.Result, o reconcile.Outcome) reconcile.Sum {
	for _, s := range r.Sums {
		if s.Outcome == o {
			return s
		}
	}
	require.Fail(t, "no such outcome", o)
	return reconcile.Sum{}
}

// counts returns the outcomes that occur, with their counts.
func counts(r *reconcile.Result) map[reconcile.Outcome]int {
	found := map[reconcile.Outcome]int{}
	for _, s := range r.Sums {
		if s.Count > 0 {
			found[s.Outcome] = s.Count
		}
	}
	return found
}

// heights returns a period of blocks.
func heights(first, last uint64) chain.Optional[ledger.Period] {
	return chain.Some(ledger.Period{Heights: chain.Some(chain.Heights{First: first, Last: last})})
}

// times returns a period of times, without its end.
func times(t testing.TB, from, to string) chain.Optional[ledger.Period] {
	return chain.Some(ledger.Period{From: timeAt(t, from), To: timeAt(t, to)})
}

func timeAt(t testing.TB, text string) chain.Time {
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	converted, err := chain.TimeAt(uint64(at.UnixMilli()))
	require.NoError(t, err)
	return converted
}

func wei(t testing.TB, text string) chain.Wei {
	w, err := chain.ParseWei(text)
	require.NoError(t, err)
	return w
}

// with returns options with the settings of a way.
func with(o reconcile.Options, list []reconcile.Setting) reconcile.Options {
	for _, s := range list {
		first, _ := utf8.DecodeRuneInString(s.Value)
		switch s.Name {
		case "sheet":
			o.Sheet = s.Value
		case "encoding":
			o.Encoding = reconcile.Encoding(s.Value)
		case "header-row":
			o.HeaderRow, _ = strconv.Atoi(s.Value)
		case "skip-rows":
			o.SkipRows = slices.Clone(o.SkipRows)
			for text := range strings.SplitSeq(s.Value, ",") {
				n, _ := strconv.Atoi(text)
				o.SkipRows = append(o.SkipRows, n)
			}
		case "map":
			columns := map[reconcile.Field]string{}
			for field, name := range o.Columns {
				columns[field] = name
			}
			field, name, _ := strings.Cut(s.Value, "=")
			columns[reconcile.Field(field)] = name
			o.Columns = columns
		case "unit":
			o.Unit = reconcile.Unit(s.Value)
		case "negative":
			o.Negative = true
		case "decimal":
			o.Decimal = first
		case "thousands":
			o.Thousands = first
		case "date-format":
			o.DateFormat = s.Value
		}
	}
	return o
}
