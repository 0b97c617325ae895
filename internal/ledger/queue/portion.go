package queue

import (
	"math"
	"sync"
	"time"
)

// portion limits how many blocks a worker stores in one transaction. The limit is halved when storing takes too
// long, and doubled when it is quick.
type portion struct {
	mu    sync.Mutex
	limit int // 0: no limit
}

func (p *portion) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit == 0 {
		return math.MaxInt
	}
	return p.limit
}

// failed halves the limit after blocks could not be stored in time.
func (p *portion) failed(blocks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if half := max(blocks/2, 1); p.limit == 0 || half < p.limit {
		p.limit = half
	}
}

// stored doubles the limit if storing that many blocks took less than a quarter of the time.
func (p *portion) stored(blocks int, took, of time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if blocks == p.limit && took < of/4 {
		p.limit *= 2
	}
}
