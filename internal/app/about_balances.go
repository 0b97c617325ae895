package app

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/statement"
)

// About states how the statements were made.
func (l *Statements) About(ctx context.Context, request AboutRequest) (*closing.About, error) {
	a, err := l.ledger.about(ctx, l.held, &l.request.Request, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = "statements of "+console.Counted(len(l.List), "account"), l.Style.Notes
	a.Filters = append(a.Filters, "balances "+balancesAsked(l.request.Balances != nil, l.request.EveryBlock))
	a.Totals, err = statementTotals(l.List, l.Style.Token)
	return a, err
}

// About states how the rollforward was made.
func (r *Rollforward) About(ctx context.Context, request AboutRequest) (*closing.About, error) {
	a, err := r.ledger.about(ctx, r.held, &r.request.Request, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = r.Style.Title, r.Style.Notes
	a.Filters = append(a.Filters, "by "+r.request.By, "balances "+balancesAsked(r.request.Balances != nil, false))
	if listed, ok := r.request.List.Get(); ok {
		a.Filters = append(a.Filters, fmt.Sprintf("list %s", listed))
	}
	a.Totals, err = statementTotals(r.Statements, r.Style.Token)
	return a, err
}

// balancesAsked says which balances were compared.
func balancesAsked(compared, everyBlock bool) string {
	switch {
	case !compared:
		return "not compared"
	case everyBlock:
		return "compared after each block"
	}
	return "compared before and after"
}

// statementTotals counts the statements, their lines and fees.
func statementTotals(list []*statement.Statement, token console.Token) (p console.Pairs, err error) {
	var lines, transactions uint64
	var proved, differing int
	charged := chain.Some(chain.Wei{})
	for _, s := range list {
		lines += s.Count
		switch {
		case !s.Holds():
			differing++
		case s.Closing.Known():
			proved++
		}
		for _, f := range s.Fees {
			transactions += f.Transactions
			if sum, known := charged.Get(); known {
				if sum, err = sum.Add(f.Charged); err != nil {
					return nil, err
				}
				charged = chain.Optional[chain.Wei]{}
				if f.Unknown == 0 {
					charged = chain.Some(sum)
				}
			}
		}
	}
	p.Add("statements proved by balances", fmt.Sprintf("%d of %d", proved, len(list)))
	p.Add("statements that differ from balances", fmt.Sprint(differing))
	p.Add("lines", fmt.Sprint(lines))
	p.Add("transactions with a fee", fmt.Sprint(transactions))
	addWei(&p, "control total: charged", charged, token)
	return p, nil
}
