package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"
)

// token is what a form of this server has with it, its first field: no page of another site knows
// it. It is of the session, or of the user whom a proxy names; "" where there are no users, for then
// nobody is there in whose name another site could send something.
func (s *server) token(r *http.Request) string {
	if s.Users == nil && s.Header == "" {
		return ""
	}
	v := visitorOf(r)
	whose := "browser " + v.browser
	if s.Header != "" {
		whose = "user " + v.user
	}
	mac := hmac.New(sha256.New, s.key)
	_, _ = io.WriteString(mac, whose) // it never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// errForged is a form that was not made for who sends it.
var errForged = &problem{http.StatusForbidden, "The page is too old", "Go back, load the page again, and send it once more. The browser must keep cookies."}

// checkToken refuses a form that was not made for who sends it. A form with a file is checked
// before the file is read.
func (s *server) checkToken(r *http.Request, token string) error {
	v := visitorOf(r)
	nobody := s.Users != nil && v.browser == "" || s.Header != "" && v.user == ""
	if nobody || !hmac.Equal([]byte(token), []byte(s.token(r))) {
		return errForged
	}
	return nil
}

// guarded reads a form that has a token alone, where somebody has logged in.
func (s *server) guarded(w http.ResponseWriter, r *http.Request) (err error) {
	if s.token(r) != "" {
		_, err = s.fields(w, r, mostField)
	}
	return err
}

// fields are those of a form without files, of so many bytes at most, whose token is right.
func (s *server) fields(w http.ResponseWriter, r *http.Request, most int64) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil, &problem{http.StatusUnsupportedMediaType, "Not understood", "This form sends application/x-www-form-urlencoded."}
	}
	if _, err := parameters(r.URL.RawQuery); err != nil {
		return nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(arrivalTime)) // a test's recorder has none
	r.Body = http.MaxBytesReader(w, r.Body, most)
	err := r.ParseForm()
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &problem{http.StatusRequestEntityTooLarge, "Too large", "It is too large to be sent here."}
	case err != nil:
		return nil, notUnderstood("What was sent cannot be read.")
	}
	return r.PostForm, s.checkToken(r, r.PostForm.Get("token"))
}
