package web

import (
	"net/http"
	"time"
)

// Paths are those of the answers for programs.
func Paths() (list []string) {
	for _, a := range answers() {
		list = append(list, a.path)
	}
	return list
}

// SetArrivalTime changes how long a file may take to arrive, and returns how it was.
func SetArrivalTime(to time.Duration) (before time.Duration) {
	before, arrivalTime = arrivalTime, to
	return before
}

// SetHeldTime changes how long a failed attempt holds up the next where many have failed, and returns how
// it was.
func SetHeldTime(to time.Duration) (before time.Duration) {
	before, heldTime = heldTime, to
	return before
}

// Uploads are the files that are kept, with a clock of the test's own.
type Uploads struct{ of *uploads }

// NewUploads keeps none yet.
func NewUploads(now func() time.Time) *Uploads {
	u := &Uploads{newUploads()}
	u.of.now = now
	return u
}

// Put keeps a file.
func (u *Uploads) Put(owner, name string, content []byte) string {
	return u.of.put(owner, name, content)
}

// Has tells whether an owner's file is there.
func (u *Uploads) Has(owner, token string) bool { return u.of.get(owner, token) != nil }

// Forget gives up a file.
func (u *Uploads) Forget(owner, token string) bool { return u.of.forget(owner, token) }

// Clear gives up what is unused, as a timer does.
func (u *Uploads) Clear() { u.of.clear() }

// Size is how large the files are together.
func (u *Uploads) Size() int { return u.of.size }

// HandlerAt is a handler by another clock.
func HandlerAt(o Options, now func() time.Time) http.Handler { return handler(o, now) }

// OwnPath is what leads to this server alone.
var OwnPath = ownPath

// Routes are all paths where something is asked for, and Parameters all names that one of them takes.
func Routes() (list []string) {
	for _, r := range append(pages(), answers()...) {
		list = append(list, r.path)
	}
	return list
}

func Parameters() (list []string) {
	for name := range parameterTexts {
		list = append(list, name)
	}
	return append(append(list, listingParameters...), settingNames()...)
}

// Around are the periods beside one that pages link to.
func Around(period string) (list []string) {
	s := scope{Period: period}
	for _, l := range s.around("fees", nil) {
		list = append(list, l.Text)
	}
	return list
}
