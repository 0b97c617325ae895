package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// Groupings by a user's files, which need a [Marker].
const (
	Tag         By = "tag"
	AccountCode By = "account-code" // of the user's chart of accounts
)

// The groups of transactions for which the user's files have no tag or account.
const (
	NoTag         = "(no tag)"
	NoAccountCode = "(suspense)" // in a chart without a suspense account
)

// MarkedGroupings returns the groupings by a user's files.
func MarkedGroupings() []By { return []By{Tag, AccountCode} }

// Marked reports whether the grouping needs a [Marker].
func (b By) Marked() bool { return b == Tag || b == AccountCode }

// Mark is the tag or the account that a user's file has for a transaction.
type Mark struct {
	Name     string // never ""
	Suspense bool   // no rule of the chart matches
}

// Marker returns the mark of a transaction. The transactions come in chain order.
type Marker func(context.Context, *ledger.Transaction) (Mark, error)

func markColumn(name string) column {
	return column{table.Column{Name: name, Kind: table.Text}, func(g *Group) any { return g.Mark }}
}

// maxSuspended limits the transactions that a report lists by ID.
const maxSuspended = 20

// suspended are the transactions that no rule of the chart matches.
type suspended struct {
	count, undetermined uint64
	fee                 chain.Wei
	first               []string // IDs
}

// marked returns the mark of a transaction, none for other groupings.
func (a *adder) marked(ctx context.Context, t *ledger.Transaction) (none chain.Optional[string], err error) {
	if a.request.Marker == nil {
		return none, nil
	}
	mark, err := a.request.Marker(ctx, t)
	if err == nil && mark.Suspense {
		err = a.suspended.add(t)
	}
	return chain.Some(mark.Name), err
}

func (s *suspended) add(t *ledger.Transaction) (err error) {
	if s.count++; len(s.first) < maxSuspended {
		s.first = append(s.first, t.Place().String())
	}
	if fee, known := t.Fee.Get(); known {
		s.fee, err = s.fee.Add(fee)
	} else {
		s.undetermined++
	}
	return err
}

// notes lists the transactions that no rule matches.
func (s *suspended) notes(token console.Token) []string {
	if s.count == 0 {
		return nil
	}
	note := fmt.Sprintf("Suspense: no rule of the chart matches %s, fee %s %s", console.Counted(s.count, "transaction"), token.Tokens(s.fee), plain.Line(token.Symbol))
	if s.undetermined > 0 {
		note += fmt.Sprintf(" and %d undetermined", s.undetermined)
	}
	note += ": " + strings.Join(s.first, ", ")
	if more := s.count - uint64(len(s.first)); more > 0 {
		note += fmt.Sprintf(" and %d more; list them with: fees accounts check --chart", more)
	}
	return []string{note}
}
