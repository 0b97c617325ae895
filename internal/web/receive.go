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

	"github.com/feeledger/fees/internal/sys/plain"
)

const (
	// maxUploads limits concurrent uploads.
	maxUploads = 4
	// maxField limits the length of a form field.
	maxField = 8 << 10
	// maxForm limits the size of a form without its file.
	maxForm = 256 << 10
	// maxDrainBytes limits how much of an oversized upload is read on: a browser reads no response before
	// it has sent everything.
	maxDrainBytes = 8 * maxFile
	// maxName limits the length of a file name.
	maxName = 120
)

// arrivalTime limits the duration of an upload.
var arrivalTime = time.Minute

var (
	errTooLarge = &problem{http.StatusRequestEntityTooLarge, "Too large", fmt.Sprintf("Files are limited to %d MB here. For larger files, use fees reconcile on the command line.", maxFile>>20)}
	errTooSlow  = &problem{http.StatusRequestTimeout, "Too slow", "The file did not arrive in time. Send it again, or use fees reconcile on the command line."}
	errArriving = &problem{http.StatusTooManyRequests, "Busy", "Too many uploads at once. Try again in a moment."}
)

// receive keeps a company's record of fees in memory and redirects to its page.
func (s *server) receive(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.arriving <- struct{}{}:
		defer func() { <-s.arriving }()
	default:
		w.Header().Set("Retry-After", "2")
		return errArriving
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(arrivalTime)) // httptest recorders do not support it
	_ = control.SetWriteDeadline(time.Now().Add(arrivalTime + sendTime))
	file, sc, err := s.readUpload(r)
	if err != nil {
		return err
	}
	sc.Price = s.readable(r.Context(), r.URL.Query()).Price
	query := sc.query(nil)
	if len(s.base)+len(query) > maxQuery-64 {
		return &problem{http.StatusRequestURITooLong, "Address too long", "Name fewer accounts, or use a group of the address book."}
	}
	token, kept := s.uploads.put(s.owner(r), file.Name, file.Content)
	if s.saves(r) {
		if err := s.save(r, token, kept, sc); err != nil {
			s.uploads.forget(s.owner(r), token)
			return err
		}
	}
	to := s.base + "/reconcile/" + token + query
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// forget discards a file.
func (s *server) forget(w http.ResponseWriter, r *http.Request) error {
	if err := s.guarded(w, r); err != nil {
		return err
	}
	saved, err := s.forgetSaved(s.owner(r), r.PathValue("token"))
	if err != nil {
		return err
	}
	if !s.uploads.forget(s.owner(r), r.PathValue("token")) && !saved {
		return errNotKept
	}
	s.seeOther(w, r, "reconcile")
	return nil
}

// readUpload parses a form with a file and a scope. It writes nothing to disk.
func (s *server) readUpload(r *http.Request) (*upload, *scope, error) {
	if r.ContentLength > maxFile+maxForm {
		return nil, nil, drained(r)
	}
	body := &io.LimitedReader{R: r.Body, N: maxFile + maxForm + 1}
	file, values, err := readForm(body, r.Header.Get("Content-Type"), s.token(r) != "", func(token string) error { return s.checkToken(r, token) })
	r.PostForm = values // for the way back to the form
	switch {
	case body.N <= 0 || errors.Is(err, errTooLarge):
		return nil, nil, drained(r)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil, errTooSlow
	case err != nil:
		var own *problem
		if !errors.As(err, &own) {
			err = invalidRequest("The form cannot be read: it is not valid multipart/form-data, or it was cut off.")
		}
		return nil, nil, err
	case file == nil || len(file.Content) == 0:
		return nil, nil, invalidRequest("The file is missing or empty. Choose a csv or xlsx file.")
	}
	sc, err := readScope(values.Encode())
	return file, &sc, err
}

// drained reads the rest of an oversized request, so that its sender receives the error.
func drained(r *http.Request) error {
	if _, err := io.CopyN(io.Discard, r.Body, maxDrainBytes); errors.Is(err, os.ErrDeadlineExceeded) {
		return errTooSlow
	}
	return errTooLarge
}

// readForm reads the parts of a form in order. If a token is required, it must come first: nothing is read
// before it is verified.
func readForm(body io.Reader, contentType string, guarded bool, check func(token string) error) (file *upload, values url.Values, err error) {
	kind, about, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || about["boundary"] == "" {
		return nil, nil, invalidRequest("Send the file as multipart/form-data.")
	}
	parts := multipart.NewReader(body, about["boundary"])
	values = url.Values{}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return file, values, nil
		}
		if err != nil {
			return nil, values, err
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
			err = invalidRequest("The field %q is unknown or repeated.", plain.Line(name))
		}
		if err != nil {
			return nil, values, err
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
	content, err := io.ReadAll(io.LimitReader(part, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = errTooLarge
	}
	return &upload{Name: shownFile(part.FileName()), Content: bytes.Clone(content)}, err
}

func readValue(part *multipart.Part, values url.Values) error {
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err == nil && len(text) > maxField {
		err = invalidRequest("The field %s is too long.", part.FormName())
	}
	if len(text) > 0 {
		values.Set(part.FormName(), string(text))
	}
	return err
}

// shownFile returns a file's name for display only; no file is opened by that name.
func shownFile(name string) string {
	name = plain.Line(name[strings.LastIndexAny(name, `/\`)+1:])
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.TrimSpace(name); strings.Trim(name, ".") == "" {
		name = ""
	}
	return cmp.Or(name, "company")
}
