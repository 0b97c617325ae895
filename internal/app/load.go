package app

import "sync"

// load bounds how much may wait between a producer and a consumer.
type load struct {
	mu     sync.Mutex
	freed  *sync.Cond
	limit  int
	now    int
	lifted bool
}

func newLoad(limit int) *load {
	l := &load{limit: limit}
	l.freed = sync.NewCond(&l.mu)
	return l
}

// add adds n, and blocks the producer while the load exceeds the limit.
func (l *load) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now += n
	for !l.lifted && l.now > l.limit {
		l.freed.Wait()
	}
}

// take subtracts n.
func (l *load) take(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now -= n
	l.freed.Broadcast()
}

// lift removes the limit.
func (l *load) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lifted = true
	l.freed.Broadcast()
}
