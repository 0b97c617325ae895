package main

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/badnetwork"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// workers fill a shared ledger through the queue, as fees worker does, each with its own connection. If the first block
// is held back, nothing can be sealed while they store, so that sealing is measured separately.
type workers struct {
	place    string
	reader   *source.Reader
	number   int
	keptBack bool
}

// slowed returns the address of a database behind a network with latency.
func slowed(place string, latency time.Duration) (string, error) {
	if latency == 0 {
		return place, nil
	}
	address, err := url.Parse(place)
	if err != nil {
		return "", err
	}
	n, err := badnetwork.New(address.Host, latency/2)
	if err != nil {
		return "", err
	}
	address.Host = n.Address()
	return address.String(), nil
}

// fill imports n blocks, and prints the rate of each tenth.
func (w *workers) fill(ctx context.Context, n uint64) error {
	book, err := ledger.OpenShared(ctx, w.place)
	if err != nil {
		return err
	}
	defer book.Close()
	genesis, err := w.reader.Source.Block(ctx, 0)
	if err != nil {
		return err
	}
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam", Genesis: chain.Some(genesis.Hash)}, 0); err != nil {
		return err
	}
	jobs := chain.Heights{Last: n - 1}
	if w.keptBack {
		jobs.First = 1
	}
	if _, err := queue.Enqueue(ctx, book, []chain.Heights{jobs}, 200); err != nil {
		return err
	}
	start := time.Now()
	ctx, end := context.WithCancel(ctx)
	defer end()
	go w.watch(ctx, book, n)
	failed := make([]error, w.number)
	var working sync.WaitGroup
	for i := range failed {
		working.Go(func() { failed[i] = w.work(ctx) })
	}
	working.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	show("import by workers", "%.0f blocks/s", float64(n)/time.Since(start).Seconds())
	if !w.keptBack {
		return nil
	}
	for e, err := range w.judge(ctx, chain.Heights{}) {
		if err == nil {
			err = book.Write(ctx, []*ledger.Entry{e})
		}
		if err != nil {
			return err
		}
	}
	start = time.Now()
	_, err = book.Seal(ctx)
	show("sealing only", "%.0f blocks/s", float64(n)/time.Since(start).Seconds())
	return err
}

// watch prints the rate of each tenth.
func (w *workers) watch(ctx context.Context, book *ledger.Book, n uint64) {
	began, tenths := time.Now(), uint64(0)
	for ctx.Err() == nil {
		jobs, err := queue.Jobs(ctx, book)
		if all := jobs.Done + jobs.Left(); err == nil && all > 0 && jobs.Done*10 >= (tenths+1)*all {
			tenths++
			show("a tenth", "%.0f blocks/s", float64(n)/10/time.Since(began).Seconds())
			began = time.Now()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (w *workers) work(ctx context.Context) error {
	book, err := ledger.OpenShared(ctx, w.place)
	if err != nil {
		return err
	}
	defer book.Close()
	return queue.Work(ctx, book, w.judge, queue.Options{Jobs: 2, UntilDone: true})
}

func (w *workers) judge(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		var before chain.Optional[evidence.Predecessor]
		if span.First > 0 {
			var err error
			if before, err = prove.Before(ctx, w.reader, span.First); err != nil {
				yield(nil, err)
				return
			}
		}
		prover := prove.Prover{Reader: w.reader, Concurrency: 2}
		for x, err := range prover.Range(ctx, span, before) {
			var e *ledger.Entry
			if err == nil {
				e, err = ledger.NewEntry(x.Block, x.Report)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
