package inorder

import "sync"

// Workers do things at the same time, each on a goroutine that is kept for the next one:
// its stack has grown already. There are as many as were busy at once. The zero value has
// none; it is used by one goroutine.
type Workers struct {
	next    chan func()
	running sync.WaitGroup
}

// Go has a worker do something, a new one where all are busy.
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

// Wait waits until all is done, and ends the workers.
func (w *Workers) Wait() {
	if w.next != nil {
		close(w.next)
		w.running.Wait()
		w.next = nil
	}
}
