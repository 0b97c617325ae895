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
	"slices"
	"time"
)

// token returns the anti-forgery token of a form, its first field. It is bound to the session, or to the user
// named by a proxy; it is "" if there are no users, because another site could then send nothing in a
// user's name.
func (s *server) token(r *http.Request) string {
	if s.Users == nil && s.Header == "" {
		return ""
	}
	v := visitorOf(r)
	whose := "browser " + v.browser
	if s.Header != "" {
		whose = "user " + v.user
	}
	mac := hmac.New(sha256.New, s.tokenKey)
	_, _ = io.WriteString(mac, whose) // a hash never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// errForged reports a form without a valid token for the sender.
var errForged = &problem{http.StatusForbidden, "Form expired", "The form has expired. Send it again from its page. Cookies must be enabled."}

// checkToken rejects a form without a valid token for the sender. If the form contains a file, the token is checked
// before the file is read.
func (s *server) checkToken(r *http.Request, token string) error {
	v := visitorOf(r)
	unknown := s.Users != nil && v.browser == "" || s.Header != "" && v.user == ""
	if unknown || !hmac.Equal([]byte(token), []byte(s.token(r))) {
		return errForged
	}
	return nil
}

// guarded reads a form that contains only a token, if tokens are in use.
func (s *server) guarded(w http.ResponseWriter, r *http.Request) (err error) {
	if s.token(r) != "" {
		_, err = s.fields(w, r, maxField)
	}
	return err
}

// fields parses a form without files, of up to limit bytes, and checks its token.
func (s *server) fields(w http.ResponseWriter, r *http.Request, limit int64) (url.Values, error) {
	if _, err := parameters(r.URL.RawQuery, append(slices.Clip(scopeParameters), priceParameter)...); err != nil {
		return nil, err
	}
	if err := readFields(w, r, limit); err != nil {
		return nil, err
	}
	return r.PostForm, s.checkToken(r, r.PostForm.Get("token"))
}

// readFields parses a form without files into the request.
func readFields(w http.ResponseWriter, r *http.Request, limit int64) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return &problem{http.StatusUnsupportedMediaType, "Invalid request", "Send this form as application/x-www-form-urlencoded."}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(arrivalTime)) // httptest recorders do not support it
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	err := r.ParseForm()
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &problem{http.StatusRequestEntityTooLarge, "Too large", "The form is too large."}
	case err != nil:
		return invalidRequest("The form cannot be read.")
	}
	return nil
}
