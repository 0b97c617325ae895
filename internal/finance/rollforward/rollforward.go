package rollforward

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
)

// Period is a part of the requested time, such as a month.
type Period struct {
	Name string        // such as 2026-01
	Span chain.Heights // the blocks
	// OpensAt and ClosesAt are the times at whose prices the balances at its ends are valued.
	OpensAt, ClosesAt chain.Optional[chain.Time]
}

// Request requests a rollforward of accounts.
type Request struct {
	Periods  []Period // consecutive, without gaps
	Accounts *addressbook.Book
	Classifier
	// Balances is the source of account balances; if nil, they are not queried and nothing is proved.
	Balances balances.Reader
	balances.Options
	Prices *money.Valuer // values each movement on its day; nil for none
}

// Rollforward derives the closing balances of accounts from the opening ones, by period. Its movements are not kept in
// memory: [Rollforward.Each] reads them from the ledger.
type Rollforward struct {
	Columns []Column
	Periods []Period
	// Statements are the underlying statements, by period and account.
	Statements []*statement.Statement

	accounts   *addressbook.Book
	listed     map[chain.Address]bool // the selected accounts
	classifier Classifier
	book       statement.Book
	owners     []owner
	prices     *money.Valuer
	ends       *money.Valuer // of the balances
}

// Scope is the scope of a column.
type Scope string

// The scopes.
const (
	OfAccount Scope = "account"
	OfGroup   Scope = "group"
	OfAll     Scope = "all"
)

// owner is an account, a group of accounts, or all of them.
type owner struct {
	scope   Scope
	account chain.Optional[chain.Address]
	label   string
	group   string
	members map[chain.Address]bool
}

// Column is the rollforward of an account, a group or all accounts in a period. A movement is in one line of each
// column that includes its account.
type Column struct {
	Period  Period
	Whole   bool // the period combines several
	Scope   Scope
	Account chain.Optional[chain.Address] // if the column is for one account
	Label   string                        // of the account, "" if none
	Group   string                        // of the account, or of the column; "" for none
	// Accounts is the number of accounts.
	Accounts int
	// Opening and Closing are the balances before and after. They are unknown if balances were not
	// queried.
	Opening, Closing chain.Optional[balances.Change]
	// OpeningValue and ClosingValue are the worth of the balances, free and reserved, at the prices of their own days. They are
	// unknown without prices, or if one is missing.
	OpeningValue, ClosingValue chain.Optional[money.Amount]
	Sums                       []Sum // by line, class and direction, in order; only those with movements
	// Unexplained is Closing minus Opening and the sums; zero if they match. It is unknown if balances were not
	// queried.
	Unexplained chain.Optional[balances.Change]
	// AssetFees are the fees that the accounts paid in assets. They are in no sum.
	AssetFees fee.AssetTotals

	nothing chain.Optional[money.Amount] // the value of no movements; unknown without prices
	apart   bool                         // a statement of its accounts has something unexplained
}

// Sum is the sum of the movements of a class in a column.
type Sum struct {
	Line
	Class
	Direction
	Count uint64 // number of movements
	// Free and Reserved are the changes of the balances. They are unknown if an event does not state the change and
	// no balance shows it.
	Free, Reserved chain.Optional[chain.SignedWei]
	// Value is the worth of the changes, free and reserved, each on its own day. It is unknown without prices, or if
	// one is missing.
	Value chain.Optional[money.Amount]
}

// Holds reports whether the statements of all its accounts hold. Differences that cancel each other, of two accounts or two
// blocks, are unexplained, too. It also returns true if balances were not queried; Opening is then unknown.
func (c *Column) Holds() bool { return !c.apart }

