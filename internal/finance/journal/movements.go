package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// ErrUnknown reports that the chain does not state the change of a balance by a movement.
var ErrUnknown = failure.New(failure.DoesNotHold, "a change of a balance is not known")

// place is an extrinsic or a hook of a block.
type place struct {
	height uint64
	where  movement.Where
}

// MovementJournal creates an entry for all changes of the selected accounts' balances, free and reserved,
// by an extrinsic or a hook. It enters the balances before the period and asserts those after it.
//
// It returns [ErrUnknown] if a movement's change is not known, and a [DifferenceError] if the movements do
// not explain the change of the balance; both identify the block. Differences are never adjusted away.
//
// It reads all movements twice; they are read again when the journal is written.
func MovementJournal(ctx context.Context, payments *Payments, reader balances.Reader, style Style) (*Journal, error) {
	span, ok := payments.span.Get()
	if !ok {
		return nil, errors.New("the period contains no blocks, so it has no opening balance")
	}
	accounts, err := assets(style.names(), payments.accounts)
	if err != nil {
		return nil, err
	}
	sums, err := payments.sums(ctx, span)
	if err != nil {
		return nil, err
	}
	j := &Journal{Style: style}
	if j.begin, j.end, err = endTimes(ctx, payments.book, span); err != nil {
		return nil, err
	}
	if j.holdings, err = payments.holdings(ctx, reader, span, accounts, sums); err != nil {
		return nil, err
	}
	c := composer{book: payments.book, names: style.names(), assets: accounts, networkSide: style.NetworkSide, style: &style}
	j.entries = func(yield func(*entry, error) bool) {
		for part, err := range payments.again(ctx, true) {
			if err != nil {
				yield(nil, err)
				return
			}
			for e, err := range c.entries(ctx, part) {
				if !yield(e, err) {
					return
				}
			}
		}
	}
	j.before = func() (map[Account]bool, error) { return c.before(ctx, payments) }
	return j, j.look()
}

func placeOf(m *ledger.Movement) place { return place{m.Height, m.Where} }

// endTimes returns the first and last time of a span. Block 0 has no time; the next block's is used.
func endTimes(ctx context.Context, book Book, span chain.Heights) (begin, end chain.Time, err error) {
	timed := func(height uint64) (none chain.Optional[chain.Time], err error) {
		for b, err := range book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
			if err != nil {
				return none, err
			}
			return b.Time, nil
		}
		return none, nil
	}
	first, err := timed(span.First)
	if err == nil && !first.Known() {
		first, err = timed(span.First + 1)
	}
	if err != nil {
		return begin, end, err
	}
	last, err := timed(span.Last)
	if err != nil {
		return begin, end, err
	}
	begin, isFirst := first.Get()
	end, isLast := last.Get()
	switch {
	case !isFirst:
		return begin, end, fmt.Errorf("block %d: %w", span.First, errNoTime)
	case !isLast:
		end = begin
	}
	return begin, end, nil
}

// composer creates entries from movements.
type composer struct {
	book        Book
	names       *Names
	assets      map[chain.Address]Account
	networkSide bool
	style       *Style // whose chart chooses accounts
}

// entries returns the entries of some blocks.
func (c *composer) entries(ctx context.Context, p *part) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		for group, paid := range p.groups() {
			e, err := c.entry(ctx, group, paid)
			if (err != nil || len(e.postings) > 0) && !yield(e, err) {
				return
			}
		}
	}
}

// groups returns the movements of each extrinsic or hook with its payment.
func (p *part) groups() iter.Seq2[[]*ledger.Movement, *Payment] {
	return func(yield func([]*ledger.Movement, *Payment) bool) {
		paid := map[place]*Payment{}
		for _, x := range p.payments {
			paid[place{x.Height, movement.Where(x.Index)}] = x
		}
		for moved := p.movements; len(moved) > 0; {
			here := placeOf(moved[0])
			next := slices.IndexFunc(moved, func(m *ledger.Movement) bool { return placeOf(m) != here })
			if next < 0 {
				next = len(moved)
			}
			if !yield(moved[:next], paid[here]) {
				return
			}
			moved = moved[next:]
		}
	}
}

// entry returns the entry of an extrinsic or hook. Paid is nil if it is not one of the
// payments.
func (c *composer) entry(ctx context.Context, group []*ledger.Movement, paid *Payment) (*entry, error) {
	h, err := c.head(ctx, group[0], paid)
	if err != nil {
		return nil, err
	}
	e := &entry{head: h}
	if err := c.post(ctx, e, group, paid); err != nil {
		return nil, e.of(err)
	}
	return e, nil
}

