package web

import (
	"net/http"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/table"
)

// accounts are those of the address book.
func (s *server) accounts(w http.ResponseWriter, r *http.Request) error {
	own, err := parameters(r.URL.RawQuery, listingParameters...)
	if err != nil {
		return err
	}
	l, err := readListing(own)
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(string) (*view, error) {
		v := &view{Title: "Accounts", Path: "accounts", Lead: "Those that the address book names, by their labels."}
		if s.Labels == nil {
			v.Lead = "There is no address book: fees serve --labels names one, or accounts.csv beside the ledger."
			v.Links = []link{{"Who paid most", "fees?by=account"}}
			return v, nil
		}
		table, err := s.list(listed("", "", s.Labels.Entries(), func(e addressbook.Entry) []any { return []any{e.Address, e.Label, e.Group} },
			table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "label", Kind: table.Text}, table.Column{Name: "group", Kind: table.Text}), l, func(l listing) string {
			if own := l.with(nil); len(own) > 0 {
				return "accounts?" + own.Encode()
			}
			return "accounts"
		})
		if err != nil {
			return nil, err
		}
		for _, row := range table.Rows {
			row[0].Text, row[0].Class = strings.TrimPrefix(row[0].To, "account/"), "hex"
			if group := row[2].Text; group != "" {
				row[2].To = "fees" + (&scope{Accounts: app.GroupPrefix + group}).query(nil)
			}
		}
		v.Tables = []*tabular{table}
		v.Links = []link{{"Fees by label", "fees?by=label"}, {"Fees by group", "fees?by=group"}}
		return v, nil
	})
}
