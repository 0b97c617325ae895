package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/plain"
)

// sought are the things that can be looked up.
var sought = []string{
	"25: a block, by its height", "25-7: a transaction, by block and index", "0x and 64 digits: a transaction, by its EVM or extrinsic hash",
	"0x and 40 digits: an account or a contract; the first digits are enough for accounts in the address book",
	"2026-01 or 2026-01-31: the fees of a month or a day", "a label or a group of the address book, or a part of one",
}

// addressLength is the length of an address as text.
const addressLength = len("0x") + 40

// lookup redirects to the page of a hash, height, transaction, address, month or label.
func (s *server) lookup(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r.URL.RawQuery, "q")
	if err != nil {
		return err
	}
	text := strings.TrimSpace(values.Get("q"))
	to := ""
	switch {
	case text == "":
		return invalidRequest("Nothing to look up. Enter a height, a hash, a transaction (25-7), an address, a month or a label.")
	case aMonth.MatchString(text):
		to = "fees?partial=1&period=" + text
	case aDay.MatchString(text):
		to = "fees?partial=1&period=" + text + ".." + text
	case isTransactionID.MatchString(text):
		to = "tx/" + text
	default:
		if _, err := heightOf(text); err == nil {
			to = "block/" + text
		} else if hash, err := chain.ParseHash(text); err == nil {
			if to, err = s.placeOf(r, hash); err != nil {
				size, unread := s.Ledger.Book.AccountSize(r.Context())
				if size != len(hash) || unread != nil || !errors.As(err, new(*problem)) {
					return err
				}
				to = "account/" + chain.Address32(hash).String()
			}
		} else if account, err := app.OneAccount(text, s.labels()); err == nil {
			to = "account/" + account.String()
		} else if app.IsAddress(text) && len(text) >= addressLength {
			return err
		}
	}
	if to == "" {
		found := s.matches(text, s.network(r.Context()))
		if len(found) != 1 {
			s.suggest(w, r, text, found)
			return nil
		}
		to = found[0].to
	}
	http.Redirect(w, r, s.base+"/"+to, http.StatusSeeOther)
	return nil
}

// placeOf returns the page of a transaction by its hash.
func (s *server) placeOf(r *http.Request, hash chain.Hash) (string, error) {
	at, err := s.Ledger.PlaceOf(r.Context(), hash.String())
	var none *app.NotThereError
	if errors.As(err, &none) {
		return "", &problem{http.StatusNotFound, "Not found", "No transaction in this ledger has that hash."}
	}
	return fmt.Sprintf("tx/%d-%d", at.Height, at.Row), err
}

// matchesPage is the page of a look-up with several matches or none.
type matchesPage struct {
	frame
	tables
}

func (p *matchesPage) main() g.Node { return p.body(p.notices.node(), p.tables.node(), p.notesList()) }

// suggest writes the page of a look-up with several matches or none.
func (s *server) suggest(w http.ResponseWriter, r *http.Request, text string, found []match) {
	v := &matchesPage{frame: frame{Title: "Look up", Path: "lookup", Sought: plain.Line(text), Notes: sought}}
	if len(found) == 0 {
		v.Failed = true
		v.Lead = fmt.Sprintf("No match for %q. Try a height, a hash, a transaction (25-7), an address, a month or a label.", v.Sought)
		v.Ways = []link{{"Accounts", "accounts"}, {"Overview", "overview"}}
		s.render(w, r, http.StatusNotFound, v)
		return
	}
	v.Lead, v.Tables = fmt.Sprintf("%q is part of %d names in the address book.", v.Sought, len(found)), []*tabular{matchTable(found)}
	s.render(w, r, http.StatusOK, v)
}
