package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
)

// The parts of a list of deposits.
const (
	openDeposits    = "open"
	depositsChanged = "changes"
)

// depositsRequest parses a request for deposits.
func (s *server) depositsRequest(r *http.Request, own ...string) (sc scope, q app.DepositsRequest, err error) {
	if sc, err = readScope(r.URL.RawQuery, append([]string{"part"}, own...)...); err != nil {
		return sc, q, err
	}
	q.Changes = sc.own.Get("part") == depositsChanged
	if err := app.OneOf(app.FieldPart, sc.own.Get("part"), "", openDeposits, depositsChanged); err != nil {
		return sc, q, err
	}
	q.Request, err = s.readRequest(&sc)
	q.Labels = s.book()
	return sc, q, err
}

// deposits lists the deposits that are open at the end of a period, or those that were taken and given back in it.
func (s *server) deposits(w http.ResponseWriter, r *http.Request) error {
	sc, q, err := s.depositsRequest(r, listingParameters...)
	if err != nil {
		return err
	}
	l, err := readListing(sc.own)
	if err != nil {
		return err
	}
	l.zone = q.Period.Zone
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		address := "deposits" + sc.query(without(sc.own, listingParameters...))
		kept, err := keptOf(s, r, allSealed, s.lists, sealed, address, true, func(ctx context.Context) (*keptList, error) {
			made, err := s.Ledger.Deposits(ctx, q)
			if err != nil {
				return nil, err
			}
			count := 0
			_, err = made.List.Each(func([]table.Cell) error {
				count++
				return nil
			})
			return &keptList{sheet: func() *table.Sheet { return made.List }, count: count}, err
		})
		if err != nil {
			return nil, err
		}
		list := kept.sheet()
		all, err := readRows(list, l, nil)
		if err != nil {
			return nil, err
		}
		v := &listPage{frame: frame{Title: "Deposits", Path: "deposits", Command: "fees deposits"}}
		if q.Changes {
			v.Command += " --changes"
		}
		v.Command += sc.flags() + s.ledgerFlag()
		v.Scope, v.Whose, v.Notes = &sc, true, list.Notes
		own := without(sc.own, append(slices.Clip(listingParameters), "part")...)
		for _, part := range []string{openDeposits, depositsChanged} {
			own.Set("part", part)
			v.By = append(v.By, navigation{link: link{part, "deposits" + sc.query(own)}, Here: (part == depositsChanged) == q.Changes})
		}
		v.Downloads = fileLinks(resultForms, "deposits", sc.query(without(sc.own, listingParameters...)))
		v.Lead = "What accounts hold and reserve is a receivable of who paid it, not a fee."
		if all.count == 0 {
			v.Lead += map[bool]string{false: " No deposits are open after these blocks.", true: " No deposits were taken or given back in these blocks."}[q.Changes]
			return v, nil
		}
		return v, v.add(s.part(all, l.without(depositDetails), sc.in("deposits")))
	})
}

// depositDetails are the columns of deposits that a page shows only on request: an account's cell shows its label.
var depositDetails = []string{"holder_label", "payer_label", "given_back_to_label", "block"}

// depositsFile sends the deposits as a file, or as the JSON of the command line.
func (s *server) depositsFile(w http.ResponseWriter, r *http.Request) error {
	_, q, err := s.depositsRequest(r)
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		return s.runLongRead(r, func() error {
			made, err := s.Ledger.Deposits(r.Context(), q)
			if err != nil {
				return err
			}
			return made.Write(to, to.form, 0)
		})
	})
}

// depositsLink returns the link to the deposits of an account, or of all accounts for "", on a network whose Ethereum
// transactions pay some.
func (s *server) depositsLink(r *http.Request, account string) (list []link, err error) {
	if has, err := s.Ledger.HoldsDeposits(r.Context()); err != nil || !has {
		return nil, err
	}
	return []link{{"Deposits", "deposits" + (&scope{Accounts: account}).query(nil)}}, nil
}
