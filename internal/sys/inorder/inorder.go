package inorder

import (
	"context"
	"iter"
)

// Map runs work for up to size items concurrently, and yields the results in the order of the items. It starts the next
// items before it yields a result, so that they run while the result is used.
//
// If the caller stops early, Map cancels the context of the work, starts nothing more, and waits for what was started.
func Map[Item, Result any](ctx context.Context, items iter.Seq[Item], size int, work func(context.Context, Item) Result) iter.Seq[Result] {
	return Weighed(ctx, items, size, 0, func(Item) int { return 0 }, work)
}

// Weighed is Map for items of which some may be heavy. Items being worked on and finished results weigh at most
// maxWeight together, or there is only one.
func Weighed[Item, Result any](ctx context.Context, items iter.Seq[Item], size, maxWeight int, weigh func(Item) int, work func(context.Context, Item) Result) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		next, stop := iter.Pull(items)
		w := window[Item, Result]{next: next, size: max(size, 1), maxWeight: maxWeight, weigh: weigh, work: work}
		defer w.workers.Wait()
		defer stop()
		defer cancel() // runs before the two deferred waits
		for w.fill(ctx); len(w.begun) > 0; {
			result := w.take()
			w.fill(ctx)
			if !yield(result) {
				return
			}
		}
	}
}

// window contains the items that were started and whose results were not taken.
type window[Item, Result any] struct {
	next      func() (Item, bool)
	size      int
	maxWeight int
	weigh     func(Item) int
	work      func(context.Context, Item) Result

	begun   []begun[Result] // in the order of the items
	weight  int             // of everything in begun
	waiting *Item           // too heavy to start beside the others
	ended   bool            // no more items
	workers Workers
}

type begun[Result any] struct {
	result chan Result
	weight int
}

// fill starts as many items as fit in the window.
func (w *window[Item, Result]) fill(ctx context.Context) {
	for len(w.begun) < w.size && !w.ended {
		if w.waiting == nil {
			item, more := w.next()
			if w.ended = !more; w.ended {
				return
			}
			w.waiting = &item
		}
		item := *w.waiting
		weight := w.weigh(item)
		if len(w.begun) > 0 && w.weight+weight > w.maxWeight {
			return
		}
		b := begun[Result]{make(chan Result, 1), weight}
		w.begun, w.weight, w.waiting = append(w.begun, b), w.weight+weight, nil
		w.workers.Go(func() { b.result <- w.work(ctx, item) })
	}
}

// take waits for the first result and removes it from the window.
func (w *window[Item, Result]) take() Result {
	first := w.begun[0]
	w.begun, w.weight = w.begun[1:], w.weight-first.weight
	return <-first.result
}
