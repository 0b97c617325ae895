package web

import (
	"bytes"
	"cmp"
	"context"
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

// same reports whether the browser's copy is current, or serves a cached answer. The ETag is derived from the sealed
// state of the period, the request, this server process and from what else the answer shows. It also
// returns the sealed state as text.
func (s *server) same(w http.ResponseWriter, r *http.Request, about app.Period, besides ...string) (same bool, sealed string, err error) {
	state, err := s.stateOf(r.Context(), about)
	if err != nil {
		return false, "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{s.stamp(), state.String(), r.RequestURI, themeOf(r)}, besides...), "\n")))
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

// maxReuse limits how long an answer is reused at one state of a ledger: a verification may find something
// in sealed blocks.
const maxReuse = 10 * time.Minute

// stamp identifies the answers of this process at this time, between two edits of the address book: another process may
// have different prices, labels, tables or sources.
func (s *server) stamp() string {
	return fmt.Sprintf("%s %d %d", s.key, time.Since(s.began)/maxReuse, s.names.inUse.Load().number)
}

// isStill reports whether the ledger is still in a state.
func (s *server) isStill(ctx context.Context, about app.Period, before string) bool {
	now, err := s.stateOf(ctx, about)
	return err == nil && now.String() == before
}

// answer buffers a file. Nothing is sent before the file is complete, so a failure never leaves half a file.
type answer struct {
	form        string
	name        string // of the file when saved
	contentType string
	*os.File
}

// contentTypes maps a form to its media type.
var contentTypes = map[string]string{
	"csv":     "text/csv; charset=utf-8",
	"parquet": "application/vnd.apache.parquet",
	"json":    "application/json",
	"jsonl":   "application/jsonl",
	"pdf":     "application/pdf",
	"xlsx":    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// file sends a file that depends only on the sealed blocks of a period. The extension of its name selects the form;
// without one it is JSON.
func (s *server) file(w http.ResponseWriter, r *http.Request, about app.Period, write func(*answer) error) error {
	same, before, err := s.same(w, r, about)
	if same || err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error {
		err := write(to)
		if err == nil && w.Header().Get("ETag") != "" && !s.isStill(r.Context(), about, before) {
			w.Header().Del("ETag") // it belongs to no single state
		}
		return err
	})
}

// send sends a file once it is complete.
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
	if tag := w.Header().Get("ETag"); tag != "" && size <= maxAnswerBytes {
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

// deliver sends a complete answer.
func (s *server) deliver(w http.ResponseWriter, r *http.Request, k kept, size int64, body io.Reader) {
	releaseAnswered(w, r)
	h := w.Header()
	h.Set("Content-Type", k.contentType)
	h.Set("Content-Length", fmt.Sprint(size))
	if k.name != "" {
		h.Set("Content-Disposition", attachment(k.name))
	}
	_, _ = io.Copy(w, body) // the client may have disconnected
}
