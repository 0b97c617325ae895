package queue

import (
	"math"
	"sync"
	"time"
)

// portion is how many blocks a worker stores in one transaction. It learns that from
// the time that storing takes: it is half as large after one that took too long, and
// grows again after those that were quick.
type portion struct {
	mu   sync.Mutex
	most int // 0: any number
}

func (p *portion) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most == 0 {
		return math.MaxInt
	}
	return p.most
}

// failed learns that so many blocks could not be stored in time.
func (p *portion) failed(blocks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if half := max(blocks/2, 1); p.most == 0 || half < p.most {
		p.most = half
	}
}

// stored learns that so many blocks were stored, and how much of the time it took.
func (p *portion) stored(blocks int, took, of time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if blocks == p.most && took < of/4 {
		p.most *= 2
	}
}
