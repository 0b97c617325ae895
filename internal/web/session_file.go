package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/web/users"
)

// saveInterval is the time after which a session's last use is saved.
const saveInterval = time.Minute

// sessionFile keeps sessions when the server restarts. It has no secret that opens a session: only the digests of cookies, and
// the key of form tokens. After a failure, which is logged, the file is removed: the sessions then last as long as the server.
// A session's last use is saved at most a minute late.
type sessionFile struct {
	path  string // "" for none
	users *users.Users
	log   *slog.Logger
	key   []byte // of form tokens
	saved time.Time
}

// savedSessions is the content of the file.
type savedSessions struct {
	Key      []byte                   `json:"key"`
	Sessions map[string]*savedSession `json:"sessions"` // by the hexadecimal digest of the cookie
}

// savedSession is a session with the digest of its user's entry: it ends if that changes while the server is down.
type savedSession struct {
	session
	Entry string `json:"entry"`
}

// entryOf returns the digest of a user's entry; "" if there is none.
func (f *sessionFile) entryOf(user string) string {
	entry := f.users.Entry(user)
	if entry == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(entry))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// restore reads the sessions of a file that are not over, and whose users are the same. A missing file has none.
func (s *sessions) restore(f sessionFile) {
	s.file = f
	s.file.key = []byte(random())
	if f.path == "" {
		return
	}
	text, err := users.ReadSecret(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var saved savedSessions
	if err == nil {
		err = json.Unmarshal(text, &saved)
	}
	if err != nil {
		f.log.Warn("sessions not restored", "error", err.Error())
		return
	}
	if len(saved.Key) > 0 {
		s.file.key = saved.Key
	}
	for name, x := range saved.Sessions {
		var of digest
		if n, err := hex.Decode(of[:], []byte(name)); err != nil || n != len(of) || x == nil {
			continue
		}
		if now := s.now(); !x.over(now) && !x.Used.After(now) && x.Entry != "" && x.Entry == f.entryOf(x.User) && len(s.kept) < maxSessions {
			s.kept[of] = &x.session
		}
	}
}

// save writes the sessions.
func (f *sessionFile) save(now time.Time, kept map[digest]*session) {
	if f.path == "" {
		return
	}
	f.saved = now
	saved := savedSessions{f.key, map[string]*savedSession{}}
	for of, x := range kept {
		if !x.over(now) {
			saved.Sessions[hex.EncodeToString(of[:])] = &savedSession{*x, f.entryOf(x.User)}
		}
	}
	err := disk.Replace(f.path, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(saved) })
	if err != nil {
		f.log.Warn("sessions not saved", "error", err.Error())
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have sessions that have ended
			f.log.Error("sessions not removed", "error", err.Error())
		}
	}
}

// saveUsed saves that sessions were used, unless that was saved a short time ago.
func (f *sessionFile) saveUsed(now time.Time, kept map[digest]*session) {
	if now.Sub(f.saved) >= saveInterval {
		f.save(now, kept)
	}
}