// Make builds the rollforward of accounts for periods of the ledger's blocks. Errors from the ledger are of type
// [statement.LedgerError]; others come from the reader of balances.
func Make(ctx context.Context, book statement.Book, q Request) (*Rollforward, error) {
	r := &Rollforward{Periods: q.Periods, accounts: q.Accounts, classifier: q.Classifier, book: book, owners: ownersOf(q.Accounts), listed: map[chain.Address]bool{}, prices: q.Prices}
	if r.prices != nil {
		r.ends = r.prices.List.Valuer()
	}
	for _, a := range q.Accounts.Addresses() {
		r.listed[a] = true
	}
	for i, p := range q.Periods {
		if i > 0 && q.Periods[i-1].Span.Last+1 != p.Span.First {
			return nil, fmt.Errorf("%s ends with block %d, but %s starts with block %d", q.Periods[i-1].Name, q.Periods[i-1].Span.Last, p.Name, p.Span.First)
		}
		columns := make([]column, len(r.owners))
		for _, account := range q.Accounts.Addresses() {
			s, err := statement.Make(ctx, book, q.Balances, account, p.Span, statement.Options{Options: q.Options})
			if err != nil {
				return nil, err
			}
			r.Statements = append(r.Statements, s)
			if err := r.add(ctx, columns, s); err != nil {
				return nil, err
			}
		}
		for j, o := range r.owners {
			c, err := columns[j].column(o, p, r.nothing())
			if err == nil {
				err = r.valueEnds(&c)
			}
			if err != nil {
				return nil, err
			}
			r.Columns = append(r.Columns, c)
		}
	}
	return r, r.addWhole()
}

// ownersOf returns the accounts, their groups and, if there are several accounts, all of them.
func ownersOf(book *addressbook.Book) (list []owner) {
	all := owner{scope: OfAll, members: map[chain.Address]bool{}}
	var groups []owner
	for _, e := range book.Entries() {
		all.members[e.Address] = true
		list = append(list, owner{OfAccount, chain.Some(e.Address), e.Label, e.Group, map[chain.Address]bool{e.Address: true}})
		if e.Group == "" {
			continue
		}
		i := slices.IndexFunc(groups, func(g owner) bool { return g.group == e.Group })
		if i < 0 {
			i, groups = len(groups), append(groups, owner{scope: OfGroup, group: e.Group, members: map[chain.Address]bool{}})
		}
		groups[i].members[e.Address] = true
	}
	list = append(list, groups...)
	if len(all.members) > 1 {
		list = append(list, all)
	}
	return list
}

// add adds a statement to the columns that include its account.
func (r *Rollforward) add(ctx context.Context, columns []column, s *statement.Statement) error {
	var mine []int
	for j, o := range r.owners {
		if o.members[s.Account] {
			mine = append(mine, j)
			if err := columns[j].addEnds(s); err != nil {
				return err
			}
		}
	}
	return r.each(ctx, s, func(item *Item) error {
		for _, j := range mine {
			if err := columns[j].add(&r.owners[j], item); err != nil {
				return &statement.LedgerError{Err: fmt.Errorf("%s: the sum: %w", item.Place(), err)}
			}
		}
		return nil
	})
}

// column is a column being summed up.
type column struct {
	accounts         int
	opening, closing chain.Optional[balances.Change]
	unexplained      chain.Optional[balances.Change]
	apart            bool
	assetFees        fee.AssetTotals
	sums             map[key]*total
}

// key identifies a sum.
type key struct {
	line      Line
	class     Class
	direction Direction
}

type total struct {
	count   uint64
	value   chain.Optional[money.Amount]
	valued  bool            // value includes a movement
	change  balances.Change // sum of the known changes
	unknown struct{ free, reserved bool }
}

