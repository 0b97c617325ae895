package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A gateway may have only the last part of a chain: its first block is found, and days are found among its blocks. What it
// says of any other block ends the search.
func TestDaysOfAPartOfAChain(t *testing.T) {
	begin, every := time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), 3*time.Hour
	made := chaingen.New(chaingen.Options{Seed: 11, Head: 300, Begin: begin, Every: every})
	const lowest = 100
	lacking := error(nil)
	reader := &source.Reader{Tables: network.BuiltIn(), Source: otherwise{Source: made.Source(), block: func(b *chain.Block) error {
		if b.Number < lowest {
			return lacking
		}
		return nil
	}}}
	sync := func(from, to string) (*app.Filled, error) {
		return app.Sync(t.Context(), file(t), wanted(t, app.PeriodInput{From: from, To: to}), app.FillOptions{Reader: reader})
	}
	// The last block before 1 February begins anywhere, 31 January 10:00 in UTC, and the first after 2 February ended
	// everywhere, 3 February 12:00 in UTC.
	at := func(time time.Time) uint64 { return uint64(time.Sub(begin)/every) + 1 } // the last block up to a time
	first, last := at(time.Date(2025, 1, 31, 10, 0, 0, 0, time.UTC)), at(time.Date(2025, 2, 3, 12, 0, 0, 0, time.UTC))
	for _, lacking = range []error{nil, fmt.Errorf("block: %w", chain.ErrNoBlock)} {
		done, err := sync("2025-02-01", "2025-02-02")
		require.NoError(t, err)
		require.Equal(t, last-first+1, done.Stored)
		require.Equal(t, chain.Heights{First: first, Last: last}, done.Blocks)
	}
	_, err := sync("2025-01-12", "2025-01-13")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	require.ErrorContains(t, err, "no block is as old as 2025-01-13; the first one, 100, is from 2025-01-22T09:00:00Z")
	lacking = errAway
	_, err = sync("2025-02-01", "2025-02-02")
	require.ErrorIs(t, err, errAway)
}
