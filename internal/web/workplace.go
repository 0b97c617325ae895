package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/disk"
)

// recordsDir is the directory, among the packages, of the preparers' records of fees. Only this server's user reads it, and
// a shelf does not list it.
const recordsDir = ".records"

// Limits of what is kept for a preparer.
const (
	maxSaved      = 50
	maxSavedBytes = 256 << 20
)

// Files of a record. The last one that is written makes it complete.
const (
	savedContent = "record"
	savedMarks   = "marks.json"
	savedAbout   = "about.json"
)

// savedRecord is a preparer's record of fees, which is kept until its month is closed.
type savedRecord struct {
	token   string
	Name    string    `json:"name"`
	Sum     string    `json:"sha256"`
	Size    int       `json:"size"`
	Owner   string    `json:"owner"`
	Network string    `json:"network"`
	Loaded  time.Time `json:"loaded"`
	Query   string    `json:"query"` // of its page, as last compared
	Period  string    `json:"period"`
	Zone    string    `json:"zone"`
	Subject string    `json:"subject"` // see comparison.subject; "" if it was never compared for a package
	State   string    `json:"state"`   // the result when it was last compared
}

// marks are the acceptances and the questions of a record.
type marks struct {
	Accepted []reconcile.Acceptance `json:"accepted"`
	Asked    []reconcile.Acceptance `json:"asked"`
	Carried  uint64                 `json:"carried"` // see uploads
}

// saves reports whether the records of a request's user are kept until their month is closed.
func (s *server) saves(r *http.Request) bool { return s.closes() && s.actor(r).Preparer }

// savedAt returns the directory of a record, or of all records for "".
func (s *server) savedAt(token string) string {
	return filepath.Join(s.Packages, recordsDir, strings.TrimPrefix(s.base, "/"), token)
}

var isToken = regexp.MustCompile(`^[0-9a-f]{32}$`)

// saved returns the records that are kept, without their content: the latest periods first.
func (s *server) saved() (list []savedRecord, err error) {
	if !s.closes() {
		return nil, nil
	}
	entries, err := os.ReadDir(s.savedAt(""))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if one := s.readSaved(e.Name()); one != nil {
			list = append(list, *one)
		}
	}
	slices.SortStableFunc(list, func(a, b savedRecord) int { return cmp.Or(cmp.Compare(b.Period, a.Period), b.Loaded.Compare(a.Loaded)) })
	return list, err
}

// readSaved returns a record without its content; nil if it is not kept.
func (s *server) readSaved(token string) *savedRecord {
	if !s.closes() || !isToken.MatchString(token) {
		return nil
	}
	one := &savedRecord{token: token}
	if !readJSON(filepath.Join(s.savedAt(token), savedAbout), one) || one.Network != s.Network {
		return nil
	}
	return one
}

func readJSON(path string, into any) bool {
	text, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(text, into) == nil
}

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writePrivate(path, text)
}

func writePrivate(path string, text []byte) error {
	return disk.Replace(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// save keeps an uploaded record.
func (s *server) save(r *http.Request, token string, u *upload, sc *scope) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	list, err := s.saved()
	if err != nil {
		return err
	}
	count, size := 1, len(u.Content)
	for _, one := range list {
		if one.Owner == s.owner(r) {
			count, size = count+1, size+one.Size
		}
	}
	if count > maxSaved || size > maxSavedBytes {
		return &problem{http.StatusConflict, "Too many records", fmt.Sprintf("You may keep %d records of up to %d MB together. Delete one, or close its month.", maxSaved, maxSavedBytes>>20)}
	}
	dir := s.savedAt(token)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	one := savedRecord{Name: u.Name, Sum: u.sum, Size: len(u.Content), Owner: s.owner(r), Network: s.Network, Loaded: time.Now().UTC().Truncate(time.Second), Query: sc.query(nil), Period: sc.Period, Zone: cmp.Or(sc.Zone, "UTC"), State: "not compared yet"}
	if err := errors.Join(writePrivate(filepath.Join(dir, savedContent), u.Content), writeJSON(filepath.Join(dir, savedAbout), one)); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}

// changeSaved changes what is known about a record, if it is kept.
func (s *server) changeSaved(token string, change func(*savedRecord)) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	one := s.readSaved(token)
	if one == nil {
		return nil
	}
	before := *one
	if change(one); *one == before {
		return nil
	}
	return writeJSON(filepath.Join(s.savedAt(token), savedAbout), one)
}

// saveMarks keeps the acceptances and questions of a record that is held, if it is kept.
func (s *server) saveMarks(token, subject string) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	one := s.readSaved(token)
	if one == nil {
		return nil
	}
	one.Subject = subject
	dir := s.savedAt(token)
	return errors.Join(writeJSON(filepath.Join(dir, savedMarks), s.uploads.marks(token)), writeJSON(filepath.Join(dir, savedAbout), one))
}

