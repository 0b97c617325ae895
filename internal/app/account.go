package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// AccountRequest requests a summary of one account.
type AccountRequest struct {
	Account chain.Address
	// Balances is the source of the account's balance; nil leaves the balance out.
	Balances    source.Source
	Concurrency int // parallel balance requests; 0 is the default
	Progress    Progress
}

// AccountSummary summarizes an account's activity in the sealed blocks of a ledger. A sum is
// unknown if any part of it is unknown.
type AccountSummary struct {
	Account       chain.Address
	EVM           chain.Optional[chain.Address] // the EVM address that stands for the account, if the request named that
	Network       string
	console.Token                           // the network's
	Held          Held                      // the blocks
	First, Last   chain.Optional[Seen]      // first and last block with the account
	Fees          ledger.Sums               // of the transactions it paid for
	AssetFees     fee.AssetTotals           // of these transactions, by asset: in no other sum
	Months        []MonthFee                // in which it paid for transactions, in order
	Failed        uint64                    // of these transactions, with failed checks
	Charged       chain.Optional[chain.Wei] // for these transactions, from the chain's events
	Movements     uint64                    // changes of its native balance
	// In and Out total the increases and decreases of its balance, free and reserved together. Out includes fees.
	In, Out                   chain.Optional[chain.Wei]
	TransfersIn, TransfersOut uint64 // of ERC-20 tokens; a transfer to itself counts in both
	// WithoutPayer counts transactions without a known payer that the account may have paid for.
	// No other figure here includes them.
	WithoutPayer uint64
	// Balance is the balance after the last block, if requested. Proved reports whether the
	// movements lead to it from the balance before the first block.
	Balance chain.Optional[chain.Balance]
	Proved  bool
	// Differences lists where the movements and the balances disagree.
	Differences []balances.Difference
}

// Seen is a block in which the account appears.
type Seen struct {
	Height uint64
	Time   chain.Optional[chain.Time]
}

// MonthFee is the sum of an account's fees in one month, in UTC.
type MonthFee struct {
	Month time.Time                 // its first day
	Fee   chain.Optional[chain.Wei] // unknown if any of its fees is unknown
}

// addFee adds a transaction's fee to the month of its block. A block without a time belongs to no month.
func (a *AccountSummary) addFee(t *ledger.Transaction) error {
	at, timed := t.Time.Get()
	if !timed {
		return nil
	}
	year, month, _ := at.Std().Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	if n := len(a.Months); n == 0 || !a.Months[n-1].Month.Equal(first) {
		a.Months = append(a.Months, MonthFee{first, chain.Some(chain.Wei{})})
	}
	sum := &a.Months[len(a.Months)-1].Fee
	before, known := sum.Get()
	paid, priced := t.Fee.Get()
	if !known || !priced {
		*sum = chain.Optional[chain.Wei]{}
		return nil
	}
	after, err := before.Add(paid)
	*sum = chain.Some(after)
	return err
}

// Account summarizes an account from the ledger.
func (d *Ledger) Account(ctx context.Context, q AccountRequest) (*AccountSummary, error) {
	held, err := d.Held(ctx, Period{All: true, Zone: time.UTC})
	if err != nil {
		return nil, err
	}
	span, err := d.span(&held)
	if err != nil {
		return nil, err
	}
	named, err := d.natives(ctx, []chain.Address{q.Account})
	if err != nil {
		return nil, err
	}
	a := &AccountSummary{Account: named[0], Held: held}
	if a.Account != q.Account {
		a.EVM = chain.Some(q.Account)
	}
	if a.Network, a.Token, err = d.named(ctx); err != nil {
		return nil, err
	}
	if err := a.addActivity(ctx, d.Book, span); err != nil {
		return nil, d.wrapErr(err)
	}
	if a.WithoutPayer, err = d.withoutPayer(ctx, &held, named); err != nil {
		return nil, err
	}
	if q.Balances == nil {
		return a, nil
	}
	made, err := d.Statements(ctx, StatementRequest{
		Request: Request{Period: Heights(span.First, span.Last), Accounts: named, Progress: q.Progress}, Balances: q.Balances, Concurrency: q.Concurrency,
	})
	if err != nil {
		return nil, err
	}
	s := made.List[0]
	a.Balance, a.Proved, a.Differences = s.Closing, s.Closing.Known() && s.Holds(), s.Differences
	return a, nil
}

// addActivity adds up the account's rows in a range.
func (a *AccountSummary) addActivity(ctx context.Context, book *ledger.Book, span chain.Heights) error {
	var in, out chain.Wei
	unknown := uint64(0)
	for block, err := range book.Activity(ctx, a.Account, span, ledger.WithTransfers) {
		if err != nil {
			return err
		}
		if a.Last = chain.Some(Seen{block.Height, block.Time}); !a.First.Known() {
			a.First = a.Last
		}
		for _, t := range block.Transactions {
			sums, err := ledger.SumsOf(&t.Cost)
			if err == nil {
				err = a.Fees.Add(&sums)
			}
			if err == nil {
				err = a.addFee(t)
			}
			if err == nil && t.InAsset() {
				err = a.AssetFees.Add(&t.AssetFee)
			}
			if t.Failed != "" {
				a.Failed++
			}
			if err != nil {
				return fmt.Errorf("%d-%d: the sum of the fees: %w", t.Height, t.Index, err)
			}
		}
		a.Movements += uint64(len(block.Movements))
		for _, m := range block.Movements {
			if !m.Known() {
				unknown++
			} else if err := addMovement(m, &in, &out); err != nil {
				return fmt.Errorf("block %d: the sum of the movements: %w", m.Height, err)
			}
		}
		for _, x := range block.Transfers {
			if x.Recipient.Is(a.Account) {
				a.TransfersIn++
			}
			if x.Sender.Is(a.Account) {
				a.TransfersOut++
			}
		}
	}
	a.Charged = knownUnless(a.Fees.Uncharged, a.Fees.Charged)
	a.In, a.Out = knownUnless(unknown, in), knownUnless(unknown, out)
	return nil
}

// addMovement adds a change of a balance, free and reserved together, to the increases or the decreases.
func addMovement(m *ledger.Movement, in, out *chain.Wei) error {
	free, _ := m.Free.Get()
	reserved, _ := m.Reserved.Get()
	change, err := free.Add(reserved)
	if err == nil && change.Sign() > 0 {
		*in, err = in.Add(change.Size())
	} else if err == nil {
		*out, err = out.Add(change.Size())
	}
	return err
}

// OneAccount returns the account that text names: an address, or a label in the address book. It
// returns an [InputError] if the label matches no address or more than one.
func OneAccount(text string, names *AddressBook) (a chain.Address, err error) {
	if IsAddress(text) {
		if a, err = chain.ParseAccount(text); err != nil {
			return a, notUnderstood("%v", err)
		}
		return a, nil
	}
	found := names.entries().Labelled(text)
	switch {
	case len(found) == 1:
		return found[0], nil
	case names == nil:
		return a, notUnderstood("account %q: not an address (0x and 40 hex digits, or SS58). To use a label, name an address book with %v, or put %s beside the ledger.", text, FieldLabels, AddressBookFile)
	case len(found) == 0:
		return a, notUnderstood("account %q: not an address (0x and 40 hex digits, or SS58), and not a label in %s", text, names.Path)
	}
	var list []string
	for _, address := range found[:min(len(found), maxPlaces)] {
		list = append(list, address.String())
	}
	if n := len(found) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return a, notUnderstood("account %q: %d addresses have this label in %s. Name one: %s", text, len(found), names.Path, strings.Join(list, ", "))
}
