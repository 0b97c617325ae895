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
	Line // its line in its account's column, unless it is [Internal] there
	Direction
	// Internal reports whether the other account is selected too, in the same group or not.
	Internal Internality
	Height   uint64
	Time     chain.Optional[chain.Time] // of the block
	Where    movement.Where
	// Movement is nil if ToldByBalances is set.
	Movement     *movement.Movement
	Counterparty chain.Optional[chain.Address] // the other account, if any
	// Free and Reserved are the changes of the balances; unknown if the event does not state them.
	Free, Reserved chain.Optional[chain.SignedWei]
	// Told reports that the balances show the change that the event does not state; a separate item contains it.
	Told bool
	// ToldByBalances reports that this is not a movement, but the change of the block's balances for the
	// items that are Told.
	ToldByBalances bool
	Value          chain.Optional[money.Amount] // the worth of Free and Reserved on the movement's day
	Transaction    *ledger.Transaction          // that caused it, nil if none did
}

// Internality states whether the other account of a movement is selected.
type Internality string

// The other account is in the same group, or is only selected.
const (
	InGroup    Internality = "group"
	InAccounts Internality = "accounts"
)

// Place returns the block with the extrinsic's index, such as "25-7", or with the hook.
func (i *Item) Place() string { return i.Where.In(i.Height) }

// Each calls each for the movements of each period and account, in chain order.
func (r *Rollforward) Each(ctx context.Context, each func(*Item) error) error {
	for _, s := range r.Statements {
		if err := r.each(ctx, s, each); err != nil {
			return err
		}
	}
	return nil
}

// periodOf returns the name of a statement's period.
func (r *Rollforward) periodOf(s *statement.Statement) string {
	return r.Periods[slices.IndexFunc(r.Periods, func(p Period) bool { return p.Span.Last == s.Span.Last })].Name
}

// each calls each for the movements of a statement, block by block: changes that events do not state are known only
// at the end of the block.
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
				by, err := totalOf(item.Free, item.Reserved)
				if err != nil {
					return &statement.LedgerError{Err: err}
				}
				item.Value = money.ValueKnown(r.prices, by, item.Time)
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
		if l.Movement == nil { // a fee without a movement
			return nil
		}
		class, d, err := reader.classify(ctx, l)
		if err != nil {
			return &statement.LedgerError{Err: err}
		}
		item := &Item{
			Period: r.periodOf(s), Account: s.Account, Label: entry.Label, Group: entry.Group, Class: class, Direction: d,
			Height: l.Height, Time: l.Time, Where: l.Where, Movement: l.Movement, Counterparty: l.Movement.Counterparty, Free: l.Free, Reserved: l.Reserved, Transaction: l.Cause,
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

// setLine sets the line of the class. A class that cannot have the direction is replaced by unclassified.
func (i *Item) setLine() {
	row, _ := i.Class.find()
	if i.Line = row.line(i.Direction); i.Line == "" {
		i.Class, i.Line = Unclassified, UnclassifiedLine
	}
}

// internality returns whether the other account of a movement is selected.
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

// settle adds to a block's movements the change that the balances show for events that do not state it. It
// is unclassified if the movements are of several classes, because the balances show only their total.
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
