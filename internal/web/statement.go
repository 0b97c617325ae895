package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/source"
)

// statementQuestion is what a page with an account's statement, or a file of it, is asked for.
type statementQuestion struct {
	app.StatementQuestion
	scope   scope
	account chain.Address
	bare    bool // no balances are asked for, and nothing is proved
	listing listing
}

// statementQuestion reads it. The account is in the path.
func (s *server) statementQuestion(r *http.Request, own ...string) (q statementQuestion, err error) {
	if q.account, err = app.OneAccount(r.PathValue("address"), s.Labels); err != nil {
		return q, err
	}
	if q.scope, err = readScope(r.URL.RawQuery, slices.Concat([]string{"part", "price", "balances"}, own)...); err != nil {
		return q, err
	}
	if q.scope.Accounts != "" {
		return q, notUnderstood("The account is in the path: leave accounts out.")
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
	q.Question, err = s.readQuestion(&q.scope)
	q.Accounts, q.Labels = []chain.Address{q.account}, s.book()
	return q, err
}

// path is that of what is made of an account.
func (q *statementQuestion) path(what string) string {
	return "account/" + q.account.String() + "/" + what
}

// balances is who tells the account's balances; nil where nobody does.
func (s *server) balances() source.Source {
	if s.Source == nil {
		return nil
	}
	return s.Source.Source
}

// proved makes something that is proved by balances. Where these cannot be had, it is made without,
// and why is said: movements and fees do not depend on them.
func proved[T any](s *server, r *http.Request, q *statementQuestion, make func(ctx context.Context, balances source.Source) (T, error)) (made T, why string, err error) {
	from := s.balances()
	if q.bare {
		from = nil
	}
	if from == nil {
		made, err = make(r.Context(), nil)
		return made, "", err
	}
	ctx, cancel := s.someTime(r)
	defer cancel()
	if made, err = make(ctx, from); err == nil || r.Context().Err() != nil {
		return made, "", err
	}
	late := ctx.Err() != nil
	err = s.asked(ctx, r, err)
	if !late && app.KindOf(err) != failure.Unanswered && !errors.Is(err, chain.ErrNotKept) {
		return made, "", err
	}
	why = "Balances cannot be had now, so that nothing is proved: " + s.unread(r, err)
	q.bare = true
	made, err = make(r.Context(), nil)
	return made, why, err
}

// provable is what is made of an account, and proved by balances.
type provable interface {
	Holds() bool
	Explain(err error) error
	Write(ctx context.Context, w io.Writer, form string, width int) error
}

// provedPage shows what is made of an account. Own are the parameters beside those of every such
// page, and fill fills it.
func provedPage[T provable](s *server, w http.ResponseWriter, r *http.Request, what string, own []string, of func(*http.Request, *statementQuestion) (T, string, error), fill func(q *statementQuestion, made T, unanswered bool, v *view) error) error {
	q, err := s.statementQuestion(r, own...)
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(string) (*view, error) {
		made, why, err := of(r, &q)
		if err != nil {
			return nil, err
		}
		name, account := strings.ToLower(what), q.account.String()
		v := &view{Title: what + " of " + s.called(account), Path: q.path(name), Scope: &q.scope, Unsealed: why != "", Downloads: s.downloads(&q, name)}
		v.Facts = []fact{{Name: "account", cell: cell{Text: account, To: "account/" + account, Class: "hex"}}}
		v.Command += account + q.scope.flags() + s.provedFlags(&q) + s.ledgerFlag()
		if err := fill(&q, made, why != "", v); err != nil {
			return nil, made.Explain(err)
		}
		if why != "" {
			v.Warnings = append(v.Warnings, why)
		}
		if !made.Holds() {
			v.Warnings = append(v.Warnings, "Something in this "+name+" does not hold, or is not known.")
		}
		return v, nil
	})
}

// provedFile sends it as a file. It says what is proved, or is none.
func provedFile[T provable](s *server, w http.ResponseWriter, r *http.Request, of func(*http.Request, *statementQuestion) (T, string, error)) error {
	q, err := s.statementQuestion(r)
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		made, why, err := of(r, &q)
		if err == nil && why != "" {
			err = &problem{http.StatusBadGateway, "Not answered", why}
		}
		if err != nil {
			return err
		}
		return made.Explain(made.Write(r.Context(), to, to.form, 0))
	})
}

func (s *server) statementOf(r *http.Request, q *statementQuestion) (made *app.Statements, why string, err error) {
	return proved(s, r, q, func(ctx context.Context, balances source.Source) (*app.Statements, error) {
		q.Balances = balances
		return s.Desk.Statements(ctx, q.StatementQuestion)
	})
}

// noBalances has no balances asked for.
const noBalances = "none"

// seldom are the columns of a statement that a page shows only where all are asked for.
var seldom = []string{"account", "block", "event_index", "of_fee", "counterparty_label", "amount", "hash", "paid_for", "layer", "account_label", "account_group", "method", "gas_price", "gas", "event"}

