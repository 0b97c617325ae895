package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/console"
)

// themes are the colours that a page can have. The last is that of the browser.
var themes = []string{"light", "dark", "system"}

// themeCookie keeps which was chosen.
const themeCookie = "theme"

// Themes are those to choose from.
func (v *view) Themes() []string { return themes }

// Shade is the one that is chosen.
func (v *view) Shade() string {
	if v.Theme == "" {
		return themes[len(themes)-1]
	}
	return v.Theme
}

// themeOf is the one that was chosen, "" for the browser's.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && slices.Contains(themes[:2], c.Value) {
		return c.Value
	}
	return ""
}

// setTheme keeps a choice, and leads back to the page.
func (s *server) setTheme(w http.ResponseWriter, r *http.Request) {
	values, err := parameters(r.URL.RawQuery, "set", "to")
	if err == nil && !slices.Contains(themes, values.Get("set")) {
		err = notUnderstood("set=%s: there are %s.", console.Printable(values.Get("set")), strings.Join(themes, ", "))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: values.Get("set"), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, ownPath(values.Get("to")), http.StatusSeeOther)
}
