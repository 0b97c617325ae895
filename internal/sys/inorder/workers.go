package inorder

import "sync"

// Workers run functions concurrently on goroutines that are reused, because their stacks have already grown. There
// are as many as were ever busy at once. The zero value is empty; it is not safe for concurrent use.
type Workers struct {
	next    chan func()
	running sync.WaitGroup
}

// Go runs work on an idle worker, or on a new one if all are busy.
func (w *Workers) Go(work func()) {
	if w.next == nil {
		w.next = make(chan func())
	}
	select {
	case w.next <- work:
	default:
		w.running.Go(func() {
			for work(); ; work() {
				var more bool
				if work, more = <-w.next; !more {
					return
				}
			}
		})
	}
}

// Wait waits until all work is done, and ends the workers.
func (w *Workers) Wait() {
	if w.next != nil {
		close(w.next)
		w.running.Wait()
		w.next = nil
	}
}
