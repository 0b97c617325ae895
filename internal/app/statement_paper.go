package app

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// StatementItem is a line between the opening and the closing balance of a statement.
type StatementItem struct {
	Name   string
	Of     string // what was counted, such as 8 transactions; "" for a balance
	Change chain.Optional[balances.Change]
}

// lineNames are the lines of a rollforward for people, with what they count.
var lineNames = map[rollforward.Line]struct{ name, of string }{
	rollforward.Received: {"received", "movement"}, rollforward.Rewards: {"rewards", "movement"}, rollforward.OtherIn: {"other receipts", "movement"},
	rollforward.Sent: {"sent", "movement"}, rollforward.Fees: {"fees", "transaction"}, rollforward.OtherOut: {"other payments", "movement"},
	rollforward.Internal: {"internal", "movement"}, rollforward.Reserved: {"reserved and released", "movement"}, rollforward.UnclassifiedLine: {"not classified", "movement"},
}

// The names of a statement's items that are not lines of a rollforward.
const (
	ItemOpening    = "opening"
	ItemInferred   = "inferred from balances"
	ItemClosing    = "closing"
	ItemDifference = "difference"
)

// linesOf returns a function that names the line of a rollforward that a statement's line belongs to.
func (d *Ledger) linesOf(n *network.Network) statement.LineOf {
	c := new(rollforward.Classifier)
	if n.Treasury != nil {
		c.Treasury = chain.Some(*n.Treasury)
	}
	of := c.LinesOf(d.Book)
	return func(ctx context.Context, l *statement.Line) (string, error) {
		line, err := of(ctx, l)
		return string(line), err
	}
}

// Items returns the lines that lead from the opening to the closing balance: the same as those of a rollforward, in their
// order. What no movement explains is the difference. Without balances there are only lines of movements.
func (l *Statements) Items(ctx context.Context, s *statement.Statement) (items []StatementItem, err error) {
	sums, err := s.SumLines(ctx, l.ledger.linesOf(l.network))
	if err != nil {
		return nil, l.Explain(err)
	}
	balance := func(name string, b chain.Optional[chain.Balance]) {
		if have, known := b.Get(); known {
			items = append(items, StatementItem{Name: name, Change: chain.Some(balances.Of(have))})
		}
	}
	balance(ItemOpening, s.Opening)
	for _, line := range rollforward.Lines() {
		sum := sums[string(line)]
		if sum == nil {
			continue
		}
		if byLayer := feesByLayer(s, sum); line == rollforward.Fees && byLayer != nil {
			items = append(items, byLayer...)
			continue
		}
		items = append(items, itemOf(sum, lineNames[line].name, lineNames[line].of))
	}
	if len(s.Settled) > 0 {
		var sum balances.Change
		for _, d := range s.Settled {
			if sum, err = sum.Plus(d.Change); err != nil {
				return nil, err
			}
		}
		items = append(items, StatementItem{ItemInferred, console.Counted(len(s.Settled), "block"), chain.Some(sum)})
	}
	balance(ItemClosing, s.Closing)
	if s.Opening.Known() {
		items = append(items, StatementItem{ItemDifference, "", s.Unexplained})
	}
	return items, nil
}

// itemOf returns a sum as an item. Movements whose change is not stated are not part of the amount, and are named.
func itemOf(s *statement.Sum, name, of string) StatementItem {
	i := StatementItem{name, console.Counted(s.Movements, of), chain.Some(s.Change)}
	if s.Unknown > 0 {
		i.Of += fmt.Sprintf(", %d not stated", s.Unknown)
	}
	if s.Unknown == s.Movements && s.Movements > 0 {
		i.Change = chain.Optional[balances.Change]{}
	}
	return i
}

// feesByLayer returns the fees of each layer, if they are exactly the movements of fees; otherwise nil.
func feesByLayer(s *statement.Statement, sum *statement.Sum) (items []StatementItem) {
	var all chain.Wei
	for _, f := range s.Fees {
		var err error
		if all, err = all.Add(f.Charged); err != nil || f.Unknown+f.Apart > 0 {
			return nil
		}
		items = append(items, StatementItem{"fees, " + statement.LayerName(f.Layer), console.Counted(f.Transactions, "transaction"), chain.Some(balances.Change{Free: f.Charged.Signed().Negated()})})
	}
	if sum.Unknown > 0 || sum.Change != (balances.Change{Free: all.Signed().Negated()}) {
		return nil
	}
	return items
}

