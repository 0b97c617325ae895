package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/web/users"
)

// Limits of password hashing, which is slow on purpose.
const (
	passwordsAtOnce = 2
	rememberedTime  = 5 * time.Minute // a correct password is not hashed again within it
	maxRemembered   = 1000
	maxMisses       = 20 // wrong passwords compared with a remembered one
)

// passwords verifies names and passwords.
type passwords struct {
	users      *users.Users
	now        func() time.Time
	failures   *failures
	slots      slots
	key        []byte // of the digests of remembered passwords
	mu         sync.Mutex
	remembered *simplelru.LRU[[sha256.Size]byte, *remembered] // by name and address
}

// remembered is the digest of a verified name and password.
type remembered struct {
	sum    []byte
	when   time.Time
	misses int // wrong passwords compared with it
}

func newPasswords(u *users.Users, now func() time.Time) *passwords {
	last, _ := simplelru.NewLRU[[sha256.Size]byte, *remembered](maxRemembered, nil)
	return &passwords{users: u, now: now, failures: newFailures(now), key: []byte(random()), remembered: last,
		slots: newSlots(passwordsAtOnce)}
}

// fits reports whether a password belongs to a name. Tests remember the answers.
var fits = (*users.Users).Fit

// check verifies a client's name and password. A correct password always passes and resets the client's
// failures.
func (p *passwords) check(ctx context.Context, from client, name, password string) error {
	of := from.failing(name)
	if p.remembers(of[0], name, password) {
		p.failures.forget(of)
		return nil
	}
	leave, slow, err := p.failures.enter(ctx, of)
	if err != nil {
		return err
	}
	failed := false
	defer func() { leave(failed) }()
	free, err := p.slots.acquire(ctx)
	if err != nil {
		return err
	}
	defer free()
	switch now, hold := p.failures.slow(of); {
	case p.remembers(of[0], name, password): // verified by a concurrent attempt
		p.failures.forget(of)
		return nil
	case now != nil && !slow: // concurrent attempts have failed
		return &waitError{hold}
	case !fits(p.users, name, password):
		failed = true
		left, hold := p.failures.add(of)
		return &loginError{left: left, wait: hold, slow: slow}
	}
	p.failures.forget(of)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remembered.Add(of[0].key, &remembered{sum: p.sum(name, password), when: p.now()})
	return nil
}

// remembers reports, without hashing, whether a name and password were verified recently from the same address.
// From another address they are hashed, and it gives up after some misses; otherwise it would speed up guessing.
func (p *passwords) remembers(by failing, name, password string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.remembered.Get(by.key)
	switch {
	case !ok:
		return false
	case p.now().Sub(last.when) < rememberedTime && hmac.Equal(last.sum, p.sum(name, password)):
		return true
	}
	if last.misses++; last.misses >= maxMisses {
		p.remembered.Remove(by.key)
	}
	return false
}

// sum returns the digest of a name and a password.
func (p *passwords) sum(name, password string) []byte {
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%d %s%s", len(name), name, password)
	return mac.Sum(nil)
}

// loginError reports a wrong name or password, without saying which.
type loginError struct {
	left int           // attempts left
	wait time.Duration // delay of the next attempt if none is left
	slow bool          // no attempt was left before this one
}

func (e *loginError) Error() string {
	if e.left == 0 {
		return "Wrong name or password. Wait " + inWords(e.wait) + " before you try again."
	}
	return "Wrong name or password. " + console.Counted(e.left, "attempt") + " left."
}

// waitError reports too many failed attempts.
type waitError struct{ wait time.Duration }

func (e *waitError) Error() string {
	return "Too many attempts failed. Wait " + inWords(e.wait) + " before you try again."
}

// inWords formats a delay in words, rounded up.
func inWords(d time.Duration) string {
	if d < time.Minute {
		return console.Counted(int(seconds(d)), "second")
	}
	return console.Counted(int((d+time.Minute-1)/time.Minute), "minute")
}

// seconds returns a duration in seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// logsIn verifies a client's credentials and logs failures.
func (s *server) logsIn(r *http.Request, name, password string) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	from := s.clientOf(r)
	err := s.passwords.check(ctx, from, name, password)
	var misfit *loginError
	if errors.As(err, &misfit) {
		known := "" // an unknown name may be a password typed into the wrong field
		if s.Users.Has(name) {
			known = name
		}
		s.Log.Warn("log-in failed", "user", known, "address", from.address.String(), "error", err.Error())
	}
	return err
}
