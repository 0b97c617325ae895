package statement

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

var summaryColumns = []table.Column{
	{Name: "account", Kind: table.Address}, {Name: "item", Kind: table.Text, Verdict: true}, {Name: "count", Kind: table.Integer, Drop: 1},
	{Name: "free", Kind: table.SignedWei}, {Name: "reserved", Kind: table.SignedWei, Drop: 2}, {Name: "total", Kind: table.SignedWei, Drop: 3},
}

// totalName is the amount of an item of a summary that has a worth.
const totalName = "total"

// The items of a summary besides the kinds of movements.
const (
	ItemOpening     = "opening"
	ItemSettled     = "inferred from balances"
	ItemClosing     = "closing"
	ItemMovements   = "together"
	ItemUnexplained = "unexplained"
	ItemWorth       = "worth of the movements"
	ItemValuation   = "valuation difference"
)

// Summary returns, for each statement, the opening balance, the sum of each kind of movement, the expected
// closing balance, the closing balance, the unexplained difference, and the fees by layer.
func (y *Style) Summary(list ...*Statement) *table.Sheet {
	summary := y.sheet("summary", "Statement", slices.Concat(summaryColumns, y.worthColumns(totalName)), list, func(s *Statement, add func(...any) error) error {
		for _, i := range s.items(y.valuer != nil) {
			if err := i.addTo(s.Account, y.valuer != nil, add); err != nil {
				return err
			}
		}
		return nil
	})
	for _, s := range list {
		prefix := ""
		if len(list) > 1 {
			prefix = y.Name(s.Account) + ": "
		}
		for _, note := range slices.Concat(s.Notes(y.Token), s.AssetFees.Notes(y.Amount)) {
			summary.Notes = append(summary.Notes[:len(summary.Notes):len(summary.Notes)], prefix+note)
		}
	}
	summary.Notes = append(summary.Notes[:len(summary.Notes):len(summary.Notes)], "evidence for movements and fees: "+y.Evidence.String())
	return summary
}

// item is a line of a summary.
type item struct {
	name   string
	count  any
	change chain.Optional[balances.Change]
	fee    chain.Optional[chain.Wei] // instead of the change, free
	worth  any                       // in the currency; nil if the item has none
}

// addTo adds the item as a row, with its worth if the statement is valued.
func (i *item) addTo(account chain.Address, valued bool, add func(...any) error) error {
	row := []any{account, i.name, i.count, nil, nil, nil}
	if paid, ok := i.fee.Get(); ok {
		row[3] = paid.Signed().Negated()
	} else if c, ok := i.change.Get(); ok {
		total, err := c.Total()
		if err != nil {
			return err
		}
		row[3], row[4], row[5] = c.Free, c.Reserved, total
	}
	if valued {
		row = append(row, i.worth)
	}
	return add(row...)
}

// items returns the lines of a summary; those of a valued statement with worths.
func (s *Statement) items(valued bool) (items []item) {
	balance := func(name string, b chain.Optional[chain.Balance], worth chain.Optional[money.Amount]) {
		if have, ok := b.Get(); ok {
			items = append(items, item{name: name, change: chain.Some(balances.Of(have)), worth: worth})
		}
	}
	balance(ItemOpening, s.Opening, s.OpeningWorth)
	for _, k := range s.Kinds {
		items = append(items, item{name: string(k.Kind), count: k.Movements, change: chain.Some(k.Change)})
	}
	for _, d := range s.Settled {
		items = append(items, item{name: fmt.Sprintf("%s, block %d", ItemSettled, d.Height), change: chain.Some(d.Change)})
	}
	if s.Closes().Known() {
		items = append(items, item{name: ItemMovements, change: s.Closes()})
	}
	if valued {
		items = append(items, item{name: ItemWorth, worth: s.MovedWorth}, item{name: ItemValuation, worth: s.Valuation()})
	}
	balance(ItemClosing, s.Closing, s.ClosingWorth)
	if !s.Holds() {
		items = append(items, item{name: ItemUnexplained, count: uint64(len(s.Differences)), change: s.Unexplained})
	}
	for _, f := range s.Fees {
		items = append(items, item{name: "fees " + string(f.Layer), count: f.Transactions, fee: chain.Some(f.Charged)})
	}
	if s.Others.Transactions > 0 {
		items = append(items, item{name: "fees for others", count: s.Others.Transactions, fee: chain.Some(s.Others.Charged)})
	}
	return items
}

// Proof returns a line that states how far the statement of a token is proved.
func (s *Statement) Proof(token console.Token) string {
	switch {
	case !s.Opening.Known():
		return "Not proved: balances were not queried"
	case !s.Holds():
		return "Unexplained: the opening balance plus the movements does not equal the closing balance"
	case s.Span.Blocks() == 0:
		return "nothing to prove: no blocks after the opening"
	}
	text := "proved to the " + token.Unit() + ": opening + movements = closing"
	if s.Proved > 1 {
		text += ", and at " + console.Counted(s.Proved-1, "height") + " in between"
	}
	return text
}

// Notes returns notes on the statement of a token, its proof first.
func (s *Statement) Notes(token console.Token) []string {
	notes := []string{s.Proof(token)}
	for _, d := range s.Differences {
		notes = append(notes, "Unexplained: "+d.In(token.Unit()))
	}
	if s.More {
		notes = append(notes, "Unexplained: more blocks not listed")
	}
	for _, d := range s.Settled {
		said := ": the total of free and reserved changed by the stated amount"
		if d.IsZero() {
			said = ": the balances did not change apart from the other movements"
		}
		notes = append(notes, d.In(token.Unit())+said)
	}
	if unexplained, known := s.Unexplained.Get(); known && unexplained.IsZero() && len(s.Differences) > 0 {
		notes = append(notes, "the unexplained differences cancel out, or a balance was set afterwards")
	}
	add := func(count uint64, what, text string) {
		if count > 0 {
			notes = append(notes, console.Counted(count, what)+" "+text)
		}
	}
	for _, k := range s.Kinds {
		add(k.Unknown, string(k.Kind)+" movement", "whose event does not state the change, excluded from the sum")
	}
	for _, f := range s.Fees {
		add(f.Unknown, string(f.Layer)+" fee", "excluded from all sums: amount charged not known")
		add(f.Drifting, string(f.Layer)+" fee", "not charged by the rules")
		add(f.Apart, string(f.Layer)+" fee", "charged without matching movements")
		add(f.Failed, string(f.Layer)+" fee", "with failed checks")
	}
	add(s.WithoutPayer, "transaction", "with unknown payer: fees of the account may be missing")
	add(s.NotFinal, "line", "in blocks that are not final")
	return append(notes, s.passedNotes(token.Amount)...)
}
