package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

const (
	// mostFile is how large a file may be that a person sends.
	mostFile = 32 << 20
	// mostKept is how large all of them may be together.
	mostKept = 4 * mostFile
	// keptFor is how long a file is kept that nobody uses.
	keptFor = 30 * time.Minute
)

// upload is a file that somebody has sent. It is in memory, and never changes.
type upload struct {
	Name    string // as it came, for people alone
	Content []byte

	sum   string // the SHA-256
	owner string
	used  time.Time // the last time
}

// uploads are the files that are kept, by their tokens. Whoever knows a token, and is its owner,
// sees the file.
type uploads struct {
	now  func() time.Time
	gone func(token string) // is told of each file that is given up

	mu    sync.Mutex
	kept  map[string]*upload
	size  int
	timer *time.Timer // of the next look at what is unused; nil where nothing is kept
}

func newUploads() *uploads {
	return &uploads{now: time.Now, gone: func(string) {}, kept: map[string]*upload{}}
}

// put keeps a file, and gives it a token. Where there is no room, those go that were not used for
// the longest time.
func (u *uploads) put(owner, name string, content []byte) (token string) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	token = hex.EncodeToString(random[:])
	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	u.mu.Lock()
	defer u.mu.Unlock()
	for u.size+len(content) > mostKept && len(u.kept) > 0 {
		u.drop(u.oldest())
	}
	u.kept[token] = &upload{name, content, sum, owner, u.now()}
	u.size += len(content)
	if u.timer == nil {
		u.timer = time.AfterFunc(keptFor, u.clear)
	}
	return token
}

// get is a file of an owner, nil where there is none. It counts as used.
func (u *uploads) get(owner, token string) *upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end()
	found := u.kept[token]
	if found == nil || found.owner != owner {
		return nil
	}
	found.used = u.now()
	return found
}

// forget gives up a file of an owner. It tells whether it was there.
func (u *uploads) forget(owner, token string) bool {
	if u.get(owner, token) == nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(token)
	return true
}

// clear gives up what is unused, also where nobody asks any more.
func (u *uploads) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end()
	if u.timer = nil; len(u.kept) > 0 {
		u.timer = time.AfterFunc(time.Minute, u.clear)
	}
}

func (u *uploads) end() {
	for token, one := range u.kept {
		if u.now().Sub(one.used) >= keptFor {
			u.drop(token)
		}
	}
}

func (u *uploads) oldest() (token string) {
	for other, one := range u.kept {
		if token == "" || one.used.Before(u.kept[token].used) {
			token = other
		}
	}
	return token
}

func (u *uploads) drop(token string) {
	if one := u.kept[token]; one != nil {
		u.size -= len(one.Content)
		delete(u.kept, token)
		u.gone(token)
	}
}
