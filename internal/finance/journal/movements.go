package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// ErrUnknown reports that the chain does not state the change of a balance by a movement.
var ErrUnknown = failure.New(failure.DoesNotHold, "a change of a balance is not known")

// MovementJournal creates an entry for all changes of the selected accounts' balances, free and reserved,
// by an extrinsic or a hook. It enters the balances before the period and asserts those after it.
//
// It returns [ErrUnknown] if a movement's change is not known, and a [DifferenceError] if the movements do
// not explain the change of the balance; both identify the block. Differences are never adjusted away.
//
// It reads all movements twice; they are read again when the journal is written.
func MovementJournal(ctx context.Context, payments *Payments, reader balances.Reader, r Request) (*Journal, error) {
	span, ok := payments.span.Get()
	if !ok {
		return nil, errors.New("the period contains no blocks, so it has no opening balance")
	}
	accounts, err := assets(r.names(), payments.accounts)
	if err != nil {
		return nil, err
	}
	j := &Journal{composer: composer{Request: r, payments: payments, moved: true, assets: accounts}}
	begin, err := timeOf(ctx, payments.book, span.First, span.First+1) // block 0 has no time
	if err != nil {
		return nil, err
	}
	end, err := timeOf(ctx, payments.book, span.Last, span.First, span.First+1)
	if err != nil {
		return nil, err
	}
	if j.begin, ok = begin.Get(); !ok {
		return nil, fmt.Errorf("block %d: %w", span.First, errNoTime)
	}
	j.end, _ = end.Get()
	if j.holdings, err = payments.holdings(ctx, reader, span, accounts); err != nil {
		return nil, err
	}
	return j, j.look(ctx)
}

// timeOf returns the time of the first of some blocks that has one.
func timeOf(ctx context.Context, book Book, heights ...uint64) (at chain.Optional[chain.Time], err error) {
	for _, height := range heights {
		for b, err := range book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
			if err != nil {
				return at, err
			}
			if b.Time.Known() {
				return b.Time, nil
			}
		}
	}
	return at, nil
}

// movements returns an entry for each extrinsic or hook with movements, with its payment.
func (c *composer) movements(ctx context.Context, payments iter.Seq2[*Payment, error]) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		next, stop := iter.Pull2(payments)
		defer stop()
		paid, failed, more := next()
		fees := map[int]*Payment{}
		for group, err := range c.groups(ctx) {
			if err != nil {
				yield(nil, &LedgerError{err})
				return
			}
			m := group[0]
			maps.DeleteFunc(fees, func(_ int, p *Payment) bool { return p.Height < m.Height })
			for ; more && failed == nil && paid.Height <= m.Height; paid, failed, more = next() {
				if paid.Height == m.Height {
					fees[paid.Index] = paid
				}
			}
			if failed != nil {
				yield(nil, failed)
				return
			}
			e := newEntry(m.Height, m.Where, m.Time, nil)
			e.moved = true
			fee := fees[int(m.Where)]
			if fee != nil {
				e.transaction = fee.Transaction
				if settled, ok, err := ledger.Settled(ctx, c.payments.book.Movements, fee.Transaction); err != nil {
					yield(nil, &LedgerError{err})
					return
				} else if ok {
					payer, _ := fee.Payer.Get()
					others := slices.DeleteFunc(slices.Clone(group), func(m *ledger.Movement) bool { return m.Account == payer })
					group = slices.Concat(settled, others)
				}
			}
			err := c.enter(ctx, e, group, fee)
			if err != nil {
				err = e.of(err)
			}
			if !yield(e, err) {
				return
			}
		}
		for ; more; paid, failed, more = next() { // to the end, where a change is noticed
			if failed != nil {
				yield(nil, failed)
				return
			}
		}
	}
}

