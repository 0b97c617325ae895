package rollforward

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
)

// Item is a movement of a rollforward.
type Item struct {
	Period  string
	Account chain.Address
	Label   string
	Group   string
	Class
	Line // that it is of in its account's column, unless it is [Internal] there
	Direction
	// Internal says that the other account is among those that were asked for: in the same
	// group, or else.
	Internal Internality
	Height   uint64
	Time     chain.Optional[chain.Time] // of the block
	Where    movement.Where
	// Movement is nil where ToldByBalances.
	Movement     *movement.Movement
	Counterparty chain.Optional[chain.Address] // the other account, where there is one
	// Free and Reserved are by how much the balances changed; not known where the event does
	// not tell.
	Free, Reserved chain.Optional[chain.SignedWei]
	// Told says that the balances tell what the event does not: that is in an item of its own.
	Told bool
	// ToldByBalances says that this is no movement, but what the balances on both sides of the
	// block tell of those that are Told.
	ToldByBalances bool
	Value          chain.Optional[money.Amount] // what Free was worth on the movement's day
	Transaction    *ledger.Transaction          // that made it, nil where none did
}

// Internality tells whether the other account of a movement is among those asked for.
type Internality string

// It is in the same group, or only among the accounts.
const (
	InGroup    Internality = "group"
	InAccounts Internality = "accounts"
)

// Place is the block with the extrinsic's index, such as "25-7", or with the hook.
func (i *Item) Place() string { return i.Where.In(i.Height) }

// Each hands over the movements of each period and account, in the order of the chain.
func (r *Rollforward) Each(ctx context.Context, each func(*Item) error) error {
	for _, s := range r.Statements {
		if err := r.each(ctx, s, each); err != nil {
			return err
		}
	}
	return nil
}

// periodOf is the name of the period that a statement is of.
func (r *Rollforward) periodOf(s *statement.Statement) string {
	return r.Periods[slices.IndexFunc(r.Periods, func(p Period) bool { return p.Span.Last == s.Span.Last })].Name
}

// each hands over the movements of a statement, block by block: what a block's events do
// not tell is known when the block is done.
func (r *Rollforward) each(ctx context.Context, s *statement.Statement, each func(*Item) error) error {
	entry := r.accounts.Entry(s.Account)
	reader := reading{Classifier: &r.classifier, book: r.book}
	settled := map[uint64]balances.Change{}
	for _, d := range s.Settled {
		settled[d.Height] = d.Change
	}
	var block []*Item
	flush := func() error {
		for _, item := range settle(block, settled) {
			if r.prices != nil {
				item.Value = money.ValueKnown(r.prices, item.Free, item.Time)
			}
			if err := each(item); err != nil {
				return err
			}
		}
		block = block[:0]
		return nil
	}
	err := s.Each(ctx, func(l *statement.Line) error {
		if len(block) > 0 && block[0].Height != l.Height {
			if err := flush(); err != nil {
				return err
			}
		}
		if l.Movement == nil { // a fee whose money did not move, or is not known
			return nil
		}
		class, d, t, err := reader.classify(ctx, l)
		if err != nil {
			return &statement.LedgerError{Err: err}
		}
		item := &Item{
			Period: r.periodOf(s), Account: s.Account, Label: entry.Label, Group: entry.Group, Class: class, Direction: d,
			Height: l.Height, Time: l.Time, Where: l.Where, Movement: l.Movement, Counterparty: l.Movement.Counterparty, Free: l.Free, Reserved: l.Reserved, Transaction: t,
		}
		item.setLine()
		item.Internal = r.internality(&entry.Group, item)
		block = append(block, item)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// setLine finds the line of the class. A class that cannot have the direction does not fit.
func (i *Item) setLine() {
	row, _ := i.Class.find()
	if i.Line = row.line(i.Direction); i.Line == "" {
		i.Class, i.Line = Unclassified, UnclassifiedLine
	}
}

// internality tells where the other account of a movement is among those asked for.
func (r *Rollforward) internality(group *string, item *Item) Internality {
	other, ok := item.Counterparty.Get()
	if !ok {
		return ""
	}
	switch {
	case !r.listed[other]:
		return ""
	case *group != "" && r.accounts.Entry(other).Group == *group:
		return InGroup
	}
	return InAccounts
}

// settle adds to a block's movements what the balances tell of those whose events do not.
// They are unclassified where they are of several classes, for the balances tell of all
// together.
func settle(block []*Item, settled map[uint64]balances.Change) []*Item {
	if len(block) == 0 {
		return nil
	}
	var untold []*Item
	alike := true
	for _, item := range block {
		if item.Free.Known() && item.Reserved.Known() {
			continue
		}
		if untold = append(untold, item); item.Class != untold[0].Class || item.Direction != untold[0].Direction || item.Counterparty != untold[0].Counterparty {
			alike = false
		}
	}
	by, is := settled[block[0].Height]
	if !is || len(untold) == 0 {
		return block
	}
	for _, item := range untold {
		item.Told = true
	}
	last := *untold[len(untold)-1]
	if !alike {
		for _, item := range untold {
			item.Class, item.Line = Unclassified, UnclassifiedLine
		}
		last.Class, last.Line, last.Internal, last.Counterparty = Unclassified, UnclassifiedLine, "", chain.Optional[chain.Address]{}
		if last.Direction = In; by.Free.Sign() < 0 || by.Free.Sign() == 0 && by.Reserved.Sign() < 0 {
			last.Direction = Out
		}
	}
	last.Movement, last.Free, last.Reserved, last.Told, last.ToldByBalances = nil, chain.Some(by.Free), chain.Some(by.Reserved), false, true
	last.Transaction, last.Where = nil, movement.OnFinalize
	return append(block, &last)
}
