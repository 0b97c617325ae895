package statement

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// Style controls how statements are displayed.
type Style struct {
	Network       string
	console.Token // the network's
	Labels        *addressbook.Book
	// Called adds the account's label and group to every row: there is an address book.
	Called bool
	Zone   *time.Location // time zone of displayed dates; nil for UTC
	Notes  []string       // on all the statements, such as missing parts of the period
	// Evidence is the evidence for the blocks of the period. The proof of balances is
	// separate: see [Statement.Proof].
	Evidence evidence.Evidence
	valuer   *money.Valuer // nil without prices
}

// Name returns an account with its label.
func (y *Style) Name(account chain.Address) string {
	if label, ok := y.Labels.Label(account); ok {
		return fmt.Sprintf("%s (%s)", y.Account(account), plain.Line(label))
	}
	return y.Account(account)
}

// sheet builds a sheet of consecutive statements.
func (y *Style) sheet(name, title string, columns []table.Column, list []*Statement, rows func(s *Statement, add func(...any) error) error) *table.Sheet {
	if len(list) == 1 {
		title += " for " + y.Name(list[0].Account)
	}
	if y.Called {
		columns = append(slices.Clone(columns), accountColumns...)
		plain := rows
		rows = func(s *Statement, add func(...any) error) error {
			label, group := y.label(s.Account), y.Labels.GroupOf(chain.Some(s.Account))
			return plain(s, func(values ...any) error { return add(append(values, label, group)...) })
		}
	}
	s := &table.Sheet{Name: name, Title: title, Notes: y.Notes, Token: y.Token, Columns: columns, Rows: allRows(list, rows)}
	if y.valuer == nil {
		return s
	}
	return table.WithLate(s, y.valuer.List)
}

// accountColumns contain an account's label and group.
var accountColumns = []table.Column{{Name: "label", Kind: table.Text}, {Name: "group", Kind: table.Text}}

func allRows(list []*Statement, rows func(s *Statement, add func(...any) error) error) iter.Seq2[[]any, error] {
	return table.Rows(func(add func(...any) error) error {
		for _, s := range list {
			if err := rows(s, add); err != nil {
				return err
			}
		}
		return nil
	})
}

// movementColumns are the columns of [Style.Movements].
var movementColumns = []table.Column{
	{Name: "account", Kind: table.Address}, {Name: "place", Kind: table.Text}, {Name: "block", Kind: table.Integer},
	{Name: "time", Kind: table.Time}, {Name: "event", Kind: table.Text}, {Name: "event_index", Kind: table.Integer},
	{Name: "kind", Kind: table.Text, Term: true}, {Name: "of_fee", Kind: table.Boolean},
	{Name: "counterparty", Kind: table.Address}, {Name: "counterparty_label", Kind: table.Text},
	{Name: "amount", Kind: table.Wei}, {Name: "free", Kind: table.SignedWei, Total: true}, {Name: "reserved", Kind: table.SignedWei, Total: true},
	{Name: "free_balance", Kind: table.SignedWei}, {Name: "reserved_balance", Kind: table.SignedWei},
	{Name: "fee", Kind: table.Wei, Total: true}, {Name: "layer", Kind: table.Text}, {Name: "call", Kind: table.Text},
	{Name: "hash", Kind: table.Hash}, {Name: "paid_for", Kind: table.Address}, {Name: "verdict", Kind: table.Text}, {Name: "failed_checks", Kind: table.Text}, {Name: "remark", Kind: table.Text},
}

// Movements returns one row per line of the statements. The amount charged for a fee is in the row of the
// first movement that is part of it, so that the column's total is the amount paid.
func (y *Style) Movements(ctx context.Context, list ...*Statement) *table.Sheet {
	return y.lines(ctx, list, false)
}

// MovementsByFee returns the same with one row per fee, without an event: see [Statement.EachFee].
func (y *Style) MovementsByFee(ctx context.Context, list ...*Statement) *table.Sheet {
	return y.lines(ctx, list, true)
}

