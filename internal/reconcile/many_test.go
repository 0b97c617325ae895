package reconcile_test

import (
	"context"
	"encoding/binary"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

// lines is a header followed by repetitions of a line.
func lines(header, line string, count int) io.Reader {
	return io.MultiReader(strings.NewReader(header), io.LimitReader(&again{line: line}, int64(count*len(line))))
}

type again struct {
	line string
	at   int
}

func (r *again) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.line[r.at]
		r.at = (r.at + 1) % len(r.line)
	}
	return len(p), nil
}

// A file with too many rows is rejected, whatever they contain, before the rest is read. A file with the maximum is read.
func TestTooManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("a million rows")
	}
	const most = 1 << 20
	const header, row = "Extrinsic ID,fee_wei\n", "3-4,5\n"
	f, err := reconcile.ReadFile(t.Context(), lines(header, row, most), reconcile.Options{})
	require.NoError(t, err)
	require.Equal(t, most, f.Rows.Len())
	require.NoError(t, f.Close())
	for name, line := range map[string]string{"good": row, "wrong": "x,5\n", "blank": " , \n"} {
		t.Run(name, func(t *testing.T) {
			in := lines(header, line, 4*most)
			_, err := reconcile.ReadFile(t.Context(), in, reconcile.Options{})
			require.EqualError(t, err, "it has more than 1048576 rows; split it")
			left, err := io.Copy(io.Discard, in)
			require.NoError(t, err)
			require.Greater(t, left, int64(2*most*len(line)))
		})
	}
}

// A workbook that states too many rows is rejected before they are read; another one when the limit is exceeded.
func TestWorkbookWithTooManyRows(t *testing.T) {
	good := grid{{"Extrinsic ID", "fee_wei"}, {"3-4", "5"}}.xlsx(t, nil)
	for name, change := range map[string]func(string) string{
		"by its dimension": func(text string) string {
			return strings.Replace(text, `<dimension ref="A1`, `<dimension ref="A1:B1048578`, 1)
		},
		"by a row": func(text string) string {
			return strings.Replace(text, "</sheetData>", `<row r="1048578"><c r="A1048578"><v>1</v></c></row></sheetData>`, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := changePart(t, good, "xl/worksheets/sheet1.xml", change)
			_, err := readAll(strings.NewReader(text), reconcile.Options{})
			require.ErrorContains(t, err, "it has more than 1048576 rows; split it")
		})
	}
}

// watched are rows; it records the peak heap size while they are read.
type watched struct {
	count int
	hash  func(n int) chain.Hash
	least uint64
	most  uint64
}

func heap() uint64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

func (w *watched) rows() iter.Seq2[*reconcile.Row, error] {
	w.least = heap()
	return func(yield func(*reconcile.Row, error) bool) {
		for n := range w.count {
			if !yield(&reconcile.Row{Line: n + 2, Hash: chain.Some(w.hash(n)), Fee: chain.NewWei(uint64(n))}, nil) {
				return
			}
			if n%20_000 == 0 {
				w.most = max(w.most, heap())
			}
		}
	}
}

// one is a ledger with a single transaction.
type one struct {
	reconcile.Book
	x *ledger.Transaction
}

func (o *one) TransactionsByHash(_ context.Context, hashes ...chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		if slices.Contains(hashes, o.x.Hash) {
			yield(o.x, nil)
		}
	}
}

// Any number of rows that name one transaction, or none, takes little memory, and none of them is lost.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	const count = 100_000
	x := &ledger.Transaction{Cost: ledger.Cost{Height: 3, Index: 4, Charged: chain.Some(chain.NewWei(7))}, Hash: chain.Hash{1}, Final: true}
	for name, c := range map[string]struct {
		hash func(n int) chain.Hash
		want map[reconcile.Outcome]int
	}{
		"of one transaction": {func(int) chain.Hash { return x.Hash }, map[reconcile.Outcome]int{reconcile.AmountDiffers: 1, reconcile.Duplicate: count - 1}},
		"of none": {func(n int) (h chain.Hash) {
			binary.BigEndian.PutUint64(h[8:], uint64(n))
			return h
		}, map[reconcile.Outcome]int{reconcile.OnlyInBooks: count}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watched{count: count, hash: c.hash}
			r, err := reconcile.Match(t.Context(), &one{book(t, "moonbeam-2100"), x}, w.rows(), reconcile.Options{Symbol: "GLMR"})
			require.NoError(t, err)
			require.Equal(t, c.want, counts(r))
			require.Less(t, w.most-min(w.most, w.least), uint64(24<<20))
			n := 0
			for item, err := range r.Items() {
				if err != nil || item.Row.Line != n+2 || item.Row.Hash != chain.Some(c.hash(n)) || item.Books != chain.Some(chain.NewWei(uint64(n))) {
					require.FailNow(t, "another row", "%d: %+v %v", n, item.Row, err)
				}
				n++
			}
			require.Equal(t, count, n)
			for form, write := range map[string]func(io.Writer) error{
				"table": func(w io.Writer) error { return table.WriteTable(w, r.Details(true), 80) },
				"json":  func(w io.Writer) error { return r.WriteJSON(w, true) },
			} {
				out := &looking{}
				before := heap()
				require.NoError(t, write(out))
				require.Greater(t, out.size, count*20)
				require.Less(t, out.most-min(out.most, before), uint64(24<<20), form)
			}
			require.NoError(t, r.Close())
		})
	}
}

// looking records the heap size while it is written to.
type looking struct {
	size, next int
	most       uint64
}

func (l *looking) Write(p []byte) (int, error) {
	if l.size += len(p); l.size >= l.next {
		l.most, l.next = max(l.most, heap()), l.next+2<<20
	}
	return len(p), nil
}
