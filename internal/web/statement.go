package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// statementRequest is a request for a page or a file about one account, or about several.
type statementRequest struct {
	app.StatementRequest
	scope   scope
	kept    scope  // of the page: with the accounts in its address, which an account's own page passes on
	named   string // the account in the form of its network; "" for several
	bare    bool   // balances are not queried, so nothing is proved
	listing listing
}

// statementRequest parses a request. Its path contains the account; without one it is about the accounts that it names, or
// all of the address book.
func (s *server) statementRequest(r *http.Request, own ...string) (q statementRequest, err error) {
	var account chain.Address
	if text := r.PathValue("address"); text != "" {
		if account, err = app.OneAccount(text, s.labels()); err != nil {
			return q, err
		}
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return q, err
		}
		q.named = token.Account(account)
	}
	if q.scope, err = readScope(r.URL.RawQuery, slices.Concat([]string{"part", "price", "balances"}, own)...); err != nil {
		return q, err
	}
	if q.kept = q.scope; q.named != "" {
		if _, err = s.choose(q.scope.list()); err != nil {
			return q, err
		}
		q.scope.Accounts = ""
	}
	q.Part = cmp.Or(q.scope.own.Get("part"), app.StatementParts[0])
	if err := app.OneOf(app.FieldPart, q.Part, app.StatementParts...); err != nil {
		return q, err
	}
	q.bare = q.scope.own.Get("balances") == noBalances
	if err := app.OneOf("balances", q.scope.own.Get("balances"), "", noBalances); err != nil {
		return q, err
	}
	if q.listing, err = readListing(q.scope.own); err != nil {
		return q, err
	}
	q.Request, err = s.readRequest(&q.scope)
	q.listing.zone = q.Period.Zone
	q.Labels = s.book()
	if q.named != "" {
		q.Accounts = []chain.Address{account}
	} else if len(q.scope.list()) == 0 && q.Labels != nil {
		for _, e := range q.Labels.Entries() {
			q.Accounts = append(q.Accounts, e.Address)
		}
	}
	if err == nil && len(q.Accounts) == 0 {
		err = invalidRequest("No accounts are chosen. Name some, or start the server with fees serve --labels FILE.")
	}
	return q, err
}

// path returns the path of a page or file of the account, or of several.
func (q *statementRequest) path(what string) string {
	if q.named == "" {
		return "accounts/" + what
	}
	return "account/" + q.named + "/" + what
}

// balances returns the source of account balances, or nil.
func (s *server) balances() source.Source {
	if s.Source == nil {
		return nil
	}
	return s.Source.Source
}

// proved builds a result proved by balances. If these are not available, it builds the result without them and
// returns the reason: movements and fees do not depend on them.
func proved[T any](s *server, r *http.Request, q *statementRequest, build func(ctx context.Context, balances source.Source) (T, error)) (made T, why string, err error) {
	from := s.balances()
	if q.bare {
		from = nil
	}
	if from == nil {
		made, err = build(r.Context(), nil)
		return made, "", err
	}
	ctx, cancel := s.sourceTimeout(r)
	defer cancel()
	if made, err = build(ctx, from); err == nil || r.Context().Err() != nil {
		return made, "", err
	}
	late := ctx.Err() != nil
	err = s.asked(ctx, r, err)
	if !late && app.KindOf(err) != failure.Unanswered && !errors.Is(err, chain.ErrNotKept) {
		return made, "", err
	}
	why = s.unread(r, err)
	q.bare = true
	made, err = build(r.Context(), nil)
	return made, why, err
}

// slotFor returns what acquires the slot of a result: a slow source does not delay reads of the ledger alone.
func (s *server) slotFor(q *statementRequest) func(context.Context) (func(), error) {
	if s.balances() == nil || q.bare {
		return s.slots.acquireLong
	}
	return s.slots.proving.acquire
}

// balancePage is the page of a statement or a rollforward.
type balancePage struct {
	listPage
	Sum    *tabular // how the figures add up, beside or above the chart; nil for none
	About  []fact   // the account
	Framed string   // why nothing is proved; "" if something is
	Annex  g.Node   // on paper only; nil for none
}

func (p *balancePage) main() g.Node {
	chart := p.Chart.Node()
	if p.Sum != nil {
		class := "sum"
		if p.Chart != nil && p.Sum.fitsBesideChart() {
			class += " pair"
		}
		chart = markup.El("div", markup.Attr("class", class), markup.El("div", p.Sum.whole()), chart)
	}
	var framed g.Node
	if p.Framed != "" {
		framed = markup.El("p", markup.Attr("class", "framed"), markup.Attr("role", "status"), markup.Text(p.Framed))
	}
	return p.body(groupings(p.By), factList("about", p.About), framed, p.notices.node(), p.figures.node(), p.related(), chart, p.tables.node(), p.notesList(), p.Annex)
}

