package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/markup"
)

// refusal is a form that was refused. Its page is shown again with the reason and with what was typed.
type refusal struct {
	request *http.Request
	cause   error
	problem *problem
	shown   bool // at a form; otherwise the page begins with it
}

// refusalKey is the context key of the refusal that a page is shown for.
type refusalKey struct{}

// refusalOf returns the refusal that a page is shown for; nil if it is shown for itself.
func refusalOf(r *http.Request) *refusal {
	ref, _ := r.Context().Value(refusalKey{}).(*refusal)
	return ref
}

// showAgain shows the page of a refused form again, and reports whether the form has one.
func (s *server) showAgain(w http.ResponseWriter, r *http.Request, cause error) bool {
	to := s.formPage(r)
	at, err := url.Parse(to)
	if to == "" || err != nil || r.Context().Err() != nil {
		return false
	}
	ref := &refusal{request: r, cause: cause, problem: problemOf(r.Context(), cause, s.Time)}
	again := r.Clone(context.WithValue(r.Context(), refusalKey{}, ref))
	if len(to) > maxQuery { // for the links to the page itself
		to = at.Path
	}
	again.Method, again.URL, again.RequestURI, again.Body, again.ContentLength = http.MethodGet, at, to, http.NoBody, 0
	s.noteFailure(w, r, ref.problem, cause)
	s.pages.ServeHTTP(w, again)
	return true
}

// formPage returns the page of a form with what was typed; "" for a form without a page.
func (s *server) formPage(r *http.Request) string {
	_, pattern := s.posting.Handler(r)
	path, about := s.pathOf(r), r.URL.Query()
	list, own, _ := strings.Cut(r.PostForm.Get("list"), "?")
	switch before, last := path[:strings.LastIndex(path, "/")+1], path[strings.LastIndex(path, "/")+1:]; {
	case s.Ledger == nil || pattern == "" || path == "login" || path == "logout":
		return ""
	case isEntryList(list):
		path = list
		about, _ = url.ParseQuery(own)
		about.Del("saved")
	case strings.HasPrefix(path, "company/"):
		path, about = strings.TrimPrefix(path, "company/"), without(r.PostForm, "token")
	case last == "undo":
		path = "accounts"
	case last == "forget" || last == "check":
		path = strings.TrimSuffix(before, "/")
	default:
		path, own, _ = strings.Cut(strings.TrimPrefix(s.typedPage(r), s.base+"/"), "?")
		typed, _ := url.ParseQuery(own)
		for name, text := range typed {
			about[name] = text
		}
	}
	if len(about) > 0 {
		path += "?" + about.Encode()
	}
	return s.base + "/" + path
}

// typedInto returns what was typed into a form if the page is shown because it was refused; otherwise nil.
func (ref *refusal) typedInto(s *server, f *form) url.Values {
	if ref == nil || ref.request.URL.Path != s.base+"/"+f.Action {
		return nil
	}
	typed := ref.request.PostForm
	if typed == nil { // it could not be read
		typed = url.Values{}
	}
	for _, o := range f.Hidden {
		if o.Value == "payer" && o.Text != typed.Get("payer") || o.Value == "manifest" && f.answers() && o.Text != typed.Get("manifest") {
			return nil
		}
	}
	for _, act := range f.Acts {
		if act.Value == typed.Get("act") {
			return typed
		}
	}
	if f.Acts != nil {
		return nil
	}
	return typed
}

// answers reports whether a form answers one of several questions.
func (f *form) answers() bool { return len(f.Acts) == 1 && f.Acts[0].Value == string(ledger.Answered) }

// postForm makes a form one that uses POST. If it was refused, it says why, and its first wrong field has the focus.
func (s *server) postForm(r *http.Request, f *form) *form {
	f.Post, f.Token = true, s.token(r)
	ref := refusalOf(r)
	if ref.typedInto(s, f) == nil || len(f.Fields) == 0 {
		return f
	}
	f.Bad, f.Shown, ref.shown = ref.problem.Detail, true, true
	wrong := &f.Fields[0]
	name, rest, _ := strings.Cut(f.Bad, ": ")
	for _, list := range [][]control{f.Fields, f.More} {
		for i := range list {
			if list[i].Name == name {
				wrong, f.Bad = &list[i], list[i].Label+": "+rest
			}
		}
	}
	wrong.Focus = true
	return f
}

// refused returns why a form was refused; nil if it was not.
func (f *form) refused() g.Node {
	if f.Bad == "" {
		return nil
	}
	return markup.El("p", markup.Attr("class", "refused"), markup.Attr("id", "refused"), markup.Attr("role", "alert"), markup.Text(f.Bad))
}

// wrong returns the attributes of the field that is to be corrected.
func wrong(is bool) g.Node {
	return g.If(is, g.Group{markup.Attr("autofocus"), markup.Attr("aria-describedby", "refused")})
}
