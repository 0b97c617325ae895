package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// ErrUnknown says that the chain does not tell by how much a movement changed a balance.
var ErrUnknown = errors.New("a change of a balance is not known")

// place is an extrinsic or a hook of a block.
type place struct {
	height uint64
	where  chain.Where
}

// MovementJournal makes an entry of all that an extrinsic or a hook did to the balances
// of accounts, free and reserved. It opens with the balances before the period, and
// asserts those after it. Payments are what [Find] found for the same question.
//
// It is [ErrUnknown] where a movement's change is not known, and a [DifferenceError]
// where the movements do not lead from the opening to the closing balance. Both name
// the block. A balance that differs is never made to fit.
func MovementJournal(ctx context.Context, book Book, balances Balances, q Question, payments Payments, style Style) (*Journal, error) {
	span, ok := q.Span.Get()
	if !ok {
		return nil, errors.New("there is no block in the period, so there is no balance to open with")
	}
	accounts, err := assets(style.names(), q.Accounts)
	if err != nil {
		return nil, err
	}
	moved, err := readMovements(ctx, book, q, span)
	if err != nil {
		return nil, err
	}
	j := &Journal{Style: style}
	if j.begin, j.end, err = endTimes(ctx, book, span); err != nil {
		return nil, err
	}
	if j.holdings, err = holdings(ctx, balances, q.Accounts, accounts, span, moved); err != nil {
		return nil, err
	}
	m := composer{ctx: ctx, book: book, names: style.names(), assets: accounts, networkSide: style.NetworkSide, payments: map[place]*Payment{}}
	for i := range payments {
		m.payments[place{payments[i].Height, chain.Where(payments[i].Index)}] = &payments[i]
	}
	for first, next := 0, 0; first < len(moved); first = next {
		for next = first; next < len(moved) && placeOf(&moved[next]) == placeOf(&moved[first]); next++ {
		}
		e, err := m.entry(moved[first:next])
		if err != nil {
			return nil, err
		}
		if len(e.postings) > 0 {
			j.entries = append(j.entries, e)
		}
	}
	return j, j.finish()
}

func placeOf(m *ledger.Movement) place { return place{m.Height, m.Where} }

// readMovements reads the movements of all the accounts, in the order of the chain.
func readMovements(ctx context.Context, book Book, q Question, span ledger.Span) (list []ledger.Movement, err error) {
	var unknown []error
	for _, account := range q.Accounts {
		err := book.Movements(ctx, account, span, func(m *ledger.Movement) error {
			if len(list) == mostRecords {
				return errTooMany
			}
			if !q.Period.Has(m.Height, m.Time) {
				return fmt.Errorf("block %d is not of the period by its own time, so that no balances open and close it", m.Height)
			}
			if !m.Known() && len(unknown) < mostWrongLines {
				unknown = append(unknown, fmt.Errorf("%w: block %d, %v, %s of %v", ErrUnknown, m.Height, m.Where, m.Event, m.Account))
			}
			list = append(list, *m)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b ledger.Movement) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Position, b.Position))
	})
	return list, errors.Join(unknown...)
}

// endTimes are when a span begins and ends. Block 0 has no time: the one after it has.
func endTimes(ctx context.Context, book Book, span ledger.Span) (begin, end chain.Time, err error) {
	timed := func(height uint64) (at chain.Optional[chain.Time], err error) {
		err = book.Blocks(ctx, ledger.Span{First: height, Last: height}, func(b *ledger.Block) error {
			at = b.Time
			return nil
		})
		return at, err
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

// composer makes entries of movements.
type composer struct {
	ctx         context.Context
	book        Book
	names       *Names
	assets      map[chain.Address]Account
	payments    map[place]*Payment
	networkSide bool
}

// entry is what an extrinsic or a hook did.
func (c *composer) entry(group []ledger.Movement) (entry, error) {
	e, err := c.head(&group[0])
	if err != nil {
		return e, err
	}
	for i := range group {
		if err := c.move(&e, &group[i].Movement); err != nil {
			return e, e.of(err)
		}
	}
	if p := c.payments[placeOf(&group[0])]; p != nil {
		if err := c.pay(&e, p, group); err != nil {
			return e, e.of(err)
		}
	}
	e.postings = slices.DeleteFunc(e.postings, func(p posting) bool { return p.amount.Sign() == 0 })
	return e, nil
}

// head is the entry without postings.
func (c *composer) head(m *ledger.Movement) (e entry, err error) {
	at, ok := m.Time.Get()
	e = entry{time: at, height: m.Height, where: m.Where, description: fmt.Sprintf("block %d %v", m.Height, m.Where)}
	if !ok {
		return e, e.of(errNoTime)
	}
	index, ok := m.Where.Extrinsic()
	if !ok {
		return e, nil
	}
	err = c.book.TransactionAt(c.ctx, m.Height, index, func(t *ledger.Transaction) (err error) {
		e, err = transactionEntry(t)
		return err
	})
	return e, err
}

// move enters a movement: what the account has then, and where that came from or went.
// The other account of a transfer has a movement of its own where it is asked for too.
func (c *composer) move(e *entry, m *chain.Movement) error {
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
	against, err := c.against(m)
	if err != nil {
		return err
	}
	return e.post(against, change.Negated())
}

// against is the account that a movement is entered against.
func (c *composer) against(m *chain.Movement) (Account, error) {
	_, within := m.Where.Extrinsic()
	switch m.Kind {
	case chain.KindTransferIn, chain.KindTransferOut:
		other, ok := m.Counterparty.Get()
		if !ok {
			return "", fmt.Errorf("%s: who it was with: %w", m.Event, chain.ErrMissing)
		}
		return transfers(c.names, other), nil
	case chain.KindDeposit:
		if within {
			return deposits, nil
		}
		return rewards, nil
	case chain.KindWithdrawal:
		return withdrawals, nil
	case chain.KindReserve, chain.KindUnreserve: // nothing is left to enter
		return withdrawals, nil
	case chain.KindMint:
		return minted, nil
	case chain.KindBurn:
		return burned, nil
	case chain.KindDust:
		return dust, nil
	case chain.KindSuspension, chain.KindRestoration:
		return suspended, nil
	}
	return "", fmt.Errorf("%w: %s is a movement of the kind %q", ErrUnknown, m.Event, clean(string(m.Kind)))
}

// pay enters a fee as an expense. It is what the first withdrawal of an extrinsic took,
// less what of that was given back as a deposit.
func (c *composer) pay(e *entry, p *Payment, group []ledger.Movement) error {
	e.remarks = append(e.remarks, p.Remarks...)
	charged, ok := p.Charged.Get()
	payer, isPaid := p.Payer.Get()
	if !ok || !isPaid || charged.IsZero() {
		return nil
	}
	taken := slices.IndexFunc(group, func(m ledger.Movement) bool {
		return m.Kind == chain.KindWithdrawal && m.Account == payer
	})
	if taken < 0 {
		return fmt.Errorf("%v paid %v wei, and nothing was withdrawn: %w", payer, charged, chain.ErrMissing)
	}
	withdrawn := group[taken].Amount
	refund, err := withdrawn.Sub(charged)
	if err != nil {
		return fmt.Errorf("%v wei were withdrawn for a charge of %v: %w", withdrawn, charged, err)
	}
	err = e.postAll(
		posting{withdrawals, withdrawn.Signed().Negated()},
		posting{feeAccount(p.Layer), charged.Signed()},
		posting{deposits, refund.Signed()},
	)
	if err == nil && c.networkSide {
		err = e.network(p)
	}
	return err
}
