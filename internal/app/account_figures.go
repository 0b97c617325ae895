package app

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// AccountFigures are figures of several accounts, for a list of them.
type AccountFigures struct {
	Name    string   // of the period of the fees
	Partial []string // its missing parts
	// Fees are what the accounts paid in the period. An account of another chain is in no map: nothing is known of it here.
	Fees map[chain.Address]AccountFees
	// Last are the last blocks in which the accounts appear; unknown for those that appear in none.
	Last map[chain.Address]chain.Optional[Seen]
	// Balances are the balances after the last sealed block, free and reserved together. Unread says why others are not known.
	Balances map[chain.Address]chain.Wei
	Unread   error
}

// AccountFees are the fees of one account.
type AccountFees struct {
	Fee      chain.Optional[chain.Wei] // unknown if one is undetermined, or may be another account's
	InAssets fee.AssetTotals           // in no sum
}

// FiguresOf returns figures of accounts. Fees are those of a period. Balances come from a source; nil for none. The reading
// of balances ends with its context; an error of the source leaves balances unknown.
func (d *Ledger) FiguresOf(ctx context.Context, accounts []chain.Address, fees Period, from source.Source, reading context.Context) (*AccountFigures, error) {
	f := &AccountFigures{Fees: map[chain.Address]AccountFees{}, Last: map[chain.Address]chain.Optional[Seen]{}, Balances: map[chain.Address]chain.Wei{}}
	named := map[chain.Address][]chain.Address{} // by the ledger's account, which several addresses can name
	for _, a := range accounts {
		natives, err := d.natives(ctx, []chain.Address{a})
		if as[*InputError](err) { // an account of another chain
			continue
		}
		if err != nil {
			return nil, err
		}
		named[natives[0]] = append(named[natives[0]], a)
	}
	own := slices.SortedFunc(maps.Keys(named), func(x, y chain.Address) int { return bytes.Compare(x.Bytes(), y.Bytes()) })
	if err := d.addFees(ctx, f, own, named, fees); err != nil {
		return nil, err
	}
	held, err := d.Held(ctx, Period{All: true})
	if err != nil {
		return nil, err
	}
	span, some := held.Span.Get()
	if !some {
		return f, nil
	}
	for _, account := range own {
		last, err := d.lastSeen(ctx, account, span)
		if err != nil {
			return nil, d.wrapErr(err)
		}
		for _, a := range named[account] {
			f.Last[a] = last
		}
	}
	if from != nil {
		f.Unread = d.readBalances(reading, f, named, own, span.Last, from)
	}
	return f, nil
}

// addFees adds what accounts paid in a period.
func (d *Ledger) addFees(ctx context.Context, f *AccountFigures, own []chain.Address, named map[chain.Address][]chain.Address, period Period) error {
	held, n, err := d.heldOf(ctx, period)
	if err != nil {
		return err
	}
	made, err := d.report(ctx, &held, n, &Request{Period: period}, report.Choice{By: report.Account}, false)
	if err != nil {
		return err
	}
	f.Name, f.Partial = made.Name, made.Partial
	paid := map[chain.Address]AccountFees{}
	for _, account := range own {
		paid[account] = AccountFees{Fee: chain.Some(chain.Wei{})}
	}
	for _, g := range made.Groups {
		account, known := g.Account.Get()
		if _, asked := paid[account]; known && asked {
			paid[account] = AccountFees{Fee: knownUnless(g.Undetermined, g.Fee)}
		}
	}
	if span, some := held.Span.Get(); some && len(own) > 0 {
		for t, err := range d.Book.PaidInAssets(ctx, ledger.Query{Span: span, Accounts: own}) {
			if err != nil {
				return d.wrapErr(err)
			}
			if payer, _ := t.Payer.Get(); held.Asked.Has(t.Height, t.Time) {
				of := paid[payer]
				if err := of.InAssets.Add(&t.AssetFee); err != nil {
					return d.wrapErr(err)
				}
				paid[payer] = of
			}
		}
		for t, err := range d.Book.WithoutPayer(ctx, ledger.Query{Span: span}) {
			if err != nil {
				return d.wrapErr(err)
			}
			for _, account := range own {
				if of := paid[account]; held.Asked.Has(t.Height, t.Time) && t.MayBePaidBy(account) {
					of.Fee = chain.Optional[chain.Wei]{}
					paid[account] = of
				}
			}
		}
	}
	for account, of := range paid {
		for _, a := range named[account] {
			f.Fees[a] = of
		}
	}
	return nil
}

