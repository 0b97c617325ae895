package web

import (
	"net/http"

	"github.com/feeledger/fees/addressbook"
	"github.com/feeledger/fees/sheet"
)

// accounts are those of the address book.
func (s *server) accounts(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, func() (*view, error) {
		v := &view{Title: "Accounts", Path: "accounts", Lead: "Those that the address book names, by their labels."}
		if s.Labels == nil {
			v.Lead = "There is no address book: fees serve --labels names one, or accounts.csv beside the ledger."
			v.Links = []link{{"Who paid most", "fees?by=account"}}
			return v, nil
		}
		table, err := s.table(listed("", "", s.Labels.Entries(), func(e addressbook.Entry) []any { return []any{e.Address, e.Label, e.Group} },
			sheet.Column{Name: "account", Kind: sheet.Address}, sheet.Column{Name: "label", Kind: sheet.Text}, sheet.Column{Name: "group", Kind: sheet.Text}), mostRows)
		if err != nil {
			return nil, err
		}
		for i, e := range s.Labels.Entries() {
			if i == len(table.Rows) {
				break
			}
			table.Rows[i][0].Text, table.Rows[i][0].Class = e.Address.String(), "hex"
			if e.Group != "" {
				table.Rows[i][2].To = "fees" + (&scope{Accounts: "group:" + e.Group}).query(nil)
			}
		}
		v.Tables = []*tabular{table}
		v.Links = []link{{"Fees by label", "fees?by=label"}, {"Fees by group", "fees?by=group"}}
		return v, nil
	})
}