// statement is what became of an account's balance in a period.
func (s *server) statement(w http.ResponseWriter, r *http.Request) error {
	return provedPage(s, w, r, "Statement", listingParameters, s.statementOf, func(q *statementQuestion, made *app.Statements, unanswered bool, v *view) error {
		one := made.List[0]
		v.Lead, v.Warnings, v.Notes = one.Proof(), made.Style.Notes, one.Notes()[1:]
		v.Command = "fees statement " + v.Command
		v.Form = q.scope.asked(v.Path, "", s.partControls(q, app.StatementParts), nil)
		v.Around = q.scope.around(v.Path, listing{}.with(q.scope.own))
		v.Facts = append(v.Facts, statementFacts(one, made.Style.Symbol, unanswered)...)
		q.listing.brief = seldom
		if q.Part == "summary" {
			q.listing.All = true
		}
		return v.add(s.list(made.Sheet(r.Context()), q.listing, func(l listing) string { return v.Path + q.scope.query(l.with(q.scope.own)) }))
	})
}

// partControls are what a page with a statement or a rollforward can be asked for.
func (s *server) partControls(q *statementQuestion, parts []string) (list []control) {
	if len(parts) > 0 {
		list = append(list, ofOptions("part", "Part", q.Part, "", parts...))
	}
	return append(list, s.priceControl(q.scope.own)...)
}

// downloads are the forms of what is made of an account.
func (s *server) downloads(q *statementQuestion, what string) (list []link) {
	own := listing{}.with(q.scope.own)
	if q.bare && s.Source != nil {
		own.Set("balances", noBalances)
	}
	for _, form := range accountForms {
		list = append(list, link{strings.ToUpper(form), q.path(what+"."+form) + q.scope.query(own)})
	}
	return list
}

// provedFlags are, on the command line, who proves it and what it is worth.
func (s *server) provedFlags(q *statementQuestion) string {
	line := s.gatewayFlag()
	if s.Source == nil || q.bare {
		line = " --no-balances"
	}
	return line + s.priceFlags(q.Prices)
}

// statementFacts are the balances and what was paid.
func statementFacts(one *statement.Statement, symbol string, asked bool) (facts []fact) {
	for _, b := range []struct {
		name    string
		balance chain.Optional[chain.Balance]
	}{{"before", one.Opening}, {"after", one.Closing}} {
		if balance, ok := b.balance.Get(); ok {
			facts = append(facts, amount("free "+b.name, chain.Some(balance.Free), symbol))
			if one.Reserves() {
				facts = append(facts, amount("reserved "+b.name, chain.Some(balance.Reserved), symbol))
			}
		} else {
			facts = append(facts, plain("balance "+b.name, map[bool]string{true: notKnown, false: "not asked for"}[asked]))
		}
	}
	for _, f := range one.Fees {
		charged := amount(string(f.Layer)+" fees", chain.Some(f.Charged), symbol)
		if f.Unknown > 0 {
			charged.Unit += fmt.Sprintf(", and %d that are %s", f.Unknown, notKnown)
		}
		facts = append(facts, charged)
	}
	return facts
}

// statementFile is the same as a file, or as the JSON of the command line.
func (s *server) statementFile(w http.ResponseWriter, r *http.Request) error {
	return provedFile(s, w, r, s.statementOf)
}

func (s *server) rollforwardOf(r *http.Request, q *statementQuestion) (made *app.Rollforward, why string, err error) {
	return proved(s, r, q, func(ctx context.Context, balances source.Source) (*app.Rollforward, error) {
		return s.Desk.Rollforward(ctx, app.RollforwardQuestion{Question: q.Question, By: app.ByMonth, Balances: balances})
	})
}

// rollforward leads from an account's balance before a period to the one after, line by line.
func (s *server) rollforward(w http.ResponseWriter, r *http.Request) error {
	return provedPage(s, w, r, "Rollforward", nil, s.rollforwardOf, func(q *statementQuestion, made *app.Rollforward, _ bool, v *view) error {
		v.Lead, v.Notes, v.Command = made.Style.Notes[0], made.Style.Notes[1:], "fees rollforward --accounts "+v.Command
		v.Form = q.scope.asked(v.Path, "", s.partControls(q, nil), nil)
		return v.add(s.table(made.Lines(), mostRows))
	})
}

// rollforwardFile is the same as a file, or as the JSON of the command line.
func (s *server) rollforwardFile(w http.ResponseWriter, r *http.Request) error {
	return provedFile(s, w, r, s.rollforwardOf)
}

// priced are the prices, where a page's own parameters ask for amounts in their currency; else nil.
func (s *server) priced(own url.Values) (*money.List, error) {
	code := own.Get("price")
	switch {
	case code == "":
		return nil, nil
	case s.Prices == nil:
		return nil, notUnderstood("price=%s: this server has no prices: fees serve --prices FILE reads them.", console.Printable(code))
	case code != s.currency():
		return nil, notUnderstood("price=%s: this server has %s.", console.Printable(code), s.currency())
	}
	return s.Prices, nil
}

// priceFlags are prices on the command line.
func (s *server) priceFlags(list *money.List) string {
	if list == nil {
		return ""
	}
	return " --prices " + console.Argument(s.PricesFile) + " --fiat " + string(list.Currency)
}
