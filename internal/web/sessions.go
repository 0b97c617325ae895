package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"
)

// How long a session lasts, and how many there are.
const (
	sessionTime  = 12 * time.Hour
	unusedTime   = 2 * time.Hour
	mostSessions = 1000
)

// sessions are those of people who logged in. They are in memory alone: after a start everybody
// logs in anew.
type sessions struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[[sha256.Size]byte]*session // by the sum of what the cookie has: no clock tells a part of it
}

type session struct {
	user        string
	began, used time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, kept: map[[sha256.Size]byte]*session{}}
}

func (s *session) over(now time.Time) bool {
	return now.Sub(s.began) >= sessionTime || now.Sub(s.used) >= unusedTime
}

// begin begins a session, and returns what the cookie has of it. Where there are too many, that one
// ends which was not used for longest.
func (s *sessions) begin(user string) (cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.kept) >= mostSessions {
		s.makeRoom(now)
	}
	cookie = random()
	s.kept[sha256.Sum256([]byte(cookie))] = &session{user, now, now}
	return cookie
}

func (s *sessions) makeRoom(now time.Time) {
	var oldest [sha256.Size]byte
	var since time.Time
	for sum, x := range s.kept {
		if x.over(now) {
			delete(s.kept, sum)
		} else if since.IsZero() || x.used.Before(since) {
			oldest, since = sum, x.used
		}
	}
	if len(s.kept) >= mostSessions {
		delete(s.kept, oldest)
	}
}

// userOf is the user of a session, "" where there is none or it is over. Where somebody uses it, it
// goes on.
func (s *sessions) userOf(cookie string, used bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256([]byte(cookie))
	found, ok := s.kept[sum]
	if !ok {
		return ""
	}
	now := s.now()
	if found.over(now) {
		delete(s.kept, sum)
		return ""
	}
	if used {
		found.used = now
	}
	return found.user
}

func (s *sessions) end(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, sha256.Sum256([]byte(cookie)))
}

// random is a text that nobody guesses: 256 bits.
func random() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// cookieName is the cookie's name. Where it is sent by TLS alone, its name tells the browser that
// no other server of the domain may have set it.
func (s *server) cookieName() string {
	if s.TLS {
		return "__Host-fees"
	}
	return "fees"
}

// cookieOf is what the cookie has, "" where there is none that could be from here.
func (s *server) cookieOf(r *http.Request) string {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return ""
	}
	if bits, err := base64.RawURLEncoding.DecodeString(c.Value); err != nil || len(bits) != 32 {
		return ""
	}
	return c.Value
}

// setCookie gives the browser the cookie. A server before this one may be asked by TLS: then the
// browser says so when it sends a form.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.TLS || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}
