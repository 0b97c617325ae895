package app

import (
	"context"
	"errors"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// AccountFigures are figures of several accounts, for a list of them.
type AccountFigures struct {
	Name    string   // of the period of the fees
	Partial []string // its missing parts
	// Fees are of the accounts that paid for a transaction in the period: unknown if one is undetermined.
	Fees map[chain.Address]chain.Optional[chain.Wei]
	// Last are the last blocks in which the accounts appear. An account that was not looked for is not in the map.
	Last map[chain.Address]chain.Optional[Seen]
	// Balances are the balances after the last sealed block, free and reserved together. Unread says why others are not known.
	Balances map[chain.Address]chain.Wei
	Unread   error
}

// FiguresOf returns figures of accounts. Fees are those of a period. Balances come from a source; nil for none. The reading
// of balances ends with its context; an error of the source leaves balances unknown.
func (d *Ledger) FiguresOf(ctx context.Context, accounts []chain.Address, fees Period, from source.Source, reading context.Context) (*AccountFigures, error) {
	f := &AccountFigures{Fees: map[chain.Address]chain.Optional[chain.Wei]{}, Last: map[chain.Address]chain.Optional[Seen]{}, Balances: map[chain.Address]chain.Wei{}}
	named := map[chain.Address]chain.Address{} // by the ledger's account
	var own []chain.Address
	for _, a := range accounts {
		natives, err := d.natives(ctx, []chain.Address{a})
		if err != nil || len(natives) != 1 { // an account of another chain has no figures
			continue
		}
		if _, twice := named[natives[0]]; !twice {
			named[natives[0]], own = a, append(own, natives[0])
		}
	}
	made, err := d.Report(ctx, Request{Period: fees}, report.Choice{By: report.Account})
	if err != nil {
		return nil, err
	}
	f.Name, f.Partial = made.Name, made.Partial
	for _, g := range made.Groups {
		account, known := g.Account.Get()
		if a, asked := named[account]; known && asked {
			f.Fees[a] = knownUnless(g.Undetermined, g.Fee)
		}
	}
	held, err := d.Held(ctx, Period{All: true})
	if err != nil {
		return nil, err
	}
	span, _ := held.Span.Get() // the sealed blocks
	for _, account := range own {
		if f.Last[named[account]], err = d.lastSeen(ctx, account, span); err != nil {
			return nil, d.wrapErr(err)
		}
	}
	if from != nil {
		f.Unread = d.readBalances(reading, f, named, own, span.Last, from)
	}
	return f, nil
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
func (d *Ledger) readBalances(ctx context.Context, f *AccountFigures, named map[chain.Address]chain.Address, accounts []chain.Address, height uint64, from source.Source) error {
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
					f.Balances[named[account]] = sum
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
