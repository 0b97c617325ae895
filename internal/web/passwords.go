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

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/web/users"
)

// The bounds of the work on passwords, which is slow on purpose.
const (
	passwordsAtOnce = 2
	rememberedTime  = 5 * time.Minute // for which a right password is not hashed again
	maxRemembered   = 1000
	maxMisses       = 20 // wrong passwords that are compared with a remembered one
)

// passwords checks names and passwords.
type passwords struct {
	users            *users.Users
	now              func() time.Time
	failures         *failures
	working, waiting chan struct{}
	key              []byte // of the sums of those that are remembered
	mu               sync.Mutex
	remembered       *recent[[sha256.Size]byte, *remembered] // by name and address
}

// remembered is the sum of a name and a password that were right.
type remembered struct {
	sum    []byte
	when   time.Time
	misses int // others that were compared with it
}

func newPasswords(u *users.Users, now func() time.Time) *passwords {
	return &passwords{users: u, now: now, failures: newFailures(now), key: []byte(random()), remembered: newRecent[[sha256.Size]byte, *remembered](),
		working: make(chan struct{}, passwordsAtOnce), waiting: make(chan struct{}, mostWaiting)}
}

// check checks a name and a password that come from a client. A right one passes, whatever failed before,
// and ends the count of that.
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
	free, err := turn(ctx, p.waiting, p.working)
	if err != nil {
		return err
	}
	defer free()
	switch now, hold := p.failures.slow(of); {
	case p.remembers(of[0], name, password): // since another attempt meanwhile
		p.failures.forget(of)
		return nil
	case now != nil && !slow: // others have failed meanwhile
		return &waitError{hold}
	case !p.users.Fit(name, password):
		failed = true
		left, hold := p.failures.add(of)
		return &misfitError{left: left, wait: hold, slow: slow}
	}
	p.failures.forget(of)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remembered.add(of[0].key, &remembered{sum: p.sum(name, password), when: p.now()})
	if len(p.remembered.at) > maxRemembered {
		p.remembered.remove(p.remembered.oldest())
	}
	return nil
}

// remembers tells without work whether a name and a password were right a short time ago, from the same
// address: elsewhere they are hashed, or this would be a fast way to guess. Here it gives up after some.
func (p *passwords) remembers(by failing, name, password string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.remembered.get(by.key)
	switch {
	case !ok:
		return false
	case p.now().Sub(last.when) < rememberedTime && hmac.Equal(last.sum, p.sum(name, password)):
		return true
	}
	if last.misses++; last.misses >= maxMisses {
		p.remembered.remove(by.key)
	}
	return false
}

// sum is what is kept of a name and a password.
func (p *passwords) sum(name, password string) []byte {
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%d %s%s", len(name), name, password)
	return mac.Sum(nil)
}

// misfitError is a name and a password that do not fit. It does not tell which.
type misfitError struct {
	left int           // attempts that are free
	wait time.Duration // before the next one is checked, where none is
	slow bool          // none was free before
}

func (e *misfitError) Error() string {
	if e.left == 0 {
		return "Wrong name or password. Wait " + inWords(e.wait) + " before you try again."
	}
	return "Wrong name or password. " + console.Counted(e.left, "attempt") + " left."
}

// waitError is too many attempts.
type waitError struct{ wait time.Duration }

func (e *waitError) Error() string {
	return "Too many attempts failed. Wait " + inWords(e.wait) + " before you try again."
}

// inWords is a time as people are told it: it is never less.
func inWords(d time.Duration) string {
	if d < time.Minute {
		return console.Counted(int(seconds(d)), "second")
	}
	return console.Counted(int((d+time.Minute-1)/time.Minute), "minute")
}

// seconds are those of a time, and never less.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// logsIn checks who a client says that it is, and logs what fails.
func (s *server) logsIn(r *http.Request, name, password string) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	from := s.clientOf(r)
	err := s.passwords.check(ctx, from, name, password)
	var misfit *misfitError
	if errors.As(err, &misfit) {
		known := "" // another name may be a password in the wrong field
		if s.Users.Has(name) {
			known = name
		}
		s.Log.Warn("no log-in", "user", known, "address", from.address.String(), "error", err.Error())
	}
	return err
}
