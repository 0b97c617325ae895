package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/spill"
)

// same tells whether the browser has the answer already, or gets one that is kept: it follows from
// what is sealed of the period that it is about, from the question and from this run of the server, and
// from whom a page is shown to where it names somebody. It says, for people, what is sealed.
func (s *server) same(w http.ResponseWriter, r *http.Request, about app.Period, shownTo string) (same bool, sealed string, err error) {
	state, err := s.stateOf(r.Context(), about)
	if err != nil {
		return false, "", err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{s.stamp(), state.String(), r.RequestURI, themeOf(r), shownTo}, "\n")))
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return true, "", nil
		}
	}
	if k, ok := s.cache.find(tag); ok {
		s.deliver(w, r, k, int64(len(k.body)), bytes.NewReader(k.body))
		return true, "", nil
	}
	return false, state.String(), nil
}

// lasts is how long an answer is the same at one state of a ledger: a verification may find something
// in blocks that are sealed.
const lasts = 10 * time.Minute

// stamp is that of the answers of this run of the server, at this time: another run may have other
// prices, labels, tables or sources.
func (s *server) stamp() string {
	return fmt.Sprintf("%s %d", s.key, time.Since(s.began)/lasts)
}

// unchanged tells whether the ledger is as it was when a question began. An answer about one that is
// not is of no state: no ETag stands for it.
func (s *server) unchanged(w http.ResponseWriter, r *http.Request, about app.Period, before string) bool {
	now, err := s.stateOf(r.Context(), about)
	if err != nil || now.String() != before {
		w.Header().Del("ETag")
		return false
	}
	return true
}

// answer is a file in the making. Nothing of it is sent before all of it is there: what fails half
// way is no file.
type answer struct {
	form        string
	name        string // of the file, for who saves it
	contentType string
	*os.File
}

// contentTypes are those of the forms.
var contentTypes = map[string]string{
	"csv":     "text/csv; charset=utf-8",
	"parquet": "application/vnd.apache.parquet",
	"json":    "application/json",
	"jsonl":   "application/jsonl",
	"xlsx":    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// file sends a file that follows from what is sealed of a period alone. Its form is what its name ends
// with; without an end it is JSON.
func (s *server) file(w http.ResponseWriter, r *http.Request, about app.Period, write func(*answer) error) error {
	same, before, err := s.same(w, r, about, "")
	if same || err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error {
		err := write(to)
		if err == nil && w.Header().Get("ETag") != "" {
			s.unchanged(w, r, about, before)
		}
		return err
	})
}

// send sends a file once all of it is there.
func (s *server) send(w http.ResponseWriter, r *http.Request, write func(*answer) error) error {
	file, err := spill.NewFile()
	if err != nil {
		return err
	}
	defer spill.CloseFile(file)
	to := &answer{form: strings.TrimPrefix(path.Ext(r.URL.Path), "."), name: path.Base(r.URL.Path), File: file}
	if contentTypes[to.form] == "" || s.forPrograms(r) {
		to.form = "json"
	}
	if err := write(to); err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	k := kept{contentType: cmp.Or(to.contentType, contentTypes[to.form])}
	if !s.forPrograms(r) {
		k.name = to.name
	}
	if tag := w.Header().Get("ETag"); tag != "" && size <= mostOfOne {
		if k.body, err = io.ReadAll(file); err != nil {
			return err
		}
		s.cache.add(tag, k)
		s.deliver(w, r, k, size, bytes.NewReader(k.body))
		return nil
	}
	s.deliver(w, r, k, size, file)
	return nil
}

// deliver sends an answer that is there.
func (s *server) deliver(w http.ResponseWriter, r *http.Request, k kept, size int64, body io.Reader) {
	answered(w, r)
	h := w.Header()
	h.Set("Content-Type", k.contentType)
	h.Set("Content-Length", fmt.Sprint(size))
	if k.name != "" {
		h.Set("Content-Disposition", attachment(k.name))
	}
	_, _ = io.Copy(w, body) // whoever has gone does not read it
}