func (y *Style) lines(ctx context.Context, list []*Statement, byFee bool) *table.Sheet {
	return y.sheet("movements", "Movements and fees", slices.Concat(movementColumns, y.worthColumns(worthNames...)), list, func(s *Statement, add func(...any) error) error {
		walk := s.Each
		if byFee {
			walk = s.EachFee
		}
		return walk(ctx, func(l *Line) error {
			row, worth := []any{s.Account, l.Place(), l.Height, l.Time}, y.worthOf(l)
			if m := l.Movement; m != nil && !(byFee && l.OfFee) {
				row = append(row, m.Event, m.EventIndex, string(m.Kind), l.OfFee, m.Counterparty, y.Labels.LabelOf(m.Counterparty), m.Amount)
			} else {
				row = append(row, nil, nil, string(l.Kind()), true, nil, nil, nil)
				if worth != nil {
					worth[0] = nil // of the amount
				}
			}
			row = append(row, l.Free, l.Reserved, l.FreeBalance, l.ReservedBalance)
			if t := l.Payment; t != nil {
				row = append(row, t.Charged, string(t.Layer), t.Call, t.LayerHash(), l.ForOther(), t.Standing(), table.OrNull(t.Failed))
			} else {
				row = append(row, nil, nil, nil, nil, nil, nil, nil)
			}
			return add(append(append(row, y.remark(l)), worth...)...)
		})
	})
}

// label returns an account's label, if any.
func (y *Style) label(account chain.Address) chain.Optional[string] {
	return y.Labels.LabelOf(chain.Some(account))
}

// remark returns a remark that readers need for a line.
func (y *Style) remark(l *Line) any {
	switch {
	case l.Payment != nil && l.Payment.InAsset():
		return "paid in an asset: " + l.Payment.AssetFee.Text(y.Amount)
	case l.ChangeUnknown():
		return "change not stated by the event"
	case l.Kind() == movement.KindDepositPassedOut:
		return "paid by this account, given back to the counterparty; no balance changed"
	case l.Kind() == movement.KindDepositPassedIn:
		return "paid by the counterparty, given back to this account by another movement"
	case l.Kind() == movement.KindDepositUnmatchedIn:
		return "given back to this account by another movement; who paid it is not known"
	case l.Kind() == movement.KindDepositUnmatchedOut:
		return "given back by another movement; who paid it is not known"
	case l.Movement != nil && balances.IsSet(l.Movement):
		return "balance set to the amount"
	case l.Movement != nil || l.Payment == nil:
		return nil
	}
	switch charged, known := l.Payment.Charged.Get(); {
	case !known:
		return "amount charged not known"
	case charged.IsZero():
		return "nothing was charged"
	}
	return "no matching movements for the charge"
}

var briefColumns = []table.Column{
	{Name: "date", Kind: table.Text, Term: true}, {Name: "block", Kind: table.Integer, Drop: 1}, {Name: "index", Kind: table.Integer, Drop: 3},
	{Name: "kind", Kind: table.Text, Term: true}, {Name: "counterparty", Kind: table.Text, Drop: 4},
	{Name: "free", Kind: table.SignedWei, Total: true}, {Name: "free_balance", Kind: table.SignedWei, Drop: 2},
	{Name: "reserved", Kind: table.SignedWei, Total: true, Drop: 5}, {Name: "reserved_balance", Kind: table.SignedWei, Drop: 6},
}

// Brief returns one row per movement or fee of a statement, with few columns, for a terminal. Index is the
// extrinsic's; a hook has none. A question mark before a kind marks a change that the event does not state.
func (y *Style) Brief(ctx context.Context, s *Statement) *table.Sheet {
	return &table.Sheet{Name: "movements", Token: y.Token, Columns: briefColumns, Rows: allRows([]*Statement{s}, func(s *Statement, add func(...any) error) error {
		return s.EachFee(ctx, func(l *Line) error {
			if l.Movement == nil {
				return nil
			}
			kind := string(l.Kind())
			if l.ChangeUnknown() {
				kind = "? " + kind
			}
			var index any
			if i, ok := l.Where.Extrinsic(); ok {
				index = i
			}
			return add(y.date(l.Time), l.Height, index, kind, y.with(l.Movement.Counterparty), l.Free, l.FreeBalance, l.Reserved, l.ReservedBalance)
		})
	})}
}

// date returns the day of a time in the style's zone.
func (y *Style) date(at chain.Optional[chain.Time]) any {
	t, ok := at.Get()
	if !ok {
		return nil
	}
	return t.Std().In(cmp.Or(y.Zone, time.UTC)).Format(time.DateOnly)
}

