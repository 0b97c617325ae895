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

// Limits of sessions.
const (
	sessionTime = 12 * time.Hour
	unusedTime  = 2 * time.Hour
	maxSessions = 1000
)

// sessions holds the log-in sessions, and keeps them in a file if it has one: users stay logged in when the server restarts.
type sessions struct {
	now  func() time.Time
	file sessionFile
	mu   sync.Mutex
	kept map[digest]*session // by the cookie's digest, which prevents timing attacks
}

// digest is the SHA-256 of a cookie.
type digest [sha256.Size]byte

// session is a log-in session.
type session struct {
	User  string    `json:"user"`
	Began time.Time `json:"began"`
	Used  time.Time `json:"used"`
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, kept: map[digest]*session{}}
}

func (s *session) over(now time.Time) bool {
	return now.Sub(s.Began) >= sessionTime || now.Sub(s.Used) >= unusedTime
}

// begin starts a session and returns its cookie. If there are too many, the least recently used session
// ends.
func (s *sessions) begin(user string) (cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.kept) >= maxSessions {
		s.makeRoom(now)
	}
	cookie = random()
	s.kept[sha256.Sum256([]byte(cookie))] = &session{user, now, now}
	s.file.save(now, s.kept)
	return cookie
}

func (s *sessions) makeRoom(now time.Time) {
	var oldest digest
	var since time.Time
	for sum, x := range s.kept {
		if x.over(now) {
			delete(s.kept, sum)
		} else if since.IsZero() || x.Used.Before(since) {
			oldest, since = sum, x.Used
		}
	}
	if len(s.kept) >= maxSessions {
		delete(s.kept, oldest)
	}
}

// userOf returns the user of a session, or "" if there is none or it has expired. If used is set, the session is
// extended.
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
		found.Used = now
		s.file.saveUsed(now, s.kept)
	}
	return found.User
}

func (s *sessions) end(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256([]byte(cookie))
	if _, ok := s.kept[sum]; ok {
		delete(s.kept, sum)
		s.file.save(s.now(), s.kept)
	}
}

// random returns 256 random bits as text.
func random() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// cookieName returns the cookie's name. With TLS it has the prefix __Host-, so that browsers accept it only from
// this host.
func (s *server) cookieName() string {
	if s.TLS {
		return "__Host-fees"
	}
	return "fees"
}

// cookieOf returns the cookie's value, or "" if there is none or it is malformed.
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

// setCookie sets the cookie. It is marked Secure if the server uses TLS, or if a form's origin shows that a
// proxy does.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.TLS || strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}
