package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/plain"
)

// sought are the things that can be looked up.
var sought = []string{
	"25: a block, by its height", "25-7: a transaction, by block and index", "0x and 64 digits: a transaction, by its EVM or extrinsic hash",
	"0x and 40 digits: an account or a contract", "0x7e9D…3387: an address or a hash as pages show it; the first digits are enough",
	"2026-01, jan 2026, 31 Jan 2026: the fees of a month or a day", "0.0052: fees that begin with these digits, of transactions, days and accounts",
	"a label or a group of the address book, or a part of one", "Balances.transfer_keep_alive: transactions with this call",
}

// addressLength is the length of an address as text.
const addressLength = len("0x") + 40

// search is a look-up: a text, and the page from which it was looked up.
type search struct {
	text  string
	about scope
	found []match
	more  string // the list of all matches, if not all are shown
	where string // the period that was searched; "" if none was
}

// lookup redirects to the page of what was looked up, or lists several matches.
func (s *server) lookup(w http.ResponseWriter, r *http.Request) error {
	q, err := s.searchOf(r)
	if err != nil {
		return err
	}
	to, err := s.exactly(r, q)
	if err != nil {
		return err
	}
	if to == "" {
		if err := s.search(r, q); err != nil {
			return err
		}
		if len(q.found) != 1 || q.more != "" {
			s.suggest(w, r, q)
			return nil
		}
		to = q.found[0].to
	}
	http.Redirect(w, r, s.base+"/"+to, http.StatusSeeOther)
	return nil
}

// searchOf parses a look-up.
func (s *server) searchOf(r *http.Request) (*search, error) {
	about, err := readScope(r.URL.RawQuery, "q")
	if err != nil {
		return nil, err
	}
	q := &search{text: strings.TrimSpace(about.own.Get("q")), about: about}
	q.about.own = nil
	if q.text == "" {
		return nil, invalidRequest("Nothing to look up. Enter a height, a hash, a transaction (25-7), an address, an amount, a date or a label.")
	}
	if _, err := s.choose(about.list()); err != nil {
		return nil, err
	}
	return q, nil
}

// exactly returns the page of what a text names exactly; "" if it names nothing.
func (s *server) exactly(r *http.Request, q *search) (to string, err error) {
	text := ungrouped(q.text)
	if isTransactionID.MatchString(text) && !aMonth.MatchString(text) {
		return "tx/" + text, nil
	}
	if _, err := heightOf(text); err == nil {
		return "block/" + text, nil
	}
	if hash, err := chain.ParseHash(text); err == nil {
		if to, err = s.placeOf(r, hash); err != nil {
			size, unread := s.Ledger.Book.AccountSize(r.Context())
			if size != len(hash) || unread != nil || !errors.As(err, new(*problem)) {
				return "", err
			}
			to = "account/" + chain.Address32(hash).String()
		}
		return to, nil
	}
	if account, err := app.OneAccount(text, s.labels()); err == nil {
		return "account/" + account.String(), nil
	} else if app.IsAddress(text) && len(text) >= addressLength && !strings.Contains(text, "…") {
		return "", err
	}
	if period, ok := periodOf(text, s.yearOf(r, q)); ok {
		about := q.about
		about.Period, about.Partial = period, true
		return "fees" + about.query(nil), nil
	}
	return "", nil
}

// yearOf returns the year of the page from which something was looked up, or else of the ledger's last month.
func (s *server) yearOf(r *http.Request, q *search) string {
	if len(q.about.Period) >= 4 && aDay.MatchString(q.about.Period[:4]+"-01-01") {
		return q.about.Period[:4]
	}
	if months := s.months(r.Context()); len(months) > 0 {
		return months[len(months)-1].Name[:4]
	}
	return ""
}

// aCall matches the name of a call.
var aCall = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*\.[A-Za-z][A-Za-z0-9_]*$`)

// search finds what a text is a part of: names of the address book first, then amounts, addresses, hashes and calls in the
// period of the page.
func (s *server) search(r *http.Request, q *search) error {
	token := s.network(r.Context())
	q.found = s.matches(q.text, token)
	first, last, shortened := endsOf(q.text)
	from, to, amount := amountOf(q.text, token)
	call := aCall.MatchString(q.text)
	if len(q.found) > 0 && !amount || !shortened && !amount && !call {
		return nil
	}
	period, err := s.searched(r, q)
	if err != nil || q.where == "" {
		return err
	}
	return s.runLongRead(r, func() error {
		switch ctx := r.Context(); {
		case amount:
			return s.findAmounts(ctx, q, period, from, to)
		case shortened:
			return s.findShortened(ctx, q, period, first, last)
		}
		return s.findCall(r.Context(), q, period)
	})
}

// searched returns the period of the page from which something is looked up, or else the month that the overview shows.
func (s *server) searched(r *http.Request, q *search) (period app.Period, err error) {
	if q.about.Period == "" {
		months, err := s.allMonths(r.Context())
		if err != nil || len(months) == 0 {
			return period, err
		}
		q.about.Period = monthToClose(months, s.Packages != "").Name
	}
	q.about.Partial = true
	q.where = q.about.name()
	return q.about.period()
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
func (s *server) suggest(w http.ResponseWriter, r *http.Request, q *search) {
	v := &matchesPage{frame: frame{Title: "Look up", Path: "lookup", Sought: plain.Line(q.text), Notes: sought}}
	v.Kept = &q.about
	in := ""
	if q.where != "" {
		in = " in " + q.where
	}
	if len(q.found) == 0 {
		v.Failed = true
		v.Lead = fmt.Sprintf("No match for %q%s. Try a height, a hash, a transaction (25-7), an address, an amount, a date or a label.", v.Sought, in)
		v.Ways = []link{{"Accounts", "accounts"}, {"Overview", "overview"}}
		s.render(w, r, http.StatusNotFound, v)
		return
	}
	v.Lead = fmt.Sprintf("%q is part of %d names in the address book.", v.Sought, len(q.found))
	if q.where != "" {
		v.Lead = fmt.Sprintf("%q matches this%s.", v.Sought, in)
	}
	t := matchTable(q.found, s.network(r.Context()))
	if q.more != "" {
		t.Links = []link{{"All transactions with such a fee", q.more}}
	}
	v.Tables = []*tabular{t}
	s.render(w, r, http.StatusOK, v)
}

// add adds a match, up to a limit.
func (q *search) add(m match) bool {
	if len(q.found) < maxMatches {
		q.found = append(q.found, m)
		return true
	}
	return false
}

// eachTransaction calls a function for the transactions of the accounts of a look-up until it returns false.
func (s *server) eachTransaction(ctx context.Context, t app.TransactionsRequest, see func(id, payer string, fee chain.Optional[chain.Wei], hashes []string) bool) error {
	t.Limit = maxListed
	list, err := s.Ledger.Transactions(ctx, t)
	if err != nil {
		return err
	}
	for x, err := range s.following(ctx, list, t) {
		if err != nil {
			return err
		}
		payer := ""
		if a, known := x.Payer.Get(); known {
			payer = list.Token.Account(a)
		}
		hashes := []string{x.Hash.String()}
		if hash, known := x.EVMHash.Get(); known {
			hashes = append(hashes, hash.String())
		}
		if !see(x.Place().String(), payer, x.Fee, hashes) {
			return nil
		}
	}
	return nil
}