// upload returns a user's record, from disk if it is not in memory.
func (s *server) upload(r *http.Request, token string) (*upload, error) {
	owner := s.owner(r)
	if u := s.uploads.get(owner, token); u != nil {
		return u, nil
	}
	one := s.readSaved(token)
	switch {
	case one != nil && one.Owner != owner:
		return nil, &problem{errOthers.Status, errOthers.Title, fmt.Sprintf("%s loaded this record, and no one else sees it. Review it in the package of %s when that is prepared, or load the file yourself.", one.Owner, cmp.Or(console.PeriodName(one.Period), "its month"))}
	case one == nil && s.uploads.isAnothers(owner, token):
		return nil, errOthers
	case one == nil:
		return nil, errNotKept
	}
	content, err := disk.ReadSmall(filepath.Join(s.savedAt(token), savedContent), maxFile)
	if err != nil {
		return nil, fmt.Errorf("record of fees: %w", err)
	}
	var m marks
	readJSON(filepath.Join(s.savedAt(token), savedMarks), &m)
	return s.uploads.restore(token, owner, one.Name, content, m), nil
}

// hold keeps a user's record in memory, from disk if it was discarded, until its differences are marked.
func (s *server) hold(r *http.Request, token string) error {
	for !s.uploads.hold(s.owner(r), token) {
		if _, err := s.upload(r, token); err != nil {
			return err
		}
	}
	return nil
}

// forgetSaved deletes a user's record from disk, and reports whether it was there.
func (s *server) forgetSaved(owner, token string) (bool, error) {
	one := s.readSaved(token)
	if one == nil || one.Owner != owner {
		return false, nil
	}
	return true, os.RemoveAll(s.savedAt(token))
}

// forgetPeriod deletes the records of a closed period.
func (s *server) forgetPeriod(m *closing.Manifest) error {
	list, err := s.saved()
	for _, one := range list {
		if one.Period == m.Period.Name() && one.Zone == m.Period.Timezone {
			s.uploads.forget(one.Owner, one.token)
			err = errors.Join(err, os.RemoveAll(s.savedAt(one.token)))
		}
	}
	return err
}

// earlierMarks returns the acceptances of the last record of a user about a subject.
func (s *server) earlierMarks(owner, subject, but string) []reconcile.Acceptance {
	if list := s.uploads.earlier(owner, subject); len(list) > 0 {
		return list
	}
	list, _ := s.saved()
	var last savedRecord
	for _, one := range list {
		if one.Owner == owner && one.Subject == subject && one.token != but && one.Loaded.After(last.Loaded) {
			last = one
		}
	}
	var m marks
	if last.token != "" {
		readJSON(filepath.Join(s.savedAt(last.token), savedMarks), &m)
	}
	return m.Accepted
}

// recordTable lists the records that are kept, for users with a role; nil if there are none.
func (s *server) recordTable(r *http.Request) (*tabular, error) {
	if !s.closes() {
		return nil, nil
	}
	list, err := s.saved()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if by := s.actor(r); !by.Preparer && !by.Reviewer {
		return nil, nil
	}
	t := &tabular{Title: "Records of open months", Heads: heads("record", "period", "loaded by", "loaded", "state", "package")}
	prepared := map[string]string{} // the SHA-256 of the record in the package of a period
	for _, one := range list[:min(len(list), maxRows)] {
		of := one.Period + "\n" + one.Zone
		if _, known := prepared[of]; !known {
			prepared[of] = ""
			if shelf, p, err := s.openPrepared(s.packageName(one.Period, one.Zone)); err == nil {
				if p.Manifest.Options.Reconciliation != nil {
					prepared[of] = inputSum(p.Manifest)
				}
				p.Close()
				shelf.Close()
			}
		}
		name, in := cell{Text: "only " + one.Owner + " sees it"}, cell{Text: "not in it"}
		if one.Owner == s.owner(r) {
			name = cell{Text: one.Name, To: "reconcile/" + one.token + one.Query}
		}
		if prepared[of] == one.Sum {
			in = cell{Text: "prepared", To: "close/" + s.packageName(one.Period, one.Zone), Class: "ok"}
		}
		state := cell{Text: one.State}
		if strings.HasPrefix(one.State, "all ") || strings.HasSuffix(one.State, " 0 open") {
			state.Class = "ok"
		}
		t.Rows = append(t.Rows, []cell{name, {Text: periodIn(one.Period, one.Zone)}, {Text: one.Owner}, {Text: timeIn(time.UTC, one.Loaded) + " UTC", Time: one.Loaded.Format(time.RFC3339)}, state, in})
	}
	return t, nil
}