// with returns the other account's label, or its address.
func (y *Style) with(account chain.Optional[chain.Address]) any {
	if a, ok := account.Get(); ok && !y.Labels.LabelOf(account).Known() {
		return y.Account(a)
	}
	return y.Labels.LabelOf(account)
}

// Reserves reports whether a balance is, was, or may have been reserved.
func (s *Statement) Reserves() bool {
	opening, _ := s.Opening.Get()
	if !opening.Reserved.IsZero() || len(s.unknown) > 0 {
		return true
	}
	for _, k := range s.Kinds {
		switch k.Kind {
		case movement.KindReserve, movement.KindUnreserve, movement.KindReservedSet:
			return true
		}
		if k.Reserved.Sign() != 0 {
			return true
		}
	}
	return false
}

var feeColumns = []table.Column{
	{Name: "account", Kind: table.Address}, {Name: "block", Kind: table.Integer}, {Name: "index", Kind: table.Integer, Drop: 1}, {Name: "time", Kind: table.Time, Drop: 3},
	{Name: "layer", Kind: table.Text, Term: true, Drop: 2}, {Name: "call", Kind: table.Text, Drop: 5}, {Name: "hash", Kind: table.Hash, Drop: 6}, {Name: "paid_for", Kind: table.Address, Drop: 4},
	{Name: "fee", Kind: table.Wei, Total: true, Whole: true}, {Name: "verdict", Kind: table.Text, Verdict: true},
	{Name: "failed_checks", Kind: table.Text, Drop: 7},
}

// Fees returns one row per fee that the accounts paid, in chain order.
func (y *Style) Fees(ctx context.Context, list ...*Statement) *table.Sheet {
	return y.sheet("fees", "Fees paid", slices.Concat(feeColumns, y.worthColumns("fee")), list, func(s *Statement, add func(...any) error) error {
		for t, err := range s.book.Transactions(ctx, s.query(s.Span)) {
			if err == nil {
				row := []any{s.Account, t.Height, t.Index, t.Time, string(t.Layer), t.Call, t.LayerHash(), PaidFor(t), t.Charged, t.Standing(), table.OrNull(t.Failed)}
				if y.valuer != nil {
					row = append(row, money.ValueKnown(y.valuer, t.Charged, t.Time))
				}
				err = add(row...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

var transferColumns = []table.Column{
	{Name: "account", Kind: table.Address}, {Name: "block", Kind: table.Integer, Drop: 1}, {Name: "index", Kind: table.Integer, Drop: 2}, {Name: "time", Kind: table.Time, Drop: 5},
	{Name: "token", Kind: table.Address}, {Name: "token_label", Kind: table.Text, Drop: 4}, {Name: "direction", Kind: table.Text, Term: true},
	{Name: "counterparty", Kind: table.Address, Drop: 3}, {Name: "counterparty_label", Kind: table.Text, Drop: 4}, {Name: "amount", Kind: table.TokenAmount},
}

// Transfers returns one row per ERC-20 transfer from or to the accounts. Amounts are in the smallest unit of each
// token, as stated by the contracts' events, and not proved.
func (y *Style) Transfers(ctx context.Context, list ...*Statement) *table.Sheet {
	return y.sheet("transfers", "ERC-20 transfers", transferColumns, list, func(s *Statement, add func(...any) error) error {
		for x, err := range s.book.Transfers(ctx, s.query(s.Span)) {
			if err != nil {
				return err
			}
			direction, other := transferOf(s.Account, x.Sender, x.Recipient)
			if err := add(s.Account, x.Height, x.Extrinsic, x.Time, x.Token, y.label(x.Token), direction, other, y.label(other), x.Amount); err != nil {
				return err
			}
		}
		return nil
	})
}

// Without returns a sheet without the named columns, for a terminal.
func Without(s *table.Sheet, names ...string) *table.Sheet {
	var kept []int
	fewer := *s
	fewer.Columns = nil
	for i, c := range s.Columns {
		if !slices.Contains(names, c.Name) {
			kept, fewer.Columns = append(kept, i), append(fewer.Columns, c)
		}
	}
	fewer.Rows = func(yield func([]any, error) bool) {
		for row, err := range s.Rows {
			if err != nil {
				yield(nil, err)
				return
			}
			values := make([]any, len(kept))
			for to, from := range kept {
				values[to] = row[from]
			}
			if !yield(values, nil) {
				return
			}
		}
	}
	return &fewer
}
