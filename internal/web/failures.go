package web

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// Limits of failed log-ins before further attempts are checked one at a time.
const (
	maxFailures        = 5  // per name and address
	maxAddressFailures = 20 // per address, for all names
	forgottenTime      = time.Hour
	maxFailing         = 4096 // counters kept
	maxQueued          = 8    // attempts waiting for their turn
)

// heldTime is the delay after a failed attempt; it doubles twice, to four times.
var heldTime = time.Second

// failures counts failed log-ins, by name and address together, so that no client can lock out a user
// elsewhere, and by address. Unknown names are counted the same way.
type failures struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[[sha256.Size]byte]*failedLogin
}

// failing is a counter's key and its number of free attempts.
type failing struct {
	key  [sha256.Size]byte
	free int
}

type failedLogin struct {
	count         int
	last          time.Time
	lane, waiting chan struct{} // the queue of attempts checked one at a time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, kept: map[[sha256.Size]byte]*failedLogin{}}
}

// hold returns the delay after a failed attempt.
func (f *failedLogin) hold(of failing) time.Duration {
	return heldTime << min(max(f.count-of.free, 0), 2)
}

// failing returns the counters for a client and a name, the wider one last.
func (c client) failing(name string) []failing {
	bits := c.address.BitLen()
	if c.address.Is6() {
		bits = 64 // an IPv6 client usually controls a whole /64
	}
	from, _ := c.address.Prefix(bits) // an unknown address counts as one address
	list := []failing{{sha256.Sum256([]byte("name " + from.String() + " " + name)), maxFailures}}
	if !c.shared {
		list = append(list, failing{sha256.Sum256([]byte("address " + from.String())), maxAddressFailures})
	}
	return list
}

// find returns the counter of a key, or nil if there is none or it has expired.
func (f *failures) find(key [sha256.Size]byte) *failedLogin {
	found := f.kept[key]
	if found != nil && f.now().Sub(found.last) >= forgottenTime {
		delete(f.kept, key)
		return nil
	}
	return found
}

// slow returns the widest counter without free attempts, or nil.
func (f *failures) slow(of []failing) (slow *failedLogin, hold time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range of {
		if found := f.find(x.key); found != nil && found.count >= x.free {
			slow, hold = found, found.hold(x)
		}
	}
	return slow, hold
}

// enter waits until an attempt may be checked. After too many failures attempts are checked one at a time, and
// each failure delays the next: a right password still passes, and guessing is slow.
func (f *failures) enter(ctx context.Context, of []failing) (leave func(failed bool), slow bool, err error) {
	found, hold := f.slow(of)
	if found == nil {
		return func(bool) {}, false, nil
	}
	free, err := slots{found.lane, found.waiting}.acquire(ctx)
	if err != nil {
		return nil, true, &waitError{hold}
	}
	return func(failed bool) {
		if _, hold := f.slow(of); failed && hold > 0 {
			time.AfterFunc(hold, free) // even if the client has disconnected
			return
		}
		free()
	}, true, nil
}

// add counts a failure and returns the free attempts left, or the delay of the next one. If there are too many
// counters, the oldest is dropped.
func (f *failures) add(of []failing) (left int, hold time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left = maxFailures
	for _, x := range of {
		found := f.find(x.key)
		if found == nil {
			if len(f.kept) >= maxFailing {
				f.makeRoom()
			}
			found = &failedLogin{lane: make(chan struct{}, 1), waiting: make(chan struct{}, maxQueued)}
			f.kept[x.key] = found
		}
		found.count++
		found.last = f.now()
		if left = min(left, max(x.free-found.count, 0)); left == 0 {
			hold = max(hold, found.hold(x))
		}
	}
	return left, hold
}

func (f *failures) makeRoom() {
	var oldest [sha256.Size]byte
	var since time.Time
	for key, x := range f.kept {
		if since.IsZero() || x.last.Before(since) {
			oldest, since = key, x.last
		}
	}
	delete(f.kept, oldest)
}

// forget resets the counters of a client that has logged in.
func (f *failures) forget(of []failing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range of {
		delete(f.kept, x.key)
	}
}

// client is the origin of a request.
type client struct {
	address netip.Addr
	shared  bool // the address of a proxy that does not report its clients
}
