package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/sys/plain"
)

// themes are the colour themes. The last follows the browser.
var themes = []string{"light", "dark", "system"}

// themeCookie stores the chosen theme.
const themeCookie = "theme"

// shade returns the current theme.
func (v *frame) shade() string {
	if v.Theme == "" {
		return themes[len(themes)-1]
	}
	return v.Theme
}

// themeOf returns the chosen theme, or "" to follow the browser.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && slices.Contains(themes[:2], c.Value) {
		return c.Value
	}
	return ""
}

// setTheme stores the chosen theme and redirects back to the page.
func (s *server) setTheme(w http.ResponseWriter, r *http.Request) {
	values, err := parameters(r.URL.RawQuery, "set", "to")
	if err == nil && !slices.Contains(themes, values.Get("set")) {
		err = invalidRequest("set=%s is not a theme. Use one of %s.", plain.Line(values.Get("set")), strings.Join(themes, ", "))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: values.Get("set"), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, ownPath(values.Get("to")), http.StatusSeeOther)
}
