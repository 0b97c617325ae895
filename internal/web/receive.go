package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feeledger/fees/internal/console"
)

const (
	// mostArriving is how many files may arrive at once.
	mostArriving = 4
	// mostField is how long what else a form has may be.
	mostField = 8 << 10
	// mostForm is how much of a form is not the file.
	mostForm = 256 << 10
	// mostDrained is how much more is read of what is too large: a browser reads no answer before
	// it has sent all.
	mostDrained = 8 * mostFile
	// mostName is how long the name of a file may be.
	mostName = 120
)

// arrivalTime is how long a file may take to arrive.
var arrivalTime = time.Minute

var (
	errTooLarge = &problem{http.StatusRequestEntityTooLarge, "Too large", fmt.Sprintf("A file may have %d MB here. fees reconcile on the command line has no such bound.", mostFile>>20)}
	errTooSlow  = &problem{http.StatusRequestTimeout, "Too slow", "The file did not arrive in time. Send it again, or use fees reconcile on the command line."}
	errArriving = &problem{http.StatusTooManyRequests, "Busy", "Many files arrive. Send it again in a moment."}
)

// receive keeps a company's record of fees in memory, and leads to its page.
func (s *server) receive(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.arriving <- struct{}{}:
		defer func() { <-s.arriving }()
	default:
		w.Header().Set("Retry-After", "2")
		return errArriving
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(arrivalTime)) // a test's recorder has none
	_ = control.SetWriteDeadline(time.Now().Add(arrivalTime + sendTime))
	file, sc, err := s.readUpload(r)
	if err != nil {
		return err
	}
	to := s.base + "/reconcile/" + s.uploads.put(s.owner(r), file.Name, file.Content) + sc.query(nil)
	if len(to) > mostQuery {
		return &problem{http.StatusRequestURITooLong, "Too long", "Name fewer accounts, or a group of the address book."}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// forget gives up a file.
func (s *server) forget(w http.ResponseWriter, r *http.Request) error {
	if err := s.guarded(w, r); err != nil {
		return err
	}
	if !s.uploads.forget(s.owner(r), r.PathValue("token")) {
		return errNotKept
	}
	http.Redirect(w, r, s.base+"/reconcile", http.StatusSeeOther)
	return nil
}

// readUpload reads a form with a file and a scope. Nothing of it comes near a disk.
func (s *server) readUpload(r *http.Request) (*upload, *scope, error) {
	if r.ContentLength > mostFile+mostForm {
		return nil, nil, drained(r)
	}
	body := &io.LimitedReader{R: r.Body, N: mostFile + mostForm + 1}
	file, values, err := readForm(body, r.Header.Get("Content-Type"), s.token(r) != "", func(token string) error { return s.checkToken(r, token) })
	switch {
	case body.N <= 0 || errors.Is(err, errTooLarge):
		return nil, nil, drained(r)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil, errTooSlow
	case err != nil:
		var own *problem
		if !errors.As(err, &own) {
			err = notUnderstood("The form cannot be read: it is no multipart/form-data, or it broke off.")
		}
		return nil, nil, err
	case file == nil || len(file.Content) == 0:
		return nil, nil, notUnderstood("There is no file, or nothing is in it: choose a csv or xlsx file.")
	}
	sc, err := readScope(values.Encode())
	return file, &sc, err
}

// drained reads on what is too large, so that its sender hears of it.
func drained(r *http.Request) error {
	if _, err := io.CopyN(io.Discard, r.Body, mostDrained); errors.Is(err, os.ErrDeadlineExceeded) {
		return errTooSlow
	}
	return errTooLarge
}

// readForm reads the parts of a form as they come. Where there must be a token, nothing that comes
// before it is read.
func readForm(body io.Reader, contentType string, guarded bool, check func(token string) error) (file *upload, values url.Values, err error) {
	kind, about, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || about["boundary"] == "" {
		return nil, nil, notUnderstood("Files are sent as multipart/form-data.")
	}
	parts := multipart.NewReader(body, about["boundary"])
	values = url.Values{}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return file, values, nil
		}
		if err != nil {
			return nil, nil, err
		}
		name := part.FormName()
		if guarded && name != "token" {
			return nil, nil, errForged
		}
		switch {
		case name == "file" && file == nil:
			file, err = readFile(part)
		case slices.Contains(scopeParameters, name) && !values.Has(name), name == "token" && !values.Has(name):
			err = readValue(part, values)
		default:
			err = notUnderstood("%q is no field of this form, or comes twice.", console.Printable(name))
		}
		if err != nil {
			return nil, nil, err
		}
		if guarded {
			if err := check(values.Get("token")); err != nil {
				return nil, nil, err
			}
			guarded = false
		}
		values.Del("token")
	}
}

func readFile(part *multipart.Part) (*upload, error) {
	content, err := io.ReadAll(io.LimitReader(part, mostFile+1))
	if err == nil && len(content) > mostFile {
		err = errTooLarge
	}
	return &upload{Name: shownFile(part.FileName()), Content: bytes.Clone(content)}, err
}

func readValue(part *multipart.Part, values url.Values) error {
	text, err := io.ReadAll(io.LimitReader(part, mostField+1))
	if err == nil && len(text) > mostField {
		err = notUnderstood("The field %s is too long.", part.FormName())
	}
	if len(text) > 0 {
		values.Set(part.FormName(), string(text))
	}
	return err
}

// shownFile is the name of a file as people see it: nothing is opened by it.
func shownFile(name string) string {
	name = console.Printable(name[strings.LastIndexAny(name, `/\`)+1:])
	for len(name) > mostName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.TrimSpace(name); strings.Trim(name, ".") == "" {
		name = ""
	}
	return cmp.Or(name, "company")
}