// provedPage shows a result about an account. Own are its parameters besides the common ones, and fill adds its
// contents.
func provedPage[T app.Proved](s *server, w http.ResponseWriter, r *http.Request, what string, own []string, of func(*http.Request, *statementRequest) (T, string, error), fill func(q *statementRequest, made T, v *balancePage) error) error {
	q, err := s.statementRequest(r, own...)
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, _ string) (p page, err error) {
		err = runIn(r, s.slotFor(&q), func() error {
			p, err = balancePageOf(s, r, what, &q, of, fill)
			return err
		})
		return p, err
	})
}

// balancePageOf returns the page of a result, see [provedPage].
func balancePageOf[T app.Proved](s *server, r *http.Request, what string, q *statementRequest, of func(*http.Request, *statementRequest) (T, string, error), fill func(q *statementRequest, made T, v *balancePage) error) (page, error) {
	made, why, err := of(r, q)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(what)
	v := &balancePage{listPage: listPage{frame: frame{Title: what, Path: q.path(name), Unsealed: why != ""}}}
	v.Scope, v.Paper = &q.kept, true
	v.PDF = &s.downloads(q, name, paperForm)[0]
	v.Downloads = append(s.downloads(q, name, resultForms...), otherPapers(*v.PDF)...)
	if q.named != "" {
		v.Title += " of " + s.called(q.named)
		other := map[string]string{"Statement": "Rollforward", "Rollforward": "Statement"}[what]
		own := without(q.scope.own, append(slices.Clip(listingParameters), "part")...)
		v.Links = []link{{"Account", "account/" + q.named}, {other, q.path(strings.ToLower(other)) + q.scope.query(own)}}
		deposits, err := s.depositsLink(r, q.named)
		if err != nil {
			return nil, err
		}
		v.Links = append(v.Links, deposits...)
	}
	v.Command = q.named + q.scope.flags() + s.provedFlags(q) + s.ledgerFlag()
	if err := fill(q, made, v); err != nil {
		return nil, made.Explain(err)
	}
	if q.bare || s.Source == nil {
		v.Lead, v.Framed = "Not proved", app.BalancesMissing(strings.TrimSuffix(why, "."))
	}
	if v.Lead = sentence(v.Lead); q.named != "" {
		v.Lead = "Account " + q.named + ". " + v.Lead
	}
	if !made.Holds() {
		v.Warnings = append(v.Warnings, "This "+name+" contains failed checks or unknown figures.")
	}
	return v, nil
}

// provedFile sends a result about an account as a file. If balances are not available, it fails, except for paper, which
// says so in a frame.
func provedFile[T app.Proved](s *server, w http.ResponseWriter, r *http.Request, of func(*http.Request, *statementRequest) (T, string, error)) error {
	q, err := s.statementRequest(r, "paper")
	if err != nil {
		return err
	}
	if q.kept.Accounts != q.scope.Accounts {
		return invalidRequest("The account is in the path. Remove the parameter accounts.")
	}
	paper, err := s.paper(q.scope.own)
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		return runIn(r, s.slotFor(&q), func() error {
			made, why, err := of(r, &q)
			if why != "" {
				w.Header().Del("ETag") // the source may be available again
				if err == nil && to.form != paperForm {
					err = &problem{http.StatusBadGateway, "Source not available", "Balances are not available, so nothing is proved: " + why}
				}
			}
			if err != nil {
				return err
			}
			if to.form != paperForm {
				return made.Explain(made.Document(r.Context()).Write(to, to.form, 0))
			}
			a, err := made.About(r.Context(), app.AboutRequest{Program: s.Program})
			if err != nil {
				return made.Explain(err)
			}
			paper.Unproved = strings.TrimSuffix(why, ".")
			return made.Explain(made.WritePDF(r.Context(), to, paper, a))
		})
	})
}

func (s *server) statementOf(r *http.Request, q *statementRequest) (made *app.Statements, why string, err error) {
	return proved(s, r, q, func(ctx context.Context, balances source.Source) (*app.Statements, error) {
		q.Balances, q.Items = balances, q.Part != "summary"
		return s.Ledger.Statements(ctx, q.StatementRequest)
	})
}

// noBalances disables the query of balances.
const noBalances = "none"

// hiddenColumns are the columns of a statement that a page shows only on request.
var hiddenColumns = []string{"account", "block", "event_index", "of_fee", "counterparty_label", "amount", "hash", "paid_for", "layer", "label", "group", "method", "gas_price", "gas", "event", "call", "reserved_balance"}

// eventColumns are those of them that describe an event: with one of these, a fee has a row for each of its movements.
var eventColumns = []string{"event", "event_index", "amount"}