// lastSeen returns the last block in which an account appears. It reads backwards, in ranges that grow: an account in use
// appears in one of the last ones.
func (d *Ledger) lastSeen(ctx context.Context, account chain.Address, span chain.Heights) (last chain.Optional[Seen], err error) {
	end, width := span.Last, max(span.Blocks()/64, 1)
	for {
		first := span.First
		if end-span.First >= width {
			first = end - width + 1
		}
		for block, err := range d.Book.Activity(ctx, account, chain.Heights{First: first, Last: end}, true) {
			if err != nil {
				return last, err
			}
			last = chain.Some(Seen{block.Height, block.Time})
		}
		if last.Known() || first == span.First {
			return last, nil
		}
		end, width = first-1, 2*width
	}
}

// maxReaders limits the parallel reads of balances.
const maxReaders = 8

// readBalances reads the balances of accounts after a block, and returns the first error.
func (d *Ledger) readBalances(ctx context.Context, f *AccountFigures, named map[chain.Address][]chain.Address, accounts []chain.Address, height uint64, from source.Source) error {
	reader, err := d.balances(ctx, from, height)
	if err != nil {
		return err
	}
	var mutex sync.Mutex
	var failed error
	var running sync.WaitGroup
	next := make(chan chain.Address)
	for range min(maxReaders, len(accounts)) {
		running.Go(func() {
			for account := range next {
				b, err := reader.Balance(ctx, account, height)
				var sum chain.Wei
				if err == nil {
					sum, err = b.Free.Add(b.Reserved)
				}
				mutex.Lock()
				if err == nil {
					for _, a := range named[account] {
						f.Balances[a] = sum
					}
				} else if failed == nil || errors.Is(failed, chain.ErrNotKept) {
					failed = err
				}
				mutex.Unlock()
			}
		})
	}
	for _, account := range accounts {
		next <- account
	}
	close(next)
	running.Wait()
	return failed
}

// Calling is what an account does in a period: when it was first and last seen, and what it mostly calls.
type Calling struct {
	First, Last Seen
	Called      string // the call, or the contract, of most of its transactions
	Recipient   chain.Optional[chain.Address]
	Count, All  uint64 // the transactions with that, and all
}

// CallingsOf returns what payers of a period call.
func (d *Ledger) CallingsOf(ctx context.Context, period Period, payers []chain.Address) (map[chain.Address]*Calling, error) {
	held, err := d.Held(ctx, period)
	if err != nil {
		return nil, err
	}
	span, some := held.Span.Get()
	if !some || len(payers) == 0 {
		return nil, nil
	}
	type called struct {
		by        chain.Address
		recipient chain.Optional[chain.Address]
		call      string
	}
	all, counts := map[chain.Address]*Calling{}, map[called]uint64{}
	for t, err := range d.Book.Transactions(ctx, ledger.Query{Span: span, Accounts: payers}) {
		if err != nil {
			return nil, d.wrapErr(err)
		}
		payer, known := t.Payer.Get()
		if !known || !held.Asked.Has(t.Height, t.Time) {
			continue
		}
		c := all[payer]
		if c == nil {
			c = &Calling{First: Seen{t.Height, t.Time}}
			all[payer] = c
		}
		c.Last = Seen{t.Height, t.Time}
		c.All++
		one := called{payer, t.Recipient, t.Call}
		if counts[one]++; counts[one] > c.Count {
			c.Called, c.Recipient, c.Count = t.Call, t.Recipient, counts[one]
		}
	}
	return all, nil
}
