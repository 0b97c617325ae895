package web

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// How many log-ins may fail, and who waits how long.
const (
	mostFailures  = 5
	leastWait     = time.Minute // then twice as long after each that fails
	mostWait      = 15 * time.Minute
	forgottenTime = time.Hour // after which a failure counts no more
	mostFailing   = 4096      // names and addresses that are remembered
)

// failures count the log-ins that failed, by name and by address. It makes no difference whether
// there is a user of that name.
type failures struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[failing]*failure
}

// failing is the sum of a name or of an address.
type failing [sha256.Size]byte

type failure struct {
	count int
	last  time.Time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, kept: map[failing]*failure{}}
}

// wait is how long nobody may try after so many failures.
func (f *failure) wait() time.Duration {
	if f.count < mostFailures {
		return 0
	}
	return min(leastWait<<min(f.count-mostFailures, 10), mostWait)
}

// nameFails and addressFails are what failures are counted by. Who has one address of IPv6 has
// more than anybody counts.
func nameFails(name string) failing { return sha256.Sum256([]byte("name " + name)) }

func addressFails(address netip.Addr) failing {
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	whose, _ := address.Prefix(bits) // an address that is not known stays so
	return sha256.Sum256([]byte("address " + whose.String()))
}

// wait is how long these may not try, and how often they may before they wait.
func (f *failures) wait(of ...failing) (wait time.Duration, left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left = mostFailures
	now := f.now()
	for _, key := range of {
		found, ok := f.kept[key]
		if !ok {
			continue
		}
		if now.Sub(found.last) >= forgottenTime {
			delete(f.kept, key)
			continue
		}
		wait = max(wait, found.last.Add(found.wait()).Sub(now))
		left = min(left, max(mostFailures-found.count, 0))
	}
	return wait, left
}

// add counts a failure. Where there are too many, that one is forgotten which was the longest ago.
func (f *failures) add(of ...failing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	for _, key := range of {
		if _, ok := f.kept[key]; !ok {
			if len(f.kept) >= mostFailing {
				f.makeRoom()
			}
			f.kept[key] = &failure{}
		}
		f.kept[key].count++
		f.kept[key].last = now
	}
}

func (f *failures) makeRoom() {
	var oldest failing
	var since time.Time
	for key, x := range f.kept {
		if since.IsZero() || x.last.Before(since) {
			oldest, since = key, x.last
		}
	}
	delete(f.kept, oldest)
}

// forget forgets the failures of who has logged in.
func (f *failures) forget(of ...failing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range of {
		delete(f.kept, key)
	}
}
