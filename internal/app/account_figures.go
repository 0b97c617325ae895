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
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// AccountFigures are figures of several accounts, for a list of them.
type AccountFigures struct {
	Name    string   // of the period of the fees
	Partial []string // its missing parts
	// Fees are what the accounts paid in the period. An account of another chain is in no map: nothing is known of it here.
	Fees map[chain.Address]AccountFees
	// Total is the sum of the fees, each account counted once; unknown if one of them is.
	Total chain.Optional[chain.Wei]
	// Last are the last blocks in which the accounts appear; unknown for those that appear in none.
	Last map[chain.Address]chain.Optional[Seen]
}

// AccountFees are the fees of one account.
type AccountFees struct {
	Fee      chain.Optional[chain.Wei] // unknown if one is undetermined, or may be another account's
	InAssets fee.AssetTotals           // in no sum
}

// ownAccounts are accounts of the ledger's chain, in order, each with the addresses that name it.
type ownAccounts struct {
	list  []chain.Address
	named map[chain.Address][]chain.Address
}

// own returns those of some accounts that are of the ledger's chain.
func (d *Ledger) own(ctx context.Context, accounts []chain.Address) (own ownAccounts, err error) {
	own.named = map[chain.Address][]chain.Address{}
	for _, a := range accounts {
		natives, err := d.natives(ctx, []chain.Address{a})
		if as[*InputError](err) { // an account of another chain
			continue
		}
		if err != nil {
			return own, err
		}
		own.named[natives[0]] = append(own.named[natives[0]], a)
	}
	own.list = slices.SortedFunc(maps.Keys(own.named), func(x, y chain.Address) int { return bytes.Compare(x.Bytes(), y.Bytes()) })
	return own, nil
}

// FeesOf returns what accounts paid in a period.
func (d *Ledger) FeesOf(ctx context.Context, accounts []chain.Address, period Period) (*AccountFigures, error) {
	own, err := d.own(ctx, accounts)
	if err != nil {
		return nil, err
	}
	return d.feesOf(ctx, &own, period)
}

// FiguresOf returns what accounts paid in a period, and when they were last seen.
func (d *Ledger) FiguresOf(ctx context.Context, accounts []chain.Address, fees Period) (*AccountFigures, error) {
	own, err := d.own(ctx, accounts)
	if err != nil {
		return nil, err
	}
	f, err := d.feesOf(ctx, &own, fees)
	if err != nil {
		return nil, err
	}
	sealed, err := d.Book.Sealed(ctx)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	span, some := sealed.Heights.Get()
	if !some {
		return f, nil
	}
	for _, account := range own.list {
		last, err := d.lastSeen(ctx, account, span)
		if err != nil {
			return nil, d.wrapErr(err)
		}
		for _, a := range own.named[account] {
			f.Last[a] = last
		}
	}
	return f, nil
}

func (d *Ledger) feesOf(ctx context.Context, own *ownAccounts, period Period) (*AccountFigures, error) {
	held, n, err := d.heldOf(ctx, period)
	if err != nil {
		return nil, err
	}
	f := &AccountFigures{Name: held.Name, Partial: held.Notes(), Fees: map[chain.Address]AccountFees{}, Total: chain.Some(chain.Wei{}), Last: map[chain.Address]chain.Optional[Seen]{}}
	span, some := held.Span.Get()
	paid := map[chain.Address]AccountFees{}
	for _, account := range own.list {
		paid[account] = AccountFees{Fee: chain.Some(chain.Wei{})}
	}
	if some && len(own.list) > 0 {
		if err := d.addFees(ctx, paid, own.list, &held, n, span); err != nil {
			return nil, err
		}
	}
	for _, account := range own.list {
		one, known := paid[account].Fee.Get()
		sum, too := f.Total.Get()
		if f.Total = (chain.Optional[chain.Wei]{}); known && too {
			if sum, err = sum.Add(one); err != nil {
				return nil, d.wrapErr(err)
			}
			f.Total = chain.Some(sum)
		}
		for _, a := range own.named[account] {
			f.Fees[a] = paid[account]
		}
	}
	return f, nil
}

