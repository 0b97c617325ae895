// Package inorder works on several things at the same time, in their order.
package inorder

import (
	"iter"
	"sync"
)

// Map does the work for up to size items at the same time, and delivers the results in
// the order of the items. It ends when all work that was begun is done, also where who
// takes the results ends early: to end that work too is for the caller's context.
func Map[Item, Result any](items iter.Seq[Item], size int, work func(Item) Result) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		var window []chan Result
		var running sync.WaitGroup
		defer running.Wait()
		for item := range items {
			slot := make(chan Result, 1)
			window = append(window, slot)
			running.Go(func() { slot <- work(item) })
			if len(window) < size {
				continue
			}
			if !yield(<-window[0]) {
				return
			}
			window = window[1:]
		}
		for _, slot := range window {
			if !yield(<-slot) {
				return
			}
		}
	}
}
