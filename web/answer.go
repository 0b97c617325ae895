package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/feeledger/fees/internal/spill"
)

// same tells whether the browser has the answer already: it follows from what is sealed, from the
// question and from the program. It says, for people, what is sealed.
func (s *server) same(w http.ResponseWriter, r *http.Request) (same bool, sealed string, err error) {
	state, err := s.Desk.State(r.Context())
	if err != nil {
		return false, "", err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Program, state.String(), r.URL.RequestURI(), s.labels}, "\n")))
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return true, "", nil
		}
	}
	return false, state.String(), nil
}

// answer is a file in the making. Nothing of it is sent before all of it is there: what fails half
// way is no file.
type answer struct {
	form string
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

// file sends a file that follows from what is sealed alone. Its form is what its name ends with;
// without an end it is JSON.
func (s *server) file(w http.ResponseWriter, r *http.Request, write func(*answer) error) error {
	same, _, err := s.same(w, r)
	if same || err != nil {
		return err
	}
	file, err := spill.NewFile()
	if err != nil {
		return err
	}
	defer spill.CloseFile(file)
	to := &answer{strings.TrimPrefix(path.Ext(r.URL.Path), "."), file}
	if contentTypes[to.form] == "" || strings.HasPrefix(r.URL.Path, "/api/") {
		to.form = "json"
	}
	if err := write(to); err != nil {
		return err
	}
	answered(w, r)
	w.Header().Set("Content-Type", contentTypes[to.form])
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", path.Base(r.URL.Path)))
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", fmt.Sprint(size))
	_, _ = io.Copy(w, file) // whoever has gone does not read it
	return nil
}