// addFees adds what accounts paid in a period with blocks.
func (d *Ledger) addFees(ctx context.Context, paid map[chain.Address]AccountFees, accounts []chain.Address, held *Held, n *network.Network, span chain.Heights) error {
	made, err := d.report(ctx, held, n, &Request{Period: held.Period, Accounts: accounts}, report.Choice{By: report.Account}, false)
	if err != nil {
		return err
	}
	for _, g := range made.Groups {
		if account, known := g.Account.Get(); known {
			paid[account] = AccountFees{Fee: knownUnless(g.Undetermined, g.Fee)}
		}
	}
	for t, err := range d.Book.PaidInAssets(ctx, ledger.Query{Span: span, Accounts: accounts}) {
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
		for _, account := range accounts {
			if of := paid[account]; held.Asked.Has(t.Height, t.Time) && t.MayBePaidBy(account) {
				of.Fee = chain.Optional[chain.Wei]{}
				paid[account] = of
			}
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
		for block, err := range d.Book.Activity(ctx, account, chain.Heights{First: first, Last: end}, ledger.WithTransfers) {
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

// BalancesOf reads the balances of accounts after the last sealed block from a source, free and reserved together. Unread
// says why others are not known.
func (d *Ledger) BalancesOf(ctx context.Context, accounts []chain.Address, from source.Source) (of map[chain.Address]chain.Wei, unread, err error) {
	of = map[chain.Address]chain.Wei{}
	sealed, err := d.Book.Sealed(ctx)
	if err != nil {
		return nil, nil, d.wrapErr(err)
	}
	own, err := d.own(ctx, accounts)
	span, some := sealed.Heights.Get()
	if err != nil || !some {
		return of, nil, err
	}
	reader, err := d.balances(ctx, from, span.Last)
	if err != nil {
		return of, err, nil
	}
	var mutex sync.Mutex
	var running sync.WaitGroup
	next := make(chan chain.Address)
	for range min(maxReaders, len(own.list)) {
		running.Go(func() {
			for account := range next {
				b, err := reader.Balance(ctx, account, span.Last)
				var sum chain.Wei
				if err == nil {
					sum, err = b.Free.Add(b.Reserved)
				}
				mutex.Lock()
				if err == nil {
					for _, a := range own.named[account] {
						of[a] = sum
					}
				} else if unread == nil || errors.Is(unread, chain.ErrNotKept) {
					unread = err
				}
				mutex.Unlock()
			}
		})
	}
	for _, account := range own.list {
		next <- account
	}
	close(next)
	running.Wait()
	return of, unread, nil
}

// Calling is what an account does in a period: when it was first and last seen, and what it mostly calls.
type Calling struct {
	First, Last Seen
	Called      string // the call, or the contract, of most of its transactions; "" if there are more than MaxCalled
	Recipient   chain.Optional[chain.Address]
	Count, All  uint64 // the transactions with that, and all
}

// MaxCalled limits the calls and contracts that are counted for an account.
const MaxCalled = 1000

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
		recipient chain.Optional[chain.Address]
		call      string
	}
	all, counts := map[chain.Address]*Calling{}, map[chain.Address]map[called]uint64{}
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
			all[payer], counts[payer] = c, map[called]uint64{}
		}
		c.Last = Seen{t.Height, t.Time}
		c.All++
		of := counts[payer]
		if of == nil { // too many
			continue
		}
		one := called{t.Recipient, t.Call}
		if of[one]++; of[one] > c.Count {
			c.Called, c.Recipient, c.Count = t.Call, t.Recipient, of[one]
		}
		if len(of) > MaxCalled {
			counts[payer], c.Called, c.Recipient, c.Count = nil, "", chain.Optional[chain.Address]{}, 0
		}
	}
	return all, nil
}