// post enters the movements, including the fee.
func (c *composer) post(ctx context.Context, e *entry, group []*ledger.Movement, paid *Payment) error {
	for _, m := range group {
		if err := c.move(ctx, e, m, paid); err != nil {
			return err
		}
	}
	if paid != nil {
		if err := c.pay(ctx, e, paid, group); err != nil {
			return err
		}
	}
	e.postings = slices.DeleteFunc(e.postings, func(p posting) bool { return p.amount.Sign() == 0 })
	return nil
}

func (c *composer) head(ctx context.Context, m *ledger.Movement, paid *Payment) (h head, err error) {
	if paid != nil {
		return headOf(paid.Transaction)
	}
	at, ok := m.Time.Get()
	h = head{time: at, height: m.Height, where: m.Where, description: fmt.Sprintf("block %d %v", m.Height, m.Where)}
	if !ok {
		return h, h.of(errNoTime)
	}
	index, ok := m.Where.Extrinsic()
	if !ok {
		return h, nil
	}
	t, err := c.book.TransactionAt(ctx, ledger.Place{Height: m.Height, Row: index})
	if err != nil || t == nil {
		return h, err
	}
	return headOf(t)
}

// move enters a movement with its counter-account. If the other account of a transfer is selected too, it has its
// own movement.
func (c *composer) move(ctx context.Context, e *entry, m *ledger.Movement, paid *Payment) error {
	free, _ := m.Free.Get()
	held, _ := m.Reserved.Get()
	change, err := free.Add(held)
	if err != nil {
		return err
	}
	asset := c.assets[m.Account]
	if err := e.postAll(posting{asset, free}, posting{reserved(asset), held}); err != nil {
		return err
	}
	if other, ok := m.Counterparty.Get(); ok && c.assets[other] != "" {
		return nil
	}
	against, err := c.chosen(ctx, m, paid)
	if err != nil {
		return err
	}
	return e.post(against, change.Negated())
}

// against returns the counter-account of a movement.
func (c *composer) against(m *movement.Movement) (Account, error) {
	_, within := m.Where.Extrinsic()
	switch m.Kind {
	case movement.KindTransferIn, movement.KindTransferOut:
		other, ok := m.Counterparty.Get()
		if !ok {
			return "", fmt.Errorf("%s: counterparty: %w", m.Event, chain.ErrMissing)
		}
		return transfers(c.names, other), nil
	case movement.KindDeposit:
		if within {
			return deposits, nil
		}
		return rewards, nil
	case movement.KindWithdrawal:
		return withdrawals, nil
	case movement.KindReserve, movement.KindUnreserve: // nothing more to enter
		return withdrawals, nil
	case movement.KindMint:
		return minted, nil
	case movement.KindBurn:
		return burned, nil
	case movement.KindDust:
		return dust, nil
	case movement.KindSuspension, movement.KindRestoration:
		return suspended, nil
	}
	return "", fmt.Errorf("%w: %s has the movement kind %q", ErrUnknown, m.Event, clean(string(m.Kind)))
}

// pay enters a fee as an expense: the withdrawal minus the refund.
func (c *composer) pay(ctx context.Context, e *entry, p *Payment, group []*ledger.Movement) error {
	e.remarks = append(e.remarks, p.Remarks...)
	charged, ok := p.Charged.Get()
	payer, isPaid := p.Payer.Get()
	if !ok || !isPaid || charged.IsZero() {
		return nil
	}
	cash, err := movement.CashAmong(len(group), func(i int) *movement.Movement { return &group[i].Movement }, payer)
	if err != nil {
		return fmt.Errorf("%v paid %v wei, but nothing was withdrawn: %w", payer, charged, err)
	}
	refund, err := cash.Refund(charged)
	if err != nil {
		return err
	}
	back, _ := refund.Get() // 0 without a refund
	expense, _, tags, err := c.style.feeAccounts(ctx, p, c.assets)
	if err != nil {
		return err
	}
	e.more = append(e.more, tags...)
	err = e.postAll(
		posting{withdrawals, cash.Withdrawn.Signed().Negated()},
		posting{expense, charged.Signed()},
		posting{deposits, back.Amount.Signed()},
	)
	if err == nil && c.networkSide {
		err = e.network(p)
	}
	return err
}
