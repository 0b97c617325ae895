package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// filled is a ledger with blocks of the demo.
func filled(t testing.TB, first, last uint64) *app.Ledger {
	t.Helper()
	place := filepath.Join(t.TempDir(), "fees.db")
	src, err := source.Open(demo.Name, source.Options{})
	require.NoError(t, err)
	wanted, err := app.PeriodInput{Blocks: fmt.Sprintf("%d..%d", first, last)}.ParseWanted()
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
	require.NoError(t, err)
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// A ledger tells what it knows, each of it under its name.
func TestLedger(t *testing.T) {
	at, err := chain.TimeAt(1_700_000_000_500)
	require.NoError(t, err)
	var s app.Status
	s.Network, s.First, s.Blocks, s.NotFinal, s.Unsealed = "a-network", 3, 90, 2, 45
	s.Stored, s.Sealed, s.LastTime = chain.Some(chain.Heights{First: 3, Last: 99}), chain.Some[uint64](40), chain.Some(at)
	s.Gaps = []chain.Heights{{First: 50, Last: 52}, {First: 60, Last: 63}}
	s.Findings, s.Unread, s.Unanswered = 5, 6, 7
	s.Totals.Undetermined, s.Totals.Drifts = 8, 9
	s.Evidence.Proved = 30
	s.Jobs = chain.Some(queue.Summary{Waiting: 1, Running: 2, Retrying: 3, Failed: 4, Done: 5, Oldest: at.Std()})
	m := metrics.New("")
	m.Ledger("", func(context.Context) (app.Status, error) { return s, nil })
	want := map[string]float64{
		"fees_ledger_up": 1, `fees_ledger_info{network="a-network"}`: 1, "fees_ledger_first_height": 3, "fees_ledger_last_height": 99, "fees_ledger_sealed_height": 40,
		"fees_ledger_last_block_timestamp_seconds": 1_700_000_000.5, "fees_ledger_blocks": 90, "fees_ledger_not_final_blocks": 2, "fees_ledger_unsealed_blocks": 45, "fees_ledger_proved_blocks": 30,
		"fees_ledger_gaps": 2, "fees_ledger_missing_blocks": 7, "fees_ledger_unanswered_questions": 7,
		`fees_ledger_findings{kind="check"}`: 5, `fees_ledger_findings{kind="unclassified"}`: 6, `fees_ledger_findings{kind="undetermined"}`: 8, `fees_ledger_findings{kind="drift"}`: 9,
		`fees_ledger_jobs{state="waiting"}`: 1, `fees_ledger_jobs{state="running"}`: 2, `fees_ledger_jobs{state="retrying"}`: 3, `fees_ledger_jobs{state="failed"}`: 4, `fees_ledger_jobs{state="done"}`: 5,
		"fees_ledger_oldest_job_timestamp_seconds": 1_700_000_000.5,
	}
	requireOurs(t, m, "fees_ledger", want)
	requireLint(t, m)
}

// What is not known is absent: the heights of a ledger without blocks, the fees of one where
// nothing is sealed, all of one that cannot be read.
func TestLedgerThatKnowsNothing(t *testing.T) {
	m := metrics.New("")
	m.Ledger("", func(context.Context) (app.Status, error) { return app.Status{}, nil })
	requireOurs(t, m, "fees_ledger", map[string]float64{
		"fees_ledger_up": 1, `fees_ledger_info{network=""}`: 1, "fees_ledger_first_height": 0, "fees_ledger_blocks": 0, "fees_ledger_not_final_blocks": 0, "fees_ledger_unsealed_blocks": 0, "fees_ledger_proved_blocks": 0,
		"fees_ledger_gaps": 0, "fees_ledger_missing_blocks": 0, "fees_ledger_unanswered_questions": 0, `fees_ledger_findings{kind="check"}`: 0, `fees_ledger_findings{kind="unclassified"}`: 0,
	})
	away := metrics.New("")
	away.Ledger("", func(context.Context) (app.Status, error) {
		return app.Status{Status: ledger.Status{Blocks: 4}}, errors.New("away")
	})
	requireOurs(t, away, "fees_ledger", map[string]float64{"fees_ledger_up": 0})
	closed := filled(t, 0, 3)
	f := metrics.New("")
	follow := f.Follow()
	other, err := app.Open(t.Context(), closed.Place, closed.Tables)
	require.NoError(t, err)
	follow.Opened(other)
	require.NoError(t, other.Close())
	requireOurs(t, f, "fees_ledger", map[string]float64{"fees_ledger_up": 0})
}

// However many ask, the ledger is asked once in a while, for a tenth of the time at most, and has
// so much time to answer.
func TestLedgerIsAskedSeldom(t *testing.T) {
	asked, takes := 0, time.Second
	var now time.Time
	m := metrics.New("")
	m.LedgerAt(func(ctx context.Context) (app.Status, error) {
		deadline, bounded := ctx.Deadline()
		require.True(t, bounded)
		require.Less(t, time.Until(deadline), 10*time.Second)
		asked++
		now = now.Add(takes)
		return app.Status{}, nil
	}, func() time.Time { return now })
	scrape := func() { scraped(t, m) }
	scrape()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			m.Page().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
		})
	}
	all.Wait()
	require.Equal(t, 1, asked)
	now = now.Add(9 * time.Second)
	scrape()
	require.Equal(t, 1, asked, "it took a second, so it rests for ten")
	now = now.Add(time.Second)
	takes = time.Millisecond
	scrape()
	require.Equal(t, 2, asked)
	now = now.Add(4 * time.Second)
	scrape()
	require.Equal(t, 2, asked)
	now = now.Add(time.Second)
	scrape()
	require.Equal(t, 3, asked)
}
