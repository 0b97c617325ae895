package report_test

import (
	"context"
	"encoding/json"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const recordings = "../../../testdata/recordings/"

// heads maps the recordings to their newest blocks.
var heads = map[string]uint64{"moonbeam-2100": 27, "moonbeam-1701": 21}

// recorded opens one of the recordings.
func recorded(t testing.TB, name string) *source.Reader {
	src, err := answers.OpenDirectory(recordings + name)
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// generated returns sample blocks up to a head.
func generated(head uint64) *source.Reader {
	made := chaingen.New(chaingen.Options{Seed: 7, Head: head})
	return &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}
}

// kept returns a ledger of the blocks up to a head, with the reports it was made from.
func kept(t testing.TB, reader *source.Reader, head uint64) (*ledger.Book, []*evidence.Report) {
	return keptFrom(t, reader, 0, head)
}

// keptFrom returns a ledger of the blocks from the first up to a head, with the changes of their reports.
func keptFrom(t testing.TB, reader *source.Reader, first, head uint64, changes ...func(*evidence.Report)) (*ledger.Book, []*evidence.Report) {
	ctx := context.Background()
	book, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, first))
	var entries []*ledger.Entry
	var reports []*evidence.Report
	prover := prove.Prover{Reader: reader, Concurrency: 2}
	for p, err := range prover.Range(ctx, chain.Heights{First: first, Last: head}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		for _, change := range changes {
			change(p.Report)
		}
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries, reports = append(entries, e), append(reports, p.Report)
	}
	require.NoError(t, book.Write(ctx, entries))
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	return book, reports
}

// heights selects a range of heights.
func heights(first, last uint64) ledger.Period {
	return ledger.Period{Heights: chain.Some(chain.Heights{First: first, Last: last})}
}

// days selects the time from the start of one day to that of another.
func days(t testing.TB, from, to string, zone *time.Location) ledger.Period {
	at := func(day string) chain.Time {
		start, err := time.ParseInLocation(time.DateOnly, day, zone)
		require.NoError(t, err)
		converted, err := chain.TimeAt(uint64(start.UnixMilli()))
		require.NoError(t, err)
		return converted
	}
	return ledger.Period{From: at(from), To: at(to)}
}

// paid returns the groups with transactions.
func paid(groups []*report.Group) []*report.Group {
	return slices.DeleteFunc(slices.Clone(groups), func(g *report.Group) bool { return g.EVM+g.Native == 0 })
}

// made returns the report of a period.
func made(t testing.TB, book *ledger.Book, q report.Request) *report.Report {
	cover, err := book.Cover(context.Background(), q.Period)
	require.NoError(t, err)
	q.Cover, q.Network, q.Symbol, q.Name = cover, "moonbeam", "GLMR", "the test's period"
	if span, ok := cover.Span.Get(); ok { // the first seven of each period are proved
		q.Evidence = evidence.Recorded(span.Blocks()).By(chain.Anchor{Height: 16_796_696, Hash: chain.Hash{0xef, 8}}, min(7, span.Blocks()))
	} else {
		q.Evidence = evidence.Recorded(0)
	}
	for _, lack := range cover.Lacks {
		q.Partial = append(q.Partial, "Known part: it lacks "+lack)
	}
	r, err := report.Make(context.Background(), book, q, func(done, total uint64) { require.LessOrEqual(t, done, total) })
	require.NoError(t, err)
	return r
}

// sent is a transaction of the recordings, with the charge observed when they were made.
type sent struct {
	Family  string `json:"family"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
	From    string `json:"from"`
}

func sentIn(t testing.TB, name string) []sent {
	text, err := os.ReadFile(recordings + name + "/sent.json")
	require.NoError(t, err)
	var file struct {
		Sent []sent `json:"sent"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Sent)
	return file.Sent
}

func number(t testing.TB, text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

func location(t testing.TB, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}
