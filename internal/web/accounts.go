package web

import (
	"net/http"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/table"
)

// accounts lists the accounts of the address book.
func (s *server) accounts(w http.ResponseWriter, r *http.Request) error {
	l, err := listingOf(r)
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, _ string) (page, error) {
		v := &listPage{frame: frame{Title: "Accounts", Path: "accounts", Lead: "Accounts in the address book, by label."}}
		deposits, err := s.depositsLink(r, "")
		if err != nil {
			return nil, err
		}
		if s.labels() == nil {
			v.Lead = "No address book. Pass one with fees serve --labels FILE, or save it as accounts.csv next to the ledger."
			v.Remedy = "fees serve --labels accounts.csv" + s.placeFlag()
			v.Links = append([]link{{"Fees by account", "fees?by=account"}, {"Payers without a label", "accounts/unlabelled"}}, deposits...)
			return v, nil
		}
		v.Downloads = fileLinks(transactionForms, "accounts", "")
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return nil, err
		}
		table, err := s.list(s.accountSheet(token), l, at("accounts"))
		if err != nil {
			return nil, err
		}
		for _, row := range table.Rows {
			row[0].Text, row[0].Class = strings.TrimPrefix(row[0].To, "account/"), "hex"
			if last := &row[len(row)-1]; last.Text != "" && table.Heads[len(row)-1].Text == "group" {
				last.To = "fees" + (&scope{Accounts: app.GroupPrefix + last.Text}).query(nil)
			}
		}
		v.Tables = []*tabular{table}
		v.Links = append([]link{{"Opening and closing balances", "accounts/rollforward"}, {"Fees by label", "fees?by=label"}, {"Fees by group", "fees?by=group"}, {"Payers without a label", "accounts/unlabelled"}}, deposits...)
		return v, nil
	})
}

// accountSheet lists the accounts of the address book.
func (s *server) accountSheet(token console.Token) *table.Sheet {
	return listed("", token, s.labels().Entries(), func(e addressbook.Entry) []any { return []any{e.Address, e.Label, e.Group} },
		table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "label", Kind: table.Text}, table.Column{Name: "group", Kind: table.Text})
}

// accountsFile sends the accounts of the address book.
func (s *server) accountsFile(w http.ResponseWriter, r *http.Request) error {
	if s.labels() == nil {
		return &problem{http.StatusNotFound, "Not found", "This server has no address book. Start it with fees serve --labels FILE."}
	}
	token, err := s.Ledger.Token(r.Context())
	if err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error { return (&table.Document{List: s.accountSheet(token)}).Write(to, to.form, 0) })
}
