package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// coveredBook contains blocks 3 to 20 of the recording; 19 and 20 are not sealed because 18 is missing.
func coveredBook(t *testing.T, place string) *ledger.Book {
	r := recording2100()
	book := writer(t, place)
	require.NoError(t, book.Begin(ctx, r.id, 3))
	require.NoError(t, book.Write(ctx, r.entries[3:18]))
	require.NoError(t, book.Write(ctx, r.entries[19:21]))
	sealAll(t, book)
	return book
}

func heights(first, last uint64) ledger.Period {
	return ledger.Period{Heights: chain.Some(chain.Heights{First: first, Last: last})}
}

// Block h of the recording, from 2 on, was made 12 × (h - 1) seconds after the year began.
func times(t *testing.T, from, to string) ledger.Period {
	return ledger.Period{From: timeAt(t, "2026-01-01T00:"+from+"Z"), To: timeAt(t, "2026-01-01T00:"+to+"Z")}
}

func TestCover(t *testing.T) { engines(t, testCover) }

func testCover(t *testing.T, newPlace func() string) {
	book := coveredBook(t, newPlace())
	for name, test := range map[string]struct {
		period ledger.Period
		span   string // "" is none
		lacks  []string
	}{
		"all":            {heights(3, 17), "3..17", nil},
		"one":            {heights(17, 17), "17..17", nil},
		"below":          {heights(2, 4), "3..4", []string{"blocks 2..2: the ledger starts at block 3"}},
		"above":          {heights(17, 18), "17..17", []string{"blocks 18..18: the ledger is sealed up to block 17"}},
		"not sealed":     {heights(19, 20), "", []string{"blocks 19..20: the ledger is sealed up to block 17"}},
		"around":         {heights(0, 30), "3..17", []string{"blocks 0..2: the ledger starts at block 3", "blocks 18..30: the ledger is sealed up to block 17"}},
		"times within":   {times(t, "00:36", "03:12"), "4..16", nil},
		"times, first":   {times(t, "00:24", "03:12"), "3..16", []string{"its beginning: the ledger starts at block 3 (2026-01-01T00:00:24Z)"}},
		"times, last":    {times(t, "00:36", "03:13"), "4..17", []string{"its end: the ledger is sealed up to block 17 (2026-01-01T00:03:12Z)"}},
		"times, between": {times(t, "00:37", "00:48"), "", nil},
		"times, above":   {times(t, "03:30", "03:40"), "", []string{"its end: the ledger is sealed up to block 17 (2026-01-01T00:03:12Z)"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := book.Cover(ctx, test.period)
			require.NoError(t, err)
			have := ""
			if span, ok := c.Span.Get(); ok {
				have = span.String()
			}
			require.Equal(t, test.span, have)
			require.Equal(t, test.lacks, c.Lacks)
			require.Equal(t, name == "times, first", c.LacksBeginning())
			require.Equal(t, name == "times, last" || name == "times, above", c.LacksEnd())
		})
	}
	for _, reversed := range []ledger.Period{times(t, "02:00", "01:00"), heights(5, 4)} {
		_, err := book.Cover(ctx, reversed)
		require.ErrorIs(t, err, ledger.ErrPeriod)
	}
}

func TestCoverOfNothing(t *testing.T) {
	book := writer(t, newFile(t))
	require.NoError(t, book.Begin(ctx, recording2100().id, 3))
	c, err := book.Cover(ctx, heights(3, 4))
	require.NoError(t, err)
	require.Equal(t, ledger.Cover{Lacks: []string{"all of it: no block is sealed yet"}}, c)
	_, err = book.Sealed(ctx)
	require.ErrorIs(t, err, ledger.ErrNone)
}

// Block 1 of the recording was made in November, block 2 in the January before: the time goes backwards, and each block is
// in the period of its own time.
func TestPeriodGoesByTheBlocksOwnTime(t *testing.T) {
	r := recording2100()
	book := written(t, newFile(t), r.id, r.entries[:5])
	sealAll(t, book)
	year := ledger.Period{From: timeAt(t, "2026-01-01T00:00:00Z"), To: timeAt(t, "2027-01-01T00:00:00Z")}
	january := ledger.Period{From: year.From, To: timeAt(t, "2026-02-01T00:00:00Z")}
	var found []uint64
	require.NoError(t, each(book.Blocks(ctx, in(chain.Heights{Last: 4})), func(b *ledger.Block) error {
		if january.Has(b.Height, b.Time) {
			found = append(found, b.Height)
		}
		return nil
	}))
	require.Equal(t, []uint64{2, 3, 4}, found)
	outside, err := book.Outside(ctx, january, chain.Heights{First: 1, Last: 4})
	require.NoError(t, err)
	require.Equal(t, []uint64{1}, outside)
	c, err := book.Cover(ctx, january) // it starts with the chain, and block 4 is not the chain's last
	require.NoError(t, err)
	require.Equal(t, chain.Some(chain.Heights{First: 2, Last: 4}), c.Span)
	require.Equal(t, []string{"its end: the ledger is sealed up to block 4 (2026-01-01T00:00:36Z)"}, c.Lacks)
}

// A ledger that has sealed the last block of an ended chain lacks nothing later.
func TestChainEnds(t *testing.T) {
	r := recording2100()
	book := written(t, newFile(t), r.id, r.entries[:5])
	sealAll(t, book)
	year := ledger.Period{From: timeAt(t, "2026-01-01T00:00:00Z"), To: timeAt(t, "2027-01-01T00:00:00Z")}
	lacks := []string{"its end: the ledger is sealed up to block 4 (2026-01-01T00:00:36Z)"}
	for last, want := range map[uint64][]string{5: lacks, 4: nil, 3: nil} {
		book.ChainEnds(last)
		c, err := book.Cover(ctx, year)
		require.NoError(t, err)
		require.Equal(t, want, c.Lacks, last)
		require.Equal(t, chain.Some(chain.Heights{First: 1, Last: 4}), c.Span)
	}
	c, err := book.Cover(ctx, heights(3, 9))
	require.NoError(t, err)
	require.Equal(t, []string{"blocks 5..9: the ledger is sealed up to block 4"}, c.Lacks)
}
