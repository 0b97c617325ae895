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
	if j.receivables, err = j.owed(); err != nil {
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
	for _, m := range group {
		free, _ := m.Free.Get()
		held, _ := m.Reserved.Get()
		moved, err := free.Add(held)
		if err != nil {
			return err
		}
		asset := c.assets[m.Account]
		e.post(asset, free)
		e.post(reserved(asset), held)
		other, named := m.Counterparty.Get()
		isInternal := named && c.assets[other] != ""
		if owed := owedBy(m, moved); owed.Sign() != 0 {
			account, err := c.receivable(m.Account)
			if err != nil {
				return err
			}
			e.owe(account, owed)
			if isTransfer(m) {
				continue
			}
			moved = owed
			if owed.Sign() < 0 || !isInternal {
				e.remarks = append(e.remarks, c.passing(m))
			}
		}
		if isInternal {
			continue
		}
		contra, err := c.contra(ctx, e, m, paid)
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

// isTransfer reports whether a movement is a transfer between two accounts.
func isTransfer(m *ledger.Movement) bool {
	return m.Kind == movement.KindTransferIn || m.Kind == movement.KindTransferOut
}

// owedBy returns what a movement adds to the deposits that others hold for the account, or subtracts from those that it holds
// for others: 0 for other movements.
func owedBy(m *ledger.Movement, moved chain.SignedWei) (none chain.SignedWei) {
	switch {
	case isTransfer(m) && m.Reason.Known():
		return moved.Negated()
	case m.Kind == movement.KindDepositPassedOut, m.Kind == movement.KindDepositUnmatchedOut:
		return m.Amount.Signed().Negated()
	case m.Kind == movement.KindDepositPassedIn, m.Kind == movement.KindDepositUnmatchedIn:
		return m.Amount.Signed()
	}
	return none
}

// passing describes a deposit that passed, or whose payer is not known.
func (c *composer) passing(m *ledger.Movement) string {
	counterparty, _ := m.Counterparty.Get()
	amount, account, other := c.Amount(m.Amount), c.names().Name(m.Account), c.names().Name(counterparty)
	switch m.Kind {
	case movement.KindDepositPassedOut:
		return fmt.Sprintf("a deposit of %s that %s paid passed to %s", amount, account, other)
	case movement.KindDepositPassedIn:
		return fmt.Sprintf("%s got a deposit of %s that %s had paid", account, amount, other)
	case movement.KindDepositUnmatchedOut:
		account, other = other, account
	}
	return fmt.Sprintf("%s got a deposit of %s from %s, and who paid it is not known: the ledger does not contain the transaction that took it", account, amount, other)
}

// contra returns the account that a movement is entered against: that of the chart, or else of its kind. The parts of a
// fee that its payer paid stay in the accounts that pay empties again.
func (c *composer) contra(ctx context.Context, e *Entry, m *ledger.Movement, paid *Payment) (Account, error) {
	isPart := false
	if paid != nil && (m.Kind == movement.KindWithdrawal || m.Kind == movement.KindDeposit) {
		payer, known := paid.Payer.Get()
		isPart = known && payer == m.Account
	}
	if c.Chart != nil && !isPart {
		cause, err := c.causeOf(ctx, e)
		if err != nil {
			return "", err
		}
		account, err := c.placeMovement(ctx, m, cause)
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
	switch m.Kind {
	case movement.KindTransferIn, movement.KindTransferOut, movement.KindDepositPassedIn, movement.KindDepositPassedOut:
		other, ok := m.Counterparty.Get()
		if !ok {
			return "", fmt.Errorf("%s: counterparty: %w", m.Event, chain.ErrMissing)
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

// pay enters a fee as an expense: the withdrawal minus the refund, which may be all of it.
func (c *composer) pay(ctx context.Context, e *Entry, p *Payment, group []*ledger.Movement) error {
	e.remarks = append(slices.Clip(p.Remarks), e.remarks...)
	charged, ok := p.Charged.Get()
	payer, isPaid := p.Payer.Get()
	if !ok || !isPaid {
		return nil
	}
	parts, err := movement.FeeAmong(len(group), func(i int) *movement.Movement { return &group[i].Movement }, payer, charged)
	if err != nil && charged.IsZero() { // nothing was withdrawn for it
		return nil
	}
	if errors.Is(err, chain.ErrNoWithdraw) {
		err = fmt.Errorf("%v paid %v wei, but nothing was withdrawn: %w", payer, charged, err)
	}
	if err != nil && p.HoldsDeposits() && !errors.Is(err, chain.ErrNoWithdraw) { // the call moved money in a way that the fee cannot be told from
		err = fmt.Errorf("%w: the movements of the fee of %v: %w", ErrUnknown, p.Place(), err)
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
	e.post(deposited, parts.GivenBack.Signed())
	if !c.NetworkSide {
		return nil
	}
	return e.network(p)
}
