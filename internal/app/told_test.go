package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Who looks at a follower is given its ledger while it is written, and told of each head.
func TestFollowTells(t *testing.T) {
	c, reader := made(18, 5)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var opened *app.Ledger
	var newest atomic.Uint64
	err := app.Follow(ctx, file(t), app.FollowOptions{
		FillOptions: app.FillOptions{Reader: reader, Opened: func(d *app.Ledger) { opened = d }},
		Heads:       source.Poll(reader.Source, time.Millisecond), Heard: newest.Store, From: chain.Some[uint64](3),
		Lag: func(height, _ uint64) {
			s, err := opened.Status(t.Context())
			require.NoError(t, err)
			require.Equal(t, height, must(t, s.Stored).Last)
			require.Equal(t, height, must(t, s.Sealed))
			if c.SetHead(7); height == 7 {
				cancel()
			}
		},
	})
	require.Equal(t, failure.Stopped, app.KindOf(err))
	require.EqualValues(t, 7, newest.Load())
}

// Who looks at a worker is given its ledger, and told of its jobs.
func TestWorkTells(t *testing.T) {
	_, reader := made(19, 30)
	place := postgrestest.Start(t).Database(t)
	_, err := app.Enqueue(t.Context(), place, blocks(t, "1..30"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	var mu sync.Mutex
	var done []queue.Outcome
	opened := 0
	require.NoError(t, app.Work(t.Context(), place, app.WorkOptions{
		FillOptions: app.FillOptions{Reader: reader, Opened: func(d *app.Ledger) {
			opened++
			_, err := d.Status(t.Context())
			require.NoError(t, err)
		}},
		Jobs: 1, UntilDone: true, Waiting: func(error) {},
		Began: func() func(queue.Outcome) {
			return func(o queue.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				done = append(done, o)
			}
		},
	}))
	require.Equal(t, []queue.Outcome{queue.Done}, done)
	require.Equal(t, 1, opened)
}

// Whatever became of the file of an open ledger, it cannot be read then.
func TestReadableOfADestroyedFile(t *testing.T) {
	noise := bytes.Repeat([]byte("no ledger "), 1000)
	for name, destroy := range map[string]func(path string) error{
		"overwritten":  func(path string) error { return os.WriteFile(path, noise, 0o600) },
		"emptied":      func(path string) error { return os.Truncate(path, 0) },
		"cut":          func(path string) error { return os.Truncate(path, 8192) },
		"taken away":   os.Remove,
		"noise there":  func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, noise, 0o600)) },
		"another file": func(path string) error { return os.Rename(copied(t), path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := copied(t)
			d := opened(t, path)
			require.NoError(t, d.Readable(t.Context()))
			require.NoError(t, destroy(path))
			require.EqualError(t, d.Readable(t.Context()), "the ledger cannot be read")
		})
	}
}

// A ledger can be read also where nothing is sealed, and not where it is closed.
func TestReadable(t *testing.T) {
	d := opened(t, copied(t))
	require.NoError(t, d.Readable(t.Context()))
	other, err := app.Open(t.Context(), d.Place, d.Tables)
	require.NoError(t, err)
	require.NoError(t, other.Close())
	require.EqualError(t, other.Readable(t.Context()), "the ledger cannot be read")

	begun, err := app.OpenWriter(t.Context(), file(t), network.BuiltIn())
	require.NoError(t, err)
	defer begun.Close()
	require.NoError(t, begun.Book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 0))
	require.NoError(t, begun.Readable(t.Context()))
}
