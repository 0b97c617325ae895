package web

import (
	"errors"
	"net/http"
	"slices"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// logIn is the content of the log-in page.
type logIn struct {
	Name  string // as typed
	To    string // the page after log-in
	Bad   string // why the last attempt failed
	Token string
}

// The pages of the log-in, and of the way to another page.
type (
	accessPage struct {
		frame
		LogIn *logIn
	}
	redirectPage struct {
		frame
		Onward string
	}
)

func (p *accessPage) main() g.Node {
	return markup.El("main", markup.Attr("id", "main"), markup.Attr("class", "login"), markup.El("img", markup.Attr("src", "/icon.svg"), markup.Attr("width", "32"), markup.Attr("height", "32"), markup.Attr("alt", "")), p.content(p.LogIn.node()))
}

func (p *redirectPage) main() g.Node {
	return p.body(g.If(p.Onward != "", markup.El("p", link{"Continue", p.Onward}.node())))
}

func (l *logIn) node() g.Node {
	var refused, described g.Node
	if l.Bad != "" {
		refused, described = markup.El("p", markup.Attr("class", "refused"), markup.Attr("id", "refused"), markup.Attr("role", "alert"), markup.Text(l.Bad)), markup.Attr("aria-describedby", "refused")
	}
	return markup.El("form", markup.Attr("action", "/login"), markup.Attr("method", "post"), lines{
		hidden("token", l.Token),
		hidden("to", l.To),
		refused,
		markup.El("label", markup.Text("Name "), markup.El("input", markup.Attr("name", "name"), markup.Attr("value", l.Name), markup.Attr("autocomplete", "username"), markup.Attr("autocapitalize", "none"), markup.Attr("spellcheck", "false"), markup.Attr("required"), described, g.If(l.Name == "", markup.Attr("autofocus")))),
		markup.El("label", markup.Text("Password "), markup.El("input", markup.Attr("name", "password"), markup.Attr("type", "password"), markup.Attr("autocomplete", "current-password"), markup.Attr("required"), described, g.If(l.Name != "", markup.Attr("autofocus")))),
		markup.El("button", markup.Text("Log in")),
	})
}

// logInPage shows the log-in page.
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
		// A link on another site led here. The browser sends the cookie only with requests from a page of
		// this server.
		w.Header().Set("Refresh", "0; url="+to)
		s.render(w, r, http.StatusOK, &redirectPage{frame{Title: "Redirecting"}, to})
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
	lead := r.Host
	if !slices.ContainsFunc(s.Options.Ledgers, func(l Served) bool { return l.Closes || l.EditLabels }) {
		lead += " · read-only access"
	}
	s.render(w, r, status, &accessPage{frame{Title: "Log in to fees", Lead: lead}, l})
}

// logIn starts a session and redirects to the requested page.
func (s *server) logIn(w http.ResponseWriter, r *http.Request) error {
	fields, err := s.fields(w, r, maxField)
	if err != nil && r.PostForm.Has("name") { // of an old page
		s.renderLogIn(w, r, problemOf(r.Context(), err, s.Time).Status, &logIn{Name: r.PostForm.Get("name"), To: ownPath(r.PostForm.Get("to")), Bad: problemOf(r.Context(), err, s.Time).Detail})
		return nil
	}
	if err != nil {
		return err
	}
	l := &logIn{Name: fields.Get("name"), To: ownPath(fields.Get("to"))}
	err = s.logsIn(r, l.Name, fields.Get("password"))
	var misfit *loginError
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
	s.setCookie(w, r, s.sessions.begin(l.Name)) // never the previous cookie
	s.Log.Info("logged in", "user", l.Name, "address", s.clientOf(r).address.String())
	http.Redirect(w, r, l.To, http.StatusSeeOther)
	return nil
}

// logOut ends the session.
func (s *server) logOut(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.fields(w, r, maxField); err != nil {
		return err
	}
	v := visitorOf(r)
	s.sessions.end(v.browser)
	s.setCookie(w, r, random())
	s.Log.Info("logged out", "user", v.user, "address", s.clientOf(r).address.String())
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}
