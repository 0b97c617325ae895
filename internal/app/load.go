package app

import "sync"

// load bounds how much waits between who makes and who takes.
type load struct {
	mu     sync.Mutex
	freed  *sync.Cond
	max    int
	now    int
	lifted bool
}

func newLoad(max int) *load {
	l := &load{max: max}
	l.freed = sync.NewCond(&l.mu)
	return l
}

// add adds so much, and holds who makes it while there is more than the most.
func (l *load) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now += n
	for !l.lifted && l.now > l.max {
		l.freed.Wait()
	}
}

// take makes room.
func (l *load) take(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now -= n
	l.freed.Broadcast()
}

// lift lets everybody through from now on.
func (l *load) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lifted = true
	l.freed.Broadcast()
}
