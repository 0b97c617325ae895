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
	"github.com/feeledger/fees/users"
)

// The bounds of the work on passwords, which is slow on purpose.
const (
	passwordsAtOnce = 2
	fittedTime      = 5 * time.Minute // for which a program's password needs no work again
)

// passwords tells whether names and passwords fit.
type passwords struct {
	users            *users.Users
	now              func() time.Time
	failures         *failures
	working, waiting chan struct{}
	key              []byte // of the sums of those that fitted
	mu               sync.Mutex
	fitted           map[string]fitted // by name: so there are as many as users at most
}

// fitted is the sum of a name and a password that fitted.
type fitted struct {
	sum  []byte
	when time.Time
}

func newPasswords(u *users.Users, now func() time.Time) *passwords {
	return &passwords{users: u, now: now, failures: newFailures(now), working: make(chan struct{}, passwordsAtOnce), waiting: make(chan struct{}, mostWaiting),
		key: []byte(random()), fitted: map[string]fitted{}}
}

// check tells whether a name and a password fit. The failures are counted by what is given.
func (p *passwords) check(ctx context.Context, name, password string, of ...failing) error {
	if done, err := p.known(name, password, of); done {
		return err
	}
	leave, err := turn(ctx, p.waiting, p.working)
	if err != nil {
		return err
	}
	defer leave()
	if done, err := p.known(name, password, of); done { // others may have failed, or fitted, meanwhile
		return err
	}
	if !p.users.Fit(name, password) {
		p.failures.add(of...)
		wait, left := p.failures.wait(of...)
		return &misfitError{wait, left}
	}
	p.failures.forget(of...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fitted[name] = fitted{p.sum(name, password), p.now()}
	return nil
}

// known answers without work: who must wait, and whose name and password fitted just now.
func (p *passwords) known(name, password string, of []failing) (done bool, err error) {
	if wait, _ := p.failures.wait(of...); wait > 0 {
		return true, &waitError{wait}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.fitted[name]
	return ok && p.now().Sub(last.when) < fittedTime && hmac.Equal(last.sum, p.sum(name, password)), nil
}

// sum is what is kept of a name and a password.
func (p *passwords) sum(name, password string) []byte {
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%d %s%s", len(name), name, password)
	return mac.Sum(nil)
}

// misfitError is a name and a password that do not fit. It does not tell which.
type misfitError struct {
	wait time.Duration // until the next attempt
	left int           // attempts, before that is so
}

func (e *misfitError) Error() string {
	text := "Name and password do not fit."
	if e.left == 0 {
		return text + " Wait " + inWords(e.wait) + "."
	}
	return text + fmt.Sprintf(" %s left.", console.Counted(e.left, "attempt")+" "+console.Verb(e.left, "is", "are"))
}

// waitError is too many attempts.
type waitError struct{ wait time.Duration }

func (e *waitError) Error() string {
	return "Too many attempts failed. Wait " + inWords(e.wait) + "."
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

// logsIn tells whether who asks is who they say, and notes it in the log.
func (s *server) logsIn(r *http.Request, name, password string) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	address := addressOf(r)
	of := []failing{nameFails(name)}
	if !s.isProxy(address) { // all come from there
		of = append(of, addressFails(address))
	}
	err := s.passwords.check(ctx, name, password, of...)
	var misfit *misfitError
	if errors.As(err, &misfit) {
		known := "" // another name may be a password in the wrong field
		if s.Users.Has(name) {
			known = name
		}
		s.Log.Warn("no log-in", "user", known, "address", address.String(), "error", err.Error())
	}
	return err
}
