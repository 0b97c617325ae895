package web

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// How many log-ins may fail before the next ones are checked one at a time.
const (
	maxFailures        = 5  // for one name from one address
	maxAddressFailures = 20 // from one address, whatever the names
	forgottenTime      = time.Hour
	maxFailing         = 4096 // names and addresses that are remembered
	maxQueued          = 8    // attempts that wait until one before them is checked
)

// heldTime is how long a failed attempt keeps the next one waiting: then twice as long, and four times.
var heldTime = time.Second

// failures counts the log-ins that failed: by name and address together, so that nobody locks out
// somebody elsewhere, and by address. It makes no difference whether there is a user of that name.
type failures struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[[sha256.Size]byte]*failedLogin
}

// failing is what failures are counted by, and how many of them are free.
type failing struct {
	key  [sha256.Size]byte
	free int
}

type failedLogin struct {
	count         int
	last          time.Time
	lane, waiting chan struct{} // where attempts are checked one at a time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, kept: map[[sha256.Size]byte]*failedLogin{}}
}

// hold is how long a failed attempt keeps the next one waiting.
func (f *failedLogin) hold(of failing) time.Duration {
	return heldTime << min(max(f.count-of.free, 0), 2)
}

// failing is what the failures of a client with a name are counted by, the wider one last.
func (c client) failing(name string) []failing {
	bits := c.address.BitLen()
	if c.address.Is6() {
		bits = 64 // whoever has one address of IPv6 has all of them
	}
	from, _ := c.address.Prefix(bits) // an unknown address stays one
	list := []failing{{sha256.Sum256([]byte("name " + from.String() + " " + name)), maxFailures}}
	if !c.shared {
		list = append(list, failing{sha256.Sum256([]byte("address " + from.String())), maxAddressFailures})
	}
	return list
}

// find returns the count for a key; nil where there is none, or it is forgotten.
func (f *failures) find(key [sha256.Size]byte) *failedLogin {
	found := f.kept[key]
	if found != nil && f.now().Sub(found.last) >= forgottenTime {
		delete(f.kept, key)
		return nil
	}
	return found
}

// slow returns the widest count that leaves no free attempt; nil where there is none.
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

// enter waits until an attempt may be checked. Where too many have failed, they are checked one after the
// other, and each that fails holds up the next: a right password passes then, and guesses are few.
func (f *failures) enter(ctx context.Context, of []failing) (leave func(failed bool), slow bool, err error) {
	found, hold := f.slow(of)
	if found == nil {
		return func(bool) {}, false, nil
	}
	free, err := turn(ctx, found.waiting, found.lane)
	if err != nil {
		return nil, true, &waitError{hold}
	}
	return func(failed bool) {
		if _, hold := f.slow(of); failed && hold > 0 {
			time.AfterFunc(hold, free) // also where the client has gone
			return
		}
		free()
	}, true, nil
}

// add counts a failure, and returns how many attempts are free after it, and else what each costs.
// Where too many are counted, the one that is the longest ago is forgotten.
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

// forget forgets the failures of a client that has logged in.
func (f *failures) forget(of []failing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range of {
		delete(f.kept, x.key)
	}
}

// client is where a request comes from.
type client struct {
	address netip.Addr
	shared  bool // many clients have this address: it is that of a proxy that does not name them
}