// addEnds adds an account's opening and closing balances, and what it paid in assets.
func (c *column) addEnds(s *statement.Statement) (err error) {
	change := func(b chain.Optional[chain.Balance]) (none chain.Optional[balances.Change]) {
		if have, ok := b.Get(); ok {
			return chain.Some(balances.Of(have))
		}
		return none
	}
	for _, one := range []struct {
		sum *chain.Optional[balances.Change]
		by  chain.Optional[balances.Change]
	}{{&c.opening, change(s.Opening)}, {&c.closing, change(s.Closing)}, {&c.unexplained, s.Unexplained}} {
		by, known := one.by.Get()
		sum, already := one.sum.Get()
		if c.accounts > 0 && !already {
			known = false
		}
		if !known {
			*one.sum = chain.Optional[balances.Change]{}
			continue
		}
		if sum, err = sum.Plus(by); err != nil {
			return &statement.LedgerError{Err: fmt.Errorf("sum of the balances of all accounts: %w", err)}
		}
		*one.sum = chain.Some(sum)
	}
	c.accounts++
	c.apart = c.apart || !s.Holds()
	if err := c.assetFees.Join(s.AssetFees); err != nil {
		return &statement.LedgerError{Err: err}
	}
	return nil
}

// add adds a movement.
func (c *column) add(o *owner, item *Item) (err error) {
	k := key{item.Line, item.Class, item.Direction}
	if other, ok := item.Counterparty.Get(); ok && o.members[other] && k.line != UnclassifiedLine {
		k.line = Internal
	}
	if c.sums == nil {
		c.sums = map[key]*total{}
	}
	t := c.sums[k]
	if t == nil {
		t = &total{}
		c.sums[k] = t
	}
	if !item.ToldByBalances {
		t.count++
	}
	free, isFree := item.Free.Get()
	reserved, isReserved := item.Reserved.Get()
	if !item.Told {
		if t.value = money.Sum(t.value, item.Value); !t.valued {
			t.value, t.valued = item.Value, true
		}
		t.unknown.free, t.unknown.reserved = t.unknown.free || !isFree, t.unknown.reserved || !isReserved
	}
	t.change, err = t.change.Plus(balances.Change{Free: free, Reserved: reserved})
	return err
}

// column returns the finished column. A sum whose changes are all known, but in items of another class, has the value of
// nothing. It fails unless opening, sums and the unexplained difference add up to the closing balance.
func (c *column) column(o owner, p Period, nothing chain.Optional[money.Amount]) (Column, error) {
	whole := Column{
		Period: p, Scope: o.scope, Account: o.account, Label: o.label, Group: o.group, Accounts: c.accounts,
		Opening: c.opening, Closing: c.closing, Unexplained: c.unexplained, AssetFees: c.assetFees,
		nothing: nothing, apart: c.apart,
	}
	for k, t := range c.sums {
		s := Sum{Line: k.line, Class: k.class, Direction: k.direction, Count: t.count, Value: t.value}
		if !t.valued {
			s.Value = nothing
		}
		if !t.unknown.free {
			s.Free = chain.Some(t.change.Free)
		}
		if !t.unknown.reserved {
			s.Reserved = chain.Some(t.change.Reserved)
		}
		whole.Sums = append(whole.Sums, s)
	}
	whole.sort()
	return whole, whole.check()
}

// sort orders the sums.
func (c *Column) sort() {
	class := func(x Class) int {
		return slices.IndexFunc(classes, func(row ClassInfo) bool { return row.Class == x })
	}
	slices.SortFunc(c.Sums, func(a, b Sum) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Lines(), a.Line), slices.Index(Lines(), b.Line)), cmp.Compare(class(a.Class), class(b.Class)),
			cmp.Compare(a.Direction, b.Direction),
		)
	})
}

// Change returns the total of all sums; unknown if one of them is unknown.
func (c *Column) Change() (none chain.Optional[balances.Change], err error) {
	var all balances.Change
	for _, s := range c.Sums {
		free, isFree := s.Free.Get()
		reserved, isReserved := s.Reserved.Get()
		if !isFree || !isReserved {
			return none, nil
		}
		if all, err = all.Plus(balances.Change{Free: free, Reserved: reserved}); err != nil {
			return none, err
		}
	}
	return chain.Some(all), nil
}

