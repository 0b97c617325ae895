//go:build unix

package queue_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// history records calls, their times and results.
type history struct {
	sync.Mutex
	operations []porcupine.Operation
}

func now() int64 { return time.Now().UnixNano() }

// forever is the return time of a call whose effect is unknown.
const forever = int64(1) << 62

func (h *history) add(input, output any, call, done int64) {
	h.Lock()
	defer h.Unlock()
	h.operations = append(h.operations, porcupine.Operation{Input: input, Output: output, Call: call, Return: done})
}

// The calls of the queue, each for the blocks from a height on.
type (
	enqueued struct{ first uint64 } // returns the number of created jobs
	claimed  struct {
		first uint64
		queue.Attempt
	}
	finished struct { // returns an outcome
		first uint64
		queue.Attempt
	}
)

type outcome string

const (
	stored  outcome = "stored"  // the entries were stored, and the job was completed in the same transaction
	refused outcome = "refused" // the job belongs to another worker
	unknown outcome = "unknown" // the job may be completed, or not
)

// jobState is the state of a job for some blocks; there is at most one at a time.
type jobState struct {
	open  bool
	id    int64     // 0 until it is taken
	given time.Time // when it was given to its worker
}

// jobModel is the specification of the queue: a job has one worker at a time, and only that worker ends it, once.
var jobModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{jobState{}} },
	Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
		byFirst := map[uint64][]porcupine.Operation{}
		made := map[uint64]bool{}
		for _, o := range all {
			first := uint64(0)
			switch in := o.Input.(type) {
			case enqueued:
				first = in.first
				made[first] = true
			case claimed:
				first = in.first
			case finished:
				first = in.first
			}
			byFirst[first] = append(byFirst[first], o)
		}
		for first, list := range byFirst {
			if !made[first] { // the rest of another one
				list = append(list, porcupine.Operation{Input: enqueued{first}, Output: 1})
			}
			parts = append(parts, list)
		}
		return parts
	},
	Step: func(state, input, output any) []any {
		s := state.(jobState)
		switch in := input.(type) {
		case enqueued:
			switch output {
			case 0:
				if s.open {
					return []any{s}
				}
			case 1:
				if !s.open {
					return []any{jobState{open: true}}
				}
			default:
				return []any{s, jobState{open: true}}
			}
		case claimed:
			if s.open && (s.id == 0 || s.id == in.Job) && s.given != in.At {
				return []any{jobState{true, in.Job, in.At}}
			}
		case finished:
			mine := s.open && s.id == in.Job && s.given == in.At
			switch {
			case output == stored && mine:
				return []any{jobState{}}
			case output == refused && !mine:
				return []any{s}
			case output == unknown && mine:
				return []any{s, jobState{}}
			case output == unknown:
				return []any{s}
			}
		}
		return nil
	},
}

// sealed is what a reader saw.
type sealed struct {
	height uint64
	seal   ledger.Seal
}

// sealModel is the specification of the seals: the height only grows, and each height has one seal.
func sealModel(seals []chain.Optional[ledger.Seal]) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return uint64(0) },
		Step: func(state, _, output any) (bool, any) {
			saw := output.(sealed)
			return saw.height >= state.(uint64) && seals[saw.height] == chain.Some(saw.seal), saw.height
		},
	}
}

// sealsByHeight are the seals of an undisturbed ledger sealed block by block, from 1 on.
func sealsByHeight(t *testing.T, last uint64) []chain.Optional[ledger.Seal] {
	ctx := context.Background()
	book, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "quiet.db"))
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, identity, 1))
	seals := make([]chain.Optional[ledger.Seal], 1, last+1)
	for _, e := range entries(t, chain.Heights{First: 1, Last: last}) {
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
		_, err := book.Seal(ctx)
		require.NoError(t, err)
		s, err := book.Status(ctx)
		require.NoError(t, err)
		seals = append(seals, s.Seal)
	}
	return seals
}

