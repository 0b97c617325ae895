package web

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
)

// addend is a line of the table that leads from the opening to the closing balance.
type addend struct {
	item   string
	count  any // nil for a balance
	change chain.Optional[balances.Change]
}

// addends returns the opening balance, the movements by kind, their sum, and the closing balance. What balances show of
// changes that no event states is one line.
func addends(one *statement.Statement) (list []addend, err error) {
	balance := func(item string, b chain.Optional[chain.Balance]) {
		if have, known := b.Get(); known {
			list = append(list, addend{item, nil, chain.Some(balances.Of(have))})
		}
	}
	balance(statement.ItemOpening, one.Opening)
	for _, k := range one.Kinds {
		a := addend{string(k.Kind), k.Movements, chain.Some(k.Change)}
		if k.Unknown > 0 {
			a.item += fmt.Sprintf(" (%d not stated)", k.Unknown)
		}
		if k.Unknown == k.Movements {
			a.change = chain.Optional[balances.Change]{}
		}
		list = append(list, a)
	}
	if len(one.Settled) > 0 {
		var sum balances.Change
		for _, d := range one.Settled {
			if sum, err = sum.Plus(d.Change); err != nil {
				return nil, err
			}
		}
		list = append(list, addend{statement.ItemSettled, uint64(len(one.Settled)), chain.Some(sum)})
	}
	if together := one.Closes(); together.Known() {
		list = append(list, addend{statement.ItemMovements, nil, together})
	}
	balance(statement.ItemClosing, one.Closing)
	if !one.Holds() && one.Opening.Known() {
		list = append(list, addend{statement.ItemUnexplained, uint64(len(one.Differences)), one.Unexplained})
	}
	return list, nil
}

// sumTable returns the table that leads from the opening to the closing balance.
func (s *server) sumTable(made *app.Statements) (*tabular, error) {
	one := made.List[0]
	list, err := addends(one)
	if err != nil {
		return nil, err
	}
	var hidden []string
	if !one.Reserves() {
		hidden = []string{"reserved"}
	}
	t, err := s.list(listed("From opening to closing", made.Style.Token, list, func(a addend) []any {
		change, known := a.change.Get()
		if !known {
			return []any{a.item, a.count, nil, nil}
		}
		return []any{a.item, a.count, change.Free, change.Reserved}
	}, table.Column{Name: "item", Kind: table.Text}, table.Column{Name: "count", Kind: table.Integer},
		table.Column{Name: "free", Kind: table.SignedWei}, table.Column{Name: "reserved", Kind: table.SignedWei}), listing{fixed: true, brief: hidden}, nil)
	if err != nil {
		return nil, err
	}
	if !one.Opening.Known() {
		t.Title = "Movements by kind"
	}
	t.None = "No movements."
	return t, nil
}

// feesApart returns the fees by layer of which an amount is not known or not part of any movement: the table of movements
// does not contain them.
func feesApart(one *statement.Statement, token console.Token) (facts []fact) {
	for _, f := range one.Fees {
		if f.Unknown+f.Apart == 0 {
			continue
		}
		charged := amount(words(string(f.Layer))+" fees charged", chain.Some(f.Charged), token)
		if f.Unknown > 0 {
			charged.Unit += fmt.Sprintf(", and %d %s", f.Unknown, notKnown)
		}
		facts = append(facts, charged)
	}
	return facts
}