// groups returns the movements of each extrinsic or hook.
func (c *composer) groups(ctx context.Context) iter.Seq2[[]*ledger.Movement, error] {
	return func(yield func([]*ledger.Movement, error) bool) {
		span, ok := c.payments.span.Get()
		if !ok {
			return
		}
		var group []*ledger.Movement
		for m, err := range ofAccounts(c.payments, c.payments.book.Movements(ctx, ledger.Query{Accounts: c.payments.accounts, Span: span})) {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(group) > 0 && (group[0].Height != m.Height || group[0].Where != m.Where) {
				if !yield(group, nil) {
					return
				}
				group = nil
			}
			group = append(group, m)
		}
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

// enter posts the movements of an extrinsic or a hook, and the fee if it is one of the payments. If the other account
// of a transfer is selected too, it has its own movement.
func (c *composer) enter(ctx context.Context, e *Entry, group []*ledger.Movement, paid *Payment) error {
	for i, m := range group {
		free, _ := m.Free.Get()
		held, _ := m.Reserved.Get()
		moved, err := free.Add(held)
		if err != nil {
			return err
		}
		asset := c.assets[m.Account]
		e.post(asset, free)
		e.post(reserved(asset), held)
		if other, ok := m.Counterparty.Get(); ok && c.assets[other] != "" && m.Mirrored() {
			continue
		}
		contra, err := c.contra(ctx, m, paid)
		if err == nil && heldFor(group, i) {
			contra = onHold
		}
		if err != nil {
			return err
		}
		e.post(contra, moved.Negated())
	}
	if paid == nil {
		return nil
	}
	return c.pay(ctx, e, paid, group)
}

// heldFor reports whether a movement moves what pallet revive holds on an account for a payer: a deposit with the hold after
// it, or a withdrawal with the release before it.
func heldFor(group []*ledger.Movement, i int) bool {
	beside, kind := i+1, movement.KindReserve
	switch group[i].Kind {
	case movement.KindDeposit:
	case movement.KindWithdrawal:
		beside, kind = i-1, movement.KindUnreserve
	default:
		return false
	}
	if beside < 0 || beside >= len(group) {
		return false
	}
	m, x := group[i], group[beside]
	reason, known := x.Reason.Get()
	return known && reason.Pallet() == "revive" && x.Kind == kind && x.Account == m.Account && x.Amount == m.Amount
}

// contra returns the account that a movement is entered against: that of the chart, or else of its kind. The parts of a
// fee that its payer paid stay in the accounts that pay empties again.
func (c *composer) contra(ctx context.Context, m *ledger.Movement, paid *Payment) (Account, error) {
	isPart := false
	if paid != nil && (m.Kind == movement.KindWithdrawal || m.Kind == movement.KindDeposit) {
		payer, known := paid.Payer.Get()
		isPart = known && payer == m.Account
	}
	if c.Chart != nil && !isPart {
		account, err := c.placeMovement(ctx, m)
		if err != nil {
			return "", err
		}
		if account != "" {
			return parseAccount(account)
		}
	}
	return c.ofKind(&m.Movement)
}

// ofKind returns the contra account of a kind of movements.
func (c *composer) ofKind(m *movement.Movement) (Account, error) {
	_, within := m.Where.Extrinsic()
	if m.Kind == movement.KindTransferIn || m.Kind == movement.KindTransferOut {
		other, ok := m.Counterparty.Get()
		if !ok {
			return "", fmt.Errorf("%s: counterparty: %w", m.Event, chain.ErrMissing)
		}
		if m.Reason.Known() {
			return onHold, nil
		}
		return "Equity:Transfers:" + Account(c.names().Name(other)), nil
	}
	if m.Kind == movement.KindDeposit && !within {
		return rewards, nil
	}
	if account, known := kindAccounts[m.Kind]; known {
		return account, nil
	}
	return "", fmt.Errorf("%w: %s has the movement kind %q", ErrUnknown, m.Event, clean(string(m.Kind)))
}

// pay enters a fee as an expense: the withdrawal minus the refund. What was withdrawn for a fee and given back entirely is
// neither an expense nor an income.
func (c *composer) pay(ctx context.Context, e *Entry, p *Payment, group []*ledger.Movement) error {
	e.remarks = p.Remarks
	charged, ok := p.Charged.Get()
	payer, isPaid := p.Payer.Get()
	if !ok || !isPaid {
		return nil
	}
	parts, err := movement.FeeAmong(len(group), func(i int) *movement.Movement { return &group[i].Movement }, payer, charged, p.HoldsDeposits())
	if charged.IsZero() {
		if err == nil && parts.Withdrawn == parts.GivenBack {
			e.post(withdrawals, parts.Withdrawn.Signed().Negated())
			e.post(deposits, parts.GivenBack.Signed())
		}
		return nil
	}
	if errors.Is(err, chain.ErrNoWithdraw) {
		err = fmt.Errorf("%v paid %v wei, but nothing was withdrawn: %w", payer, charged, err)
	}
	if err != nil {
		return err
	}
	key, _, err := c.key(ctx, p)
	if err != nil {
		return err
	}
	key.Contra = "" // the movements have it
	e.post(withdrawals, parts.Withdrawn.Signed().Negated())
	e.Postings = append(e.Postings, &Posting{Key: key, Wei: charged.Signed()})
	e.post(deposits, parts.GivenBack.Signed())
	e.post(onHold, parts.Held)
	if !c.NetworkSide {
		return nil
	}
	return e.network(p)
}