// Workers whose server is killed, and whose jobs are given to others meanwhile: the observations of all workers and
// clients are consistent with a queue and seals without faults.
func TestWhatWorkersSawIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a server")
	}
	t.Parallel()
	const last, size = 240, 4
	server := postgrestest.StartOwn(t)
	s := newShared(t, server)
	seals := sealsByHeight(t, last)
	var jobs, reads history
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup

	enqueue := func(first uint64) {
		call := now()
		made, err := queue.Enqueue(ctx, s.Pool(), []chain.Heights{{First: first, Last: first + size - 1}}, size)
		if err != nil {
			jobs.add(enqueued{first}, -1, call, forever)
			return
		}
		jobs.add(enqueued{first}, made, call, now())
	}
	var enqueuers sync.WaitGroup
	for range 3 { // each enqueues everything
		enqueuers.Go(func() {
			for _, k := range rand.Perm(last / size) {
				enqueue(uint64(k*size) + 1)
			}
		})
	}
	enqueuers.Wait()

	judge := func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
		if rand.IntN(3) == 0 { // long enough for another worker to take over
			return slow(200*time.Millisecond)(ctx, span)
		}
		return slow(5*time.Millisecond)(ctx, span)
	}
	watch := func(ctx context.Context, a queue.Attempt, work func(context.Context) error) {
		call := now()
		jobs.add(claimed{a.Span.First, a}, nil, a.At.Add(-time.Millisecond).UnixNano(), call)
		err := work(ctx)
		switch {
		case err == nil:
			jobs.add(finished{a.Span.First, a}, stored, call, now())
		case err != nil && strings.Contains(err.Error(), "was given to another worker"):
			jobs.add(finished{a.Span.First, a}, refused, call, now())
		default:
			jobs.add(finished{a.Span.First, a}, unknown, call, forever)
		}
	}
	for range 3 {
		book, err := ledger.OpenShared(ctx, s.address)
		require.NoError(t, err)
		defer book.Close()
		all.Go(func() {
			err := queue.WorkWatched(ctx, book, judge, queue.Options{Jobs: 2, Limit: limit}, watch)
			if err != nil {
				t.Error(err)
			}
		})
		for range 2 { // seal and read
			all.Go(func() {
				for ctx.Err() == nil {
					book.Seal(ctx)
					call := now()
					if status, err := book.Status(ctx); err == nil {
						height, _ := status.Sealed.Get()
						seal, known := status.Seal.Get()
						if known {
							reads.add(nil, sealed{height, seal}, call, now())
						}
					}
					time.Sleep(rand.N(20 * time.Millisecond))
				}
			})
		}
	}
	all.Go(func() { // running jobs are given to others
		for ctx.Err() == nil {
			time.Sleep(rand.N(30 * time.Millisecond))
			s.Pool().Exec(ctx, "UPDATE jobs SET due = now() WHERE id IN (SELECT id FROM jobs WHERE ended IS NULL AND (taken IS NOT NULL OR error IS NOT NULL) ORDER BY random() LIMIT 2)")
			if rand.IntN(4) == 0 {
				enqueue(rand.Uint64N(last/size)*size + 1)
			}
		}
	})
	for range 3 {
		time.Sleep(rand.N(seconds(0.5)))
		server.Kill()
		time.Sleep(rand.N(seconds(0.2)))
		server.Restart()
	}
	s.eventually("it is never all sealed", func() bool {
		status, err := s.Status(ctx)
		return err == nil && status.Sealed == chain.Some(uint64(last))
	})
	stop()
	all.Wait()

	outcomes := map[outcome]int{}
	for _, o := range jobs.operations {
		if x, ok := o.Output.(outcome); ok {
			outcomes[x]++
		}
	}
	t.Logf("%d calls of the queue (%v), %d reads of the seal", len(jobs.operations), outcomes, len(reads.operations))
	require.Positive(t, outcomes[stored])
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(jobModel.ToModel(), jobs.operations, time.Minute), "the queue")
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(sealModel(seals), reads.operations, time.Minute), "the seals")
	require.Equal(t, chain.Some(quietSeal(t, last)), s.status().Seal)
	s.requireSound()
}
