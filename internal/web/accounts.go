package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/table"
)

// entriesPage is a list whose entries of the address book are edited in its rows.
type entriesPage struct {
	listPage
	Saved  g.Node // what the last edit did; nil for nothing
	Groups g.Node // the names of groups that fields suggest; nil if nothing can be edited
}

func (p *entriesPage) main() g.Node {
	list := p.tables.node()
	if p.Groups != nil {
		list = markup.El("div", markup.Attr("class", "entries"), lines{list, p.Groups})
	}
	return p.body(p.notices.node(), p.Saved, p.related(), list, p.notesList())
}

// accounts lists the accounts of the address book.
func (s *server) accounts(w http.ResponseWriter, r *http.Request) error {
	own, err := parameters(r.URL.RawQuery, append([]string{"saved"}, listingParameters...)...)
	if err != nil {
		return err
	}
	saved, err := ticked(own, "saved")
	if err != nil {
		return err
	}
	l, err := readListing(without(own, "saved"))
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		v := &entriesPage{listPage: listPage{frame: frame{Title: "Accounts", Path: "accounts", Lead: "Accounts in the address book."}}}
		if kept := keptScope(r); kept != nil && kept.Period != "" {
			v.Scope = kept
		}
		deposits, err := s.depositsLink(r, "")
		if err != nil {
			return nil, err
		}
		if s.labels() == nil {
			v.Lead = "No address book. Pass one with fees serve --labels FILE, or save it as accounts.csv next to the ledger."
			v.Remedy = "fees serve --labels accounts.csv" + s.dataFlag()
			v.Links = append([]link{{"Fees by account", "fees?by=account"}, {"Payers without a label", "accounts/unlabelled"}}, deposits...)
			return v, nil
		}
		v.Downloads = fileLinks(transactionForms, "accounts", "")
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return nil, err
		}
		t, err := s.list(s.accountSheet(token), l, at("accounts"))
		if err != nil {
			return nil, err
		}
		if err := s.fillAccounts(r, v, t, l, sealed, token); err != nil {
			return nil, err
		}
		if saved {
			v.Saved = s.savedNote(r, at("accounts")(l))
		}
		v.Tables = []*tabular{t}
		v.Links = append([]link{{"Opening and closing balances", "accounts/rollforward"}, {"Fees by label", "fees?by=label"}, {"Fees by group", "fees?by=group"}, {"Payers without a label", "accounts/unlabelled"}}, deposits...)
		return v, nil
	})
}

// fillAccounts adds the figures of the listed accounts, and makes their entries fields for those who may edit them.
func (s *server) fillAccounts(r *http.Request, v *entriesPage, t *tabular, l listing, sealed string, token console.Token) error {
	t.Columns = nil
	accounts := make([]chain.Address, len(t.Rows))
	for i, row := range t.Rows {
		address := strings.TrimPrefix(row[0].To, "account/")
		account, err := app.OneAccount(address, nil)
		if err != nil {
			return err
		}
		accounts[i] = account
		row[0].Text, row[0].Class = console.Ends(address, 4), "hex"
		if group := &row[2]; group.Text != "" {
			group.To = "fees" + (&scope{Accounts: app.GroupPrefix + group.Text}).query(nil)
		}
	}
	figures, err := s.accountFigures(r, v.Scope, accounts, sealed)
	if err != nil {
		return err
	}
	if figures != nil {
		balances, err := s.accountBalances(r, accounts, sealed)
		if err != nil {
			return err
		}
		s.addFigures(r, v, t, accounts, figures, balances, token)
	}
	if !s.mayLabel(r) {
		return nil
	}
	v.Groups = s.groupNames()
	for i, account := range accounts {
		t.Rows[i] = s.editable(r, t.Rows[i], 1, account, form{Action: "account/" + account.String(), Hidden: []option{{"list", at("accounts")(l)}}}, url.Values{})
	}
	v.Lead = "Change a label, a group or an account in its row. Tab leads to the next field; rows of a sheet can be pasted."
	return nil
}

