package web

import (
	"errors"
	"net/http"
)

// logIn is what the page to log in at has.
type logIn struct {
	Name  string // that was typed
	To    string // where it leads
	Bad   string // why the last attempt failed
	Token string
}

// logInPage is the page to log in at.
func (s *server) logInPage(w http.ResponseWriter, r *http.Request) {
	values, err := parameters(r.URL.RawQuery, "to")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	to := ownPath(values.Get("to"))
	switch {
	case visitorOf(r).user != "":
		http.Redirect(w, r, to, http.StatusSeeOther)
	case r.Header.Get("Sec-Fetch-Site") == "cross-site":
		// A link in another site led here. The browser sends the cookie when a page of this
		// server asks, and only then.
		w.Header().Set("Refresh", "0; url="+to)
		s.render(w, r, http.StatusOK, &view{Title: "One moment", Onward: to})
	default:
		s.renderLogIn(w, r, http.StatusOK, &logIn{To: to})
	}
}

func (s *server) renderLogIn(w http.ResponseWriter, r *http.Request, status int, l *logIn) {
	if v := visitorOf(r); v.browser == "" {
		v.browser = random()
		s.setCookie(w, r, v.browser)
	}
	l.Token = s.token(r)
	s.render(w, r, status, &view{Title: "Log in to fees", Lead: r.Host + " · readers only: nothing can be changed here", LogIn: l})
}

// logIn begins a session, and leads to the page that was asked for.
func (s *server) logIn(w http.ResponseWriter, r *http.Request) error {
	fields, err := s.fields(w, r, mostField)
	if err != nil {
		return err
	}
	l := &logIn{Name: fields.Get("name"), To: ownPath(fields.Get("to"))}
	err = s.logsIn(r, l.Name, fields.Get("password"))
	var misfit *misfitError
	var wait *waitError
	switch {
	case errors.As(err, &misfit), errors.As(err, &wait):
		l.Bad = err.Error()
		setRetry(w, err)
		s.renderLogIn(w, r, problemOf(r.Context(), err, s.Time).Status, l)
		return nil
	case err != nil:
		return err
	}
	s.sessions.end(visitorOf(r).browser)
	s.setCookie(w, r, s.sessions.begin(l.Name)) // never what the browser had before
	s.Log.Info("logged in", "user", l.Name, "address", s.clientOf(r).address.String())
	http.Redirect(w, r, l.To, http.StatusSeeOther)
	return nil
}

// logOut ends the session.
func (s *server) logOut(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.fields(w, r, mostField); err != nil {
		return err
	}
	v := visitorOf(r)
	s.sessions.end(v.browser)
	s.setCookie(w, r, random())
	s.Log.Info("logged out", "user", v.user, "address", s.clientOf(r).address.String())
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}
