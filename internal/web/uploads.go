package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/feeledger/fees/internal/reconcile"
)

const (
	// maxFile limits the size of an uploaded file.
	maxFile = 32 << 20
	// maxKept limits the total size of uploaded files.
	maxKept = 4 * maxFile
	// keptFor is how long an unused file is kept.
	keptFor = 30 * time.Minute
)

// upload is an uploaded file. It is kept in memory and never changes.
type upload struct {
	Name    string // as uploaded, for display only
	Content []byte

	sum   string // the SHA-256
	owner string
	used  time.Time // last use
}

// uploads are the kept files, by token. A file is visible only to its owner, and only with the
// token.
type uploads struct {
	now  func() time.Time
	gone func(token string) // called for each discarded file

	accepting sync.Mutex // one user at a time accepts differences

	mu    sync.Mutex
	held  string // the file whose differences are being accepted: it is not discarded
	kept  map[string]*upload
	taken map[string][]reconcile.Acceptance // of the differences of files, by token
	// last are the acceptances of an owner's last file of a subject, which the next one takes over. carried are the last
	// acts that files took over, by token: their own acts follow.
	last    *simplelru.LRU[string, []reconcile.Acceptance]
	carried map[string]uint64
	asked   map[string][]reconcile.Acceptance // questions about differences of files, by token
	size    int
	timer   *time.Timer // of the next clean-up; nil if nothing is kept
}

func newUploads() *uploads {
	last, _ := simplelru.NewLRU[string, []reconcile.Acceptance](maxSubjects, nil)
	return &uploads{now: time.Now, gone: func(string) {}, kept: map[string]*upload{}, taken: map[string][]reconcile.Acceptance{}, last: last, carried: map[string]uint64{}, asked: map[string][]reconcile.Acceptance{}}
}

// put keeps a file, and returns it and its token. If there is not enough memory, the least recently used files are
// discarded.
func (u *uploads) put(owner, name string, content []byte) (token string, one *upload) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	token = hex.EncodeToString(random[:])
	return token, u.keep(token, owner, name, content)
}

// keep keeps a file under a token.
func (u *uploads) keep(token, owner, name string, content []byte) *upload {
	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	u.mu.Lock()
	defer u.mu.Unlock()
	if before := u.kept[token]; before != nil { // another request restored it
		return before
	}
	for u.size+len(content) > maxKept && u.oldest() != "" {
		u.drop(u.oldest())
	}
	one := &upload{name, content, sum, owner, u.now()}
	u.kept[token] = one
	u.size += len(content)
	if u.timer == nil {
		u.timer = time.AfterFunc(keptFor, u.clear)
	}
	return one
}

// restore keeps a file with what was marked in it.
func (u *uploads) restore(token, owner, name string, content []byte, m marks) *upload {
	one := u.keep(token, owner, name, content)
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, marked := u.taken[token]; u.kept[token] == one && !marked {
		u.taken[token], u.asked[token], u.carried[token] = m.Accepted, m.Asked, m.Carried
		u.size += (len(m.Accepted) + len(m.Asked)) * acceptanceSize
	}
	return one
}

// marks returns what was marked in a file.
func (u *uploads) marks(token string) marks {
	u.mu.Lock()
	defer u.mu.Unlock()
	return marks{u.taken[token], u.asked[token], u.carried[token]}
}

// ask adds questions about differences of an owner's file.
func (u *uploads) ask(owner, token string, list []reconcile.Acceptance) error {
	if u.get(owner, token) == nil {
		return errNotKept
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked[token] = append(u.asked[token][:len(u.asked[token]):len(u.asked[token])], list...)
	u.size += len(list) * acceptanceSize
	return nil
}

// get returns a file of an owner, or nil, and marks it as used.
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

// isAnothers reports whether a token is that of a file of another owner.
func (u *uploads) isAnothers(owner, token string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end()
	found := u.kept[token]
	return found != nil && found.owner != owner
}

// acceptanceSize is the memory that is counted for an acceptance.
const acceptanceSize = 256

// accepted returns the acceptances of a file's differences.
func (u *uploads) accepted(token string) []reconcile.Acceptance {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.taken[token]
}

// Limits of the acceptances for later files.
const (
	maxSubjects = 20
	maxCarried  = 10_000 // of a subject
)

// earlier returns the acceptances of an owner's last file of a subject.
func (u *uploads) earlier(owner, subject string) []reconcile.Acceptance {
	u.mu.Lock()
	defer u.mu.Unlock()
	list, _ := u.last.Get(owner + "\n" + subject)
	return list
}

// carry gives a file the acceptances of an earlier one.
func (u *uploads) carry(owner, token, subject string, list []reconcile.Acceptance) error {
	err := u.accept(owner, token, subject, list)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept[token] != nil {
		for _, a := range list {
			u.carried[token] = max(u.carried[token], a.Act)
		}
	}
	return err
}

// lastCarried returns the last act that a file took over from an earlier one; 0 for none.
func (u *uploads) lastCarried(token string) uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.carried[token]
}

// accept replaces the acceptances of an owner's file of a subject. If there is not enough memory, other files are discarded.
func (u *uploads) accept(owner, token, subject string, list []reconcile.Acceptance) error {
	if u.get(owner, token) == nil {
		return errNotKept
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.size += (len(list) - len(u.taken[token])) * acceptanceSize
	for u.taken[token] = list; u.size > maxKept && len(u.kept) > 1 && u.oldest() != ""; {
		u.drop(u.oldest())
	}
	if len(list) <= maxCarried {
		u.last.Add(owner+"\n"+subject, list)
	}
	return nil
}

// hold keeps an owner's file in memory until release is called, and reports whether it is there.
func (u *uploads) hold(owner, token string) bool {
	if u.get(owner, token) == nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept[token] == nil {
		return false
	}
	u.held = token
	return true
}

func (u *uploads) release() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held = ""
}

// forget discards a file of an owner and reports whether it existed.
func (u *uploads) forget(owner, token string) bool {
	if u.get(owner, token) == nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(token)
	return true
}

// clear discards unused files.
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
		if u.now().Sub(one.used) >= keptFor && token != u.held {
			u.drop(token)
		}
	}
}

// oldest returns the least recently used file besides the one that is held; "" for none.
func (u *uploads) oldest() (token string) {
	for other, one := range u.kept {
		if other == u.held {
			continue
		}
		if token == "" || one.used.Before(u.kept[token].used) {
			token = other
		}
	}
	return token
}

func (u *uploads) drop(token string) {
	if one := u.kept[token]; one != nil {
		u.size -= len(one.Content) + (len(u.taken[token])+len(u.asked[token]))*acceptanceSize
		delete(u.kept, token)
		delete(u.taken, token)
		delete(u.carried, token)
		delete(u.asked, token)
		u.gone(token)
	}
}
