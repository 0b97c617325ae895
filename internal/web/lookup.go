package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// lookup leads to what a text names.
func (s *server) lookup(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r.URL.RawQuery, "q")
	if err != nil {
		return err
	}
	text := strings.TrimSpace(values.Get("q"))
	to := ""
	switch {
	case text == "":
		return notUnderstood("What are you looking for? A hash, a height, a place such as 25-7, an address, a label, a month.")
	case aMonth.MatchString(text):
		to = "fees?partial=1&period=" + text
	case isPlace.MatchString(text):
		to = "tx/" + text
	default:
		if _, err := heightOf(text); err == nil {
			to = "block/" + text
		} else if hash, err := chain.ParseHash(text); err == nil {
			if to, err = s.placeOf(r, hash); err != nil {
				return err
			}
		} else if account, err := app.OneAccount(text, s.Labels); err == nil {
			to = "account/" + account.String()
		} else if app.IsAddress(text) {
			return err
		}
	}
	if to == "" {
		return &problem{http.StatusNotFound, "Not there", fmt.Sprintf("%q is no height, no hash, no place such as 25-7, no address, no month, and no label of the address book.", console.Printable(text))}
	}
	http.Redirect(w, r, s.base+"/"+to, http.StatusSeeOther)
	return nil
}

// placeOf is the page of what has a hash.
func (s *server) placeOf(r *http.Request, hash chain.Hash) (string, error) {
	at, err := s.Desk.PlaceOf(r.Context(), hash.String())
	var none *app.NotThereError
	if errors.As(err, &none) {
		return "", &problem{http.StatusNotFound, "Not there", "Nothing in this ledger has that hash."}
	}
	return fmt.Sprintf("tx/%d-%d", at.Height, at.Row), err
}