// addFigures adds what accounts paid and have to their rows.
func (s *server) addFigures(r *http.Request, v *entriesPage, t *tabular, accounts []chain.Address, figures *app.AccountFigures, balances *accountBalances, token console.Token) {
	symbol := ", " + token.Symbol
	t.Heads = append(t.Heads, cell{Text: "fee " + console.PeriodName(figures.Name) + symbol, Short: "fee", Class: "figure"}, cell{Text: "last activity"})
	if s.Source != nil {
		t.Heads = append(t.Heads, cell{Text: "balance" + symbol, Short: "balance", Class: "figure"})
	}
	others := 0
	for i, account := range accounts {
		fees, own := figures.Fees[account]
		paid, last := amountCell(fees.Fee, token, cell{Text: notKnown, Class: "figure warn"}), cell{Text: notKnown, Class: "warn"}
		if own {
			last = dayCell(figures.Last[account])
		} else {
			others++
		}
		for _, note := range fees.InAssets.Notes(token.Amount) {
			paid.Unit = "and fees in assets"
			v.Notes = append(v.Notes, cmp.Or(t.Rows[i][1].Text, t.Rows[i][0].Text)+": "+note)
		}
		t.Rows[i] = append(t.Rows[i], paid, last)
		if s.Source != nil {
			balance, known := balances.of[account]
			if !known {
				t.Rows[i] = append(t.Rows[i], cell{Text: "not available", Class: "figure"})
				continue
			}
			t.Rows[i] = append(t.Rows[i], amountCell(chain.Some(balance), token, cell{}))
		}
	}
	if others > 0 {
		v.Notes = append(v.Notes, console.Counted(others, "address")+" "+console.Verb(others, "is", "are")+" not of this chain: their figures are not known.")
	}
	v.Notes = append(v.Notes, figures.Partial...)
	v.inWords(figures.Name)
	v.Notes = append(v.Notes, "Balances are free and reserved together, after the last sealed block, as the source reports them.")
	if s.Source == nil {
		v.Notes = v.Notes[:len(v.Notes)-1]
	} else if balances.unread != nil {
		v.Unsealed = true
		v.Warnings = append(v.Warnings, "Balances not available: "+s.unread(r, balances.unread))
	}
}

// amountCell returns an amount in a cell; none if it is not known.
func amountCell(o chain.Optional[chain.Wei], token console.Token, none cell) cell {
	wei, known := o.Get()
	if !known {
		return none
	}
	return cell{Text: token.Tokens(wei), Exact: wei.String(), Class: "figure"}
}

// dayCell returns the day of a block in a cell, which links to the block.
func dayCell(o chain.Optional[app.Seen]) cell {
	at, known := o.Get()
	if !known {
		return cell{Text: "none"}
	}
	c := cell{Text: fmt.Sprintf("block %d", at.Height), To: fmt.Sprintf("block/%d", at.Height)}
	if when, timed := at.Time.Get(); timed {
		c.Text = when.Std().UTC().Format("2 Jan 2006")
	}
	return c
}

// balanceTime limits how long a page waits for balances.
const balanceTime = 2 * time.Second

// accountFigures returns the figures of listed accounts, with the fees of the page's period, or else of the last month; nil
// for an empty ledger.
func (s *server) accountFigures(r *http.Request, about *scope, accounts []chain.Address, sealed string) (*app.AccountFigures, error) {
	months, err := s.allMonths(r.Context())
	if err != nil || len(months) == 0 || len(accounts) == 0 {
		return nil, err
	}
	in := app.PeriodInput{Month: months[len(months)-1].Name, Partial: true}
	if about != nil && about.Period != "" {
		in = about.input()
	}
	period, err := in.Parse()
	if err != nil {
		return nil, err
	}
	return keptOf(s, r, allSealed, s.figures, sealed, fmt.Sprintf("accounts %v %v", in, accounts), true, func(ctx context.Context) (*app.AccountFigures, error) {
		return s.Ledger.FiguresOf(ctx, accounts, period)
	})
}

// accountBalances are the balances of listed accounts.
type accountBalances struct {
	of     map[chain.Address]chain.Wei
	unread error // why others are not known
}

// accountBalances returns the balances of listed accounts, as far as the source gives them soon; none without a source.
func (s *server) accountBalances(r *http.Request, accounts []chain.Address, sealed string) (*accountBalances, error) {
	from := s.balances()
	if from == nil {
		return new(accountBalances), nil
	}
	key := strings.Join([]string{s.base, s.stamp(), sealed, fmt.Sprint(accounts)}, "\n")
	return s.owned.get(r.Context(), s.Time, key, func(ctx context.Context) (b *accountBalances, keep bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, balanceTime)
		defer cancel()
		b = new(accountBalances)
		b.of, b.unread, err = s.Ledger.BalancesOf(ctx, accounts, from)
		return b, err == nil && b.unread == nil, err
	})
}

// accountSheet lists the accounts of the address book.
func (s *server) accountSheet(token console.Token) *table.Sheet {
	return listed("", token, s.labels().Entries(), func(e addressbook.Entry) []any {
		return []any{e.Address, e.Label, e.Group, e.Account}
	},
		table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "label", Kind: table.Text}, table.Column{Name: "group", Kind: table.Text}, table.Column{Name: "book_account", Kind: table.Text})
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
