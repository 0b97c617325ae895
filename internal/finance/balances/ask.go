package balances

import (
	"cmp"
	"context"
	"iter"
	"sync"
)

// batches is the size of a batch in multiples of the concurrency.
const batches = 16

// ask queries the balances at the given heights concurrently and yields them in that order. An error ends
// the sequence.
func (p *Prover) ask(ctx context.Context, heights iter.Seq[uint64]) iter.Seq2[point, error] {
	workers := cmp.Or(max(p.Concurrency, 0), DefaultConcurrency)
	return func(yield func(point, error) bool) {
		batch := make([]point, 0, workers*batches)
		flush := func() bool {
			if err := p.fill(ctx, batch, workers); err != nil {
				yield(point{}, err)
				return false
			}
			for _, at := range batch {
				if !yield(at, nil) {
					return false
				}
			}
			batch = batch[:0]
			return true
		}
		for h := range heights {
			if batch = append(batch, point{height: h}); len(batch) == cap(batch) && !flush() {
				return
			}
		}
		flush()
	}
}

// fill queries the balances of a batch. If several queries fail, it returns the error at the lowest
// height.
func (p *Prover) fill(ctx context.Context, batch []point, workers int) error {
	failed := make([]error, len(batch))
	next := make(chan int)
	stop := make(chan struct{})
	var once sync.Once
	var mu sync.Mutex // guards asked
	var running sync.WaitGroup
	for range min(workers, len(batch)) {
		running.Go(func() {
			for i := range next {
				at := &batch[i]
				var err error
				if at.Balance, err = p.Reader.Balance(ctx, p.Account, at.height); err != nil {
					failed[i] = &ReadError{p.Account, at.height, err}
					once.Do(func() { close(stop) })
					continue
				}
				mu.Lock()
				p.asked++
				if p.Progress != nil {
					p.Progress(p.asked, max(p.asked, p.expected))
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range batch {
		select {
		case next <- i:
		case <-stop:
			break feed
		}
	}
	close(next)
	running.Wait()
	return cmp.Or(failed...)
}