// check verifies opening + sums + unexplained = closing, if all are known.
func (c *Column) check() error {
	change, err := c.Change()
	if err != nil {
		return &statement.LedgerError{Err: err}
	}
	opening, isOpen := c.Opening.Get()
	closing, isClosed := c.Closing.Get()
	unexplained, _ := c.Unexplained.Get()
	by, known := change.Get()
	if !isOpen || !isClosed || !known {
		return nil
	}
	rest := closing
	for _, part := range []balances.Change{opening, by, unexplained} {
		if rest, err = rest.Minus(part); err != nil {
			return &statement.LedgerError{Err: err}
		}
	}
	if !rest.IsZero() {
		return fmt.Errorf("internal error: the rollforward of %s in %s lacks a movement: free %v wei, reserved %v wei", c.Name(console.Token{}), c.Period.Name, rest.Free, rest.Reserved)
	}
	return nil
}

// Name returns the account, in the form of the token's network, or group of the column.
func (c *Column) Name(token console.Token) string {
	switch c.Scope {
	case OfAll:
		return "all accounts"
	case OfGroup:
		return "group " + c.Group
	}
	account, _ := c.Account.Get()
	return token.Account(account)
}

// addWhole adds columns for all periods together, if there are several.
func (r *Rollforward) addWhole() error {
	if len(r.Periods) < 2 {
		return nil
	}
	first, last := r.Periods[0], r.Periods[len(r.Periods)-1]
	all := Period{first.Name + " to " + last.Name, chain.Heights{First: first.Span.First, Last: last.Span.Last}, first.OpensAt, last.ClosesAt}
	count := len(r.owners)
	parts := r.Columns
	for j, o := range r.owners {
		sums := map[key]*Sum{}
		whole := Column{Period: all, Whole: true, Scope: o.scope, Account: o.account, Label: o.label, Group: o.group, Accounts: parts[j].Accounts, Opening: parts[j].Opening, OpeningValue: parts[j].OpeningValue, nothing: parts[j].nothing}
		for i := j; i < len(parts); i += count {
			part := &parts[i]
			if err := whole.join(part, sums, i == j); err != nil {
				return &statement.LedgerError{Err: err}
			}
			whole.Closing, whole.ClosingValue = part.Closing, part.ClosingValue
		}
		for _, s := range sums {
			whole.Sums = append(whole.Sums, *s)
		}
		whole.sort()
		if err := whole.check(); err != nil {
			return err
		}
		r.Columns = append(r.Columns, whole)
	}
	return nil
}

// join adds a period to the combined column.
func (c *Column) join(part *Column, sums map[key]*Sum, first bool) (err error) {
	c.apart = c.apart || part.apart
	if err := c.AssetFees.Join(part.AssetFees); err != nil {
		return err
	}
	for _, s := range part.Sums {
		k := key{s.Line, s.Class, s.Direction}
		have := sums[k]
		if have == nil {
			sums[k] = &s
			continue
		}
		have.Count += s.Count
		have.Value = money.Sum(have.Value, s.Value)
		if have.Free, err = plus(have.Free, s.Free); err != nil {
			return err
		}
		if have.Reserved, err = plus(have.Reserved, s.Reserved); err != nil {
			return err
		}
	}
	by, known := part.Unexplained.Get()
	sum, already := c.Unexplained.Get()
	if !known || !first && !already {
		c.Unexplained = chain.Optional[balances.Change]{}
		return nil
	}
	sum, err = sum.Plus(by)
	c.Unexplained = chain.Some(sum)
	return err
}

// plus returns a sum, unknown if a part is unknown.
func plus(a, b chain.Optional[chain.SignedWei]) (none chain.Optional[chain.SignedWei], err error) {
	x, isX := a.Get()
	y, isY := b.Get()
	if !isX || !isY {
		return none, nil
	}
	sum, err := x.Add(y)
	return chain.Some(sum), err
}

// Holds reports whether every column holds.
func (r *Rollforward) Holds() bool {
	return !slices.ContainsFunc(r.Columns, func(c Column) bool { return !c.Holds() })
}
