package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// everyone is the value of the parameter accounts for all accounts, whatever the company is.
const everyone = "all"

// companyCookie stores the accounts that a user chose to see first, of one ledger.
const companyCookie = "company"

// maxCompany limits the length of the cookie's value: browsers drop longer cookies.
const maxCompany = 3000

// company returns the accounts that a page is about if its address names none: those that the user chose, or else those
// of the server. "" means all accounts.
func (s *server) company(r *http.Request) string {
	own := s.Company
	if c, err := r.Cookie(companyCookie); err == nil && len(c.Value) <= maxCompany {
		if chosen, err := url.QueryUnescape(c.Value); err == nil && s.canChoose(chosen) {
			own = chosen
		}
	}
	if own == everyone || own != "" && !s.canChoose(own) { // the group can be gone
		return ""
	}
	return own
}

// canChoose reports whether a text names accounts; the address book may have changed since it was stored.
func (s *server) canChoose(accounts string) bool {
	sc := scope{Accounts: accounts}
	_, err := s.choose(sc.list())
	return err == nil && accounts != ""
}

// withCompany redirects a request that names no accounts to the page of the company's, so that each address states what
// its figures are about.
func withCompany(ask endpoint) endpoint {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		own := s.company(r)
		if values, err := url.ParseQuery(r.URL.RawQuery); own == "" || err != nil || values.Has("accounts") || refusalOf(r) != nil {
			return ask(s, w, r)
		}
		query := "accounts=" + url.QueryEscape(own)
		if r.URL.RawQuery != "" {
			query = r.URL.RawQuery + "&" + query
		}
		http.Redirect(w, r, r.URL.EscapedPath()+"?"+query, http.StatusSeeOther)
		return nil
	}
}

// setCompany stores the accounts of the view bar's form as the company, and redirects back to the page.
func (s *server) setCompany(w http.ResponseWriter, r *http.Request) error {
	values, err := s.fields(w, r, maxForm)
	if err != nil {
		return err
	}
	values = without(values, "token")
	names := slices.DeleteFunc(values["accounts"], func(text string) bool { return text == "" })
	accounts := strings.Join(names, ",")
	if accounts == "" {
		accounts = everyone
	}
	sc := scope{Accounts: accounts}
	if _, err := s.choose(sc.list()); err != nil {
		return err
	}
	value := url.QueryEscape(accounts)
	if len(value) > maxCompany {
		return invalidRequest("accounts: these are too many to remember. Give them a group in the address book, and choose the group.")
	}
	http.SetCookie(w, &http.Cookie{Name: companyCookie, Value: value, Path: s.base + "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	values.Set("accounts", accounts)
	http.Redirect(w, r, ownPath(s.base+"/"+r.PathValue("page")+"?"+values.Encode()), http.StatusSeeOther)
	return nil
}
