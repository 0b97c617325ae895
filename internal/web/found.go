package web

import (
	"context"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// findAmounts finds days, accounts and transactions by their fees.
func (s *server) findAmounts(ctx context.Context, q *search, period app.Period, from, to string) error {
	sc := q.about
	only, err := report.ParseOnly([]string{"fee_from=" + from, "fee_to=" + to})
	if err != nil {
		return err
	}
	chosen, err := s.choose(sc.list())
	if err != nil {
		return err
	}
	request := app.Request{Period: period, Accounts: chosen.Accounts, Labels: s.book()}
	for _, by := range []report.By{report.Month, report.Day, report.Account} {
		made, err := s.Ledger.Report(ctx, request, report.Choice{By: by})
		if err != nil {
			return err
		}
		within := only.Fee.In(made.Token)
		for _, group := range made.Groups {
			if group.Undetermined == 0 && within.Includes(group.Fee) {
				q.add(s.sumMatch(&sc, by, group, made.Token))
			}
		}
	}
	t := app.TransactionsRequest{Period: period, Payers: chosen.Accounts, Only: only}
	return s.eachTransaction(ctx, t, func(id, payer string, fee chain.Optional[chain.Wei], _ []string) bool {
		if q.add(match{kind: "transaction", text: id, about: payer, to: "tx/" + id, fee: fee}) {
			return true
		}
		q.more = "transactions" + sc.query(url.Values{"fee_from": {from}, "fee_to": {to}})
		return false
	})
}

// sumMatch is a match of a day's, a month's or an account's fees.
func (s *server) sumMatch(sc *scope, by report.By, group *report.Group, token console.Token) match {
	m, about := match{kind: string(by), text: group.Name(token), fee: chain.Some(group.Fee)}, *sc
	switch account, known := group.Account.Get(); {
	case known:
		m.about = token.Account(account)
		m.text, about.Accounts = s.called(m.about), m.about
		m.to = "transactions" + about.query(nil)
	case by == report.Day:
		m.to = sc.day(m.text)
	default:
		about.Period = m.text
		m.to = "fees" + about.query(nil)
	}
	return m
}

// findShortened finds accounts, contracts and transactions by the beginning and the end of an address or a hash: those of all
// accounts of the chain, since pages show their addresses, too.
func (s *server) findShortened(ctx context.Context, q *search, period app.Period, first, last string) error {
	seen := map[string]bool{}
	for _, by := range []report.By{report.Account, report.Contract} {
		choice := report.Choice{By: by}
		if by == report.Contract {
			choice.Only.Layer = chain.Some(fee.EVM)
		}
		made, err := s.Ledger.Report(ctx, app.Request{Period: period}, choice)
		if err != nil {
			return err
		}
		for _, group := range made.Groups {
			address, known := group.Account.Get()
			if by == report.Contract {
				address, known = group.Contract.Get()
			}
			name := made.Token.Account(address)
			if !known || seen[name] || !hasEnds(name, first, last) {
				continue
			}
			seen[name] = true
			q.add(match{kind: string(by), text: s.called(name), about: name, to: string(by) + "/" + name, fee: chain.Some(group.Fee)})
		}
	}
	if len(q.found) > 0 {
		return nil
	}
	chosen, err := s.choose(q.about.list())
	if err != nil {
		return err
	}
	return s.eachTransaction(ctx, app.TransactionsRequest{Period: period, Payers: chosen.Accounts}, func(id, _ string, fee chain.Optional[chain.Wei], hashes []string) bool {
		for _, hash := range hashes {
			if hasEnds(hash, first, last) {
				return q.add(match{kind: "transaction", text: id, about: hash, to: "tx/" + id, fee: fee})
			}
		}
		return true
	})
}

// findCall finds the transactions with a call.
func (s *server) findCall(ctx context.Context, q *search, period app.Period) error {
	chosen, err := s.choose(q.about.list())
	if err != nil {
		return err
	}
	list, err := s.Ledger.Transactions(ctx, app.TransactionsRequest{Period: period, Payers: chosen.Accounts, Only: report.Only{Kinds: ledger.Kinds{Call: chain.Some(q.text)}}, Limit: 1})
	if err == nil && len(list.List) > 0 {
		q.add(match{kind: "call", text: q.text, to: "transactions" + q.about.query(url.Values{"call": {q.text}})})
	}
	return err
}