// paper returns the sheets of a statement for paper: from the opening to the closing balance, the movements, and the hashes
// and addresses in full. Why is the reason for missing balances; "" if none were requested.
func (l *Statements) paper(ctx context.Context, s *statement.Statement, why string) ([]*table.Sheet, error) {
	items, err := l.Items(ctx, s)
	if err != nil {
		return nil, err
	}
	y := &l.Style
	summary := &table.Sheet{
		Name: "summary", Title: "From opening to closing", Token: y.Token, Notes: y.PaperNotes(s),
		Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "count", Kind: table.Text}, {Name: "free", Kind: table.SignedWei}, {Name: "reserved", Kind: table.SignedWei}, {Name: "total", Kind: table.SignedWei}},
		Rows:    rowsOf(items, itemRow),
		Above:   &table.Above{Title: "Account statement, " + y.ShortName(s.Account), Facts: l.Facts(s)},
	}
	if !s.Reserves() {
		summary = statement.Without(summary, "reserved", "total")
	}
	if !s.Opening.Known() {
		summary.Title = "Movements"
		summary.Above.Framed = []string{BalancesMissing(why)}
	} else if !s.Holds() {
		summary.Above.Framed = []string{s.Proof(y.Token)}
	}
	of := l.ledger.linesOf(l.network)
	named := func(ctx context.Context, x *statement.Line) (string, error) {
		line, err := of(ctx, x)
		if x.Kind() == statement.KindFee {
			return "fee", err
		}
		return lineNames[rollforward.Line(line)].name, err
	}
	sheets := []*table.Sheet{summary, y.PaperMovements(ctx, s, named)}
	for _, one := range []*table.Sheet{y.PaperTransfers(ctx, s), y.Annex(ctx, s)} {
		has, err := statement.HasRows(one)
		if err != nil {
			return nil, l.Explain(err)
		}
		if has {
			sheets = append(sheets, one)
		}
	}
	return sheets, nil
}

// itemRow returns an item as a row of the summary.
func itemRow(i StatementItem) []any {
	change, known := i.Change.Get()
	if !known {
		return []any{i.Name, i.Of, nil, nil, nil}
	}
	total, err := change.Total()
	if err != nil {
		return []any{i.Name, i.Of, change.Free, change.Reserved, nil}
	}
	return []any{i.Name, i.Of, change.Free, change.Reserved, total}
}

// BalancesMissing says that a statement has no balances, and why; "" if none were requested.
func BalancesMissing(why string) string {
	if why == "" {
		why = "they were not queried"
	}
	return "Balances not available: " + why + ". The movements come from the ledger; nothing proves that they are complete."
}

// valued returns an amount with its currency.
func valued(amount chain.Optional[money.Amount]) string {
	if worth, known := amount.Get(); known {
		return worth.String() + " " + string(worth.Currency())
	}
	return "not known"
}

// Facts returns what a statement is about.
func (l *Statements) Facts(s *statement.Statement) console.Pairs {
	y := &l.Style
	facts := y.AccountFacts(s.Account)
	facts.Add("Network", y.Network)
	facts.Add("Period", fmt.Sprintf("%s, %v", console.PeriodName(l.held.Name), l.held.Zone))
	facts.Add("Blocks", fmt.Sprintf("%d to %d", s.Span.First, s.Span.Last))
	if worth, known := s.ChargedWorth.Get(); known {
		facts.Add("Fees, valued", worth.String()+" "+string(worth.Currency()))
	}
	if l.request.Prices != nil && s.Opening.Known() {
		facts.Add("Values", fmt.Sprintf("opening %s, movements %s, valuation difference %s, closing %s", valued(s.OpeningWorth), valued(s.MovedWorth), valued(s.Valuation()), valued(s.ClosingWorth)))
	}
	if s.Opening.Known() {
		facts.Add("Balances", s.Proof(y.Token))
	}
	return facts
}
