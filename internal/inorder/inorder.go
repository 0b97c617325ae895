// Package inorder works on several things at the same time, in their order.
package inorder

import "iter"

// Map does the work for up to size items at the same time, and delivers the results in
// the order of the items. It ends when all work that was begun is done, also where who
// takes the results ends early: to end that work too is for the caller's context.
func Map[Item, Result any](items iter.Seq[Item], size int, work func(Item) Result) iter.Seq[Result] {
	return Weighed(items, size, 0, func(Item) int { return 0 }, work)
}

// Weighed is Map for items of which some may be heavy: those that are worked on and those
// that wait for their turn weigh at most most together, or there is only one.
func Weighed[Item, Result any](items iter.Seq[Item], size, most int, weigh func(Item) int, work func(Item) Result) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		type slot struct {
			result chan Result
			weight int
		}
		var window []slot
		weight := 0
		var workers Workers
		defer workers.Wait()
		first := func() bool {
			s := window[0]
			window, weight = window[1:], weight-s.weight
			return yield(<-s.result)
		}
		for item := range items {
			s := slot{make(chan Result, 1), weigh(item)}
			for len(window) > 0 && weight+s.weight > most {
				if !first() {
					return
				}
			}
			window, weight = append(window, s), weight+s.weight
			workers.Go(func() { s.result <- work(item) })
			if len(window) >= size && !first() {
				return
			}
		}
		for len(window) > 0 {
			if !first() {
				return
			}
		}
	}
}