// ofEvents reports whether a listing shows columns of events.
func (l listing) ofEvents() bool {
	return l.All || slices.ContainsFunc(l.Only, func(name string) bool { return slices.Contains(eventColumns, name) })
}

// statement shows an account's statement for a period.
func (s *server) statement(w http.ResponseWriter, r *http.Request) error {
	return provedPage(s, w, r, "Statement", listingParameters, s.statementOf, func(q *statementRequest, made *app.Statements, v *balancePage) (err error) {
		one := made.List[0]
		v.Lead, v.Notes = one.Proof(made.Style.Token), slices.Concat(one.Notes(made.Style.Token)[1:], one.AssetFees.Notes(made.Style.Amount))
		for _, note := range made.Style.Notes {
			if q.Prices != nil && strings.HasPrefix(note, string(q.Prices.Currency)) { // how amounts were valued
				v.Notes = append(v.Notes, note)
			} else {
				v.Warnings = append(v.Warnings, note)
			}
		}
		v.Command = "fees statement " + v.Command
		v.By, v.Fields = partLinks(q), s.priceControl(&q.scope)
		v.Facts = feesApart(one, made.Style.Token)
		for _, f := range made.Facts(one) {
			v.About = append(v.About, textFact(f.Name, f.Text))
		}
		q.listing.brief = hiddenColumns
		if q.Part == "summary" {
			q.listing.All = true
		} else if v.Sum, err = s.sumTable(r.Context(), made); err != nil {
			return err
		}
		sheet := made.SheetByFee
		if q.listing.ofEvents() {
			sheet = made.Sheet
		} else if q.Part == app.StatementParts[0] {
			v.Notes = append(slices.Clip(v.Notes), "A fee is one row: what was withheld less what was given back. All columns show each event.")
		}
		list := sheet(r.Context())
		fee, free := columnOf(list.Columns, "fee"), columnOf(list.Columns, "free")
		same, days := fee >= 0 && free >= 0, newBalanceDays(list.Columns, q.Period.Zone)
		all, err := readRows(list, q.listing, func(row []table.Cell) {
			days.add(row)
			if same && row[fee].Known() { // is each fee the change of the free balance in its row?
				paid, _ := row[fee].Wei()
				change, known := row[free].Wei()
				same = known && paid.Negated() == change
			}
		})
		if err != nil {
			return err
		}
		all.title, _, _ = strings.Cut(all.title, " for ") // the page's title names the account
		if same {                                         // one column is enough
			q.listing.brief = append(slices.Clip(hiddenColumns), "fee")
		}
		v.Annex = annex(all)
		v.Chart = days.chart(one.Opening, made.Style.Token)
		return v.add(s.part(all, q.listing, q.scope.in(v.Path)))
	})
}

// partLinks returns the parts of a statement.
func partLinks(q *statementRequest) (list []navigation) {
	for _, part := range app.StatementParts {
		own := without(q.scope.own, listingParameters...)
		own.Set("part", part)
		list = append(list, navigation{link: link{part, q.path("statement") + q.scope.query(own)}, Here: part == q.Part})
	}
	return list
}

// downloads returns links to a result in some formats.
func (s *server) downloads(q *statementRequest, what string, forms ...string) []link {
	own := listing{}.with(q.scope.own)
	if q.bare && s.Source != nil {
		own.Set("balances", noBalances)
	}
	return fileLinks(forms, q.path(what), q.scope.query(own))
}

// provedFlags returns the command-line flags for the source of balances and the prices.
func (s *server) provedFlags(q *statementRequest) string {
	line := s.gatewayFlag()
	if s.Source == nil || q.bare {
		line = " --no-balances"
	}
	return line + s.priceFlags(q.Prices)
}

// statementFile sends the statement as a file, or as the JSON of the command line.
func (s *server) statementFile(w http.ResponseWriter, r *http.Request) error {
	return provedFile(s, w, r, s.statementOf)
}

// priced returns the prices if a page's parameters ask for amounts in their currency, otherwise nil.
func (s *server) priced(sc *scope) (*money.List, error) {
	code := sc.Price
	switch {
	case code == "":
		return nil, nil
	case s.Prices == nil:
		return nil, invalidRequest("price=%s is not available: the server has no prices. Start it with fees serve --prices FILE.", plain.Line(code))
	case code != s.currency():
		return nil, invalidRequest("price=%s is not available. This server has prices in %s.", plain.Line(code), s.currency())
	}
	return s.Prices, nil
}

// priceFlags returns the command-line flags for the prices.
func (s *server) priceFlags(list *money.List) string {
	if list == nil {
		return ""
	}
	line := " --prices " + console.Argument(s.PricesFile) + " --fiat " + string(list.Currency)
	if list.LastKnown {
		line += " --last-known"
	}
	if len(list.Columns) > 0 {
		line += " --price-map " + console.Argument(strings.Join(list.Columns, ","))
	}
	return line
}
