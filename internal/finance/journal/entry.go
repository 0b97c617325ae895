package journal

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Entry is a balanced entry: the fee or all movements of an extrinsic or a hook in tokens, or the fees of a transaction,
// a day or a month in the currency of the books.
type Entry struct {
	head
	Date     time.Time // the day of an entry in a currency, in UTC
	Postings []*Posting
	Rounding bool // it is the rounding entry of a currency

	moved       bool     // it has all movements, so amounts that cancel each other are left out
	remarks     []string // on the amount
	when        chain.Optional[chain.Time]
	transaction *ledger.Transaction // that caused it; nil for none
	placed      *Placed             // the fee, by the chart; nil without one
}

// head is an entry without its amounts.
type head struct {
	Reference string // the hash of the transaction, "" without one; the number of an entry in a currency
	Memo      string
	time      chain.Time
	height    uint64
	where     movement.Where
}

// Posting is an amount on an account: a debit if it is positive.
type Posting struct {
	Key
	Wei    chain.SignedWei
	Fees   uint64          // that Wei is the sum of
	Exact  decimal.Decimal // in the currency
	Amount decimal.Decimal // rounded
	Memo   string
	Hash   string // of the transaction, if the posting is for one
	Late   bool   // a fee is valued at the last known price of an earlier day

	owed bool // it is of a deposit
}

// Key identifies a posting of fees: they have the same accounts and dimensions.
type Key struct {
	Account    Account
	Contra     Account // has the other side; "" if that is in other postings
	Dimensions         // of the expense
}

func (k *Key) compare(x *Key) int {
	return cmp.Or(cmp.Compare(k.Account, x.Account), cmp.Compare(k.Contra, x.Contra), slices.Compare(k.Dimensions[:], x.Dimensions[:]))
}

// dimensions are the targets that a posting can have, in the order of [Dimensions].
var dimensions = chart.DimensionTargets()

// Dimensions are the cost centre and the like of an expense, in the order of [chart.DimensionTargets]; "" for none.
type Dimensions [6]string

// Value returns the dimension of a target.
func (d *Dimensions) Value(t chart.Target) string {
	if i := slices.Index(dimensions, t); i >= 0 {
		return d[i]
	}
	return ""
}

// of adds the entry's position to an error.
func (e *Entry) of(err error) error {
	return fmt.Errorf("block %d, %v: %w", e.height, e.where, err)
}

// post adds an amount to an account.
func (e *Entry) post(account Account, amount chain.SignedWei) {
	e.Postings = append(e.Postings, &Posting{Key: Key{Account: account}, Wei: amount})
}

// owe adds a deposit to an account for receivables.
func (e *Entry) owe(account Account, amount chain.SignedWei) {
	e.Postings = append(e.Postings, &Posting{Key: Key{Account: account}, Wei: amount, owed: true})
}

// change is the sum of the postings to an account.
type change struct {
	account Account
	amount  chain.SignedWei
}

// changes returns the sums by account, in the order of their first postings.
func (e *Entry) changes() (list []change, err error) {
	add := func(account Account, amount chain.SignedWei) {
		i := slices.IndexFunc(list, func(c change) bool { return c.account == account })
		if i < 0 {
			list = append(list, change{account, amount})
			return
		}
		sum, failed := list[i].amount.Add(amount)
		list[i].amount, err = sum, cmp.Or(err, failed)
	}
	for _, p := range e.Postings {
		add(p.Account, p.Wei)
		if p.Contra != "" {
			add(p.Contra, p.Wei.Negated())
		}
	}
	if e.moved {
		list = slices.DeleteFunc(list, func(c change) bool { return c.amount.Sign() == 0 })
	}
	return list, err
}

// balanced verifies that changes add up to zero.
func balanced(list []change) error {
	var sum chain.SignedWei
	var err error
	for _, c := range list {
		if sum, err = sum.Add(c.amount); err != nil {
			return err
		}
	}
	if sum.Sign() != 0 {
		return fmt.Errorf("the postings do not balance: their sum is %v wei", sum)
	}
	return nil
}

// Line is the debit or the credit of an account in a currency, for the same dimensions.
type Line struct {
	side
	Amount decimal.Decimal // not negative
	Wei    chain.SignedWei // likewise
	Fees   uint64
	Memo   string
	Hash   string
}

type side struct {
	Account Account
	Debit   bool
	Dimensions
}

// Lines returns the debits, then the credits. The sums of both are the same.
func (e *Entry) Lines() (lines []*Line, err error) {
	found := map[side]*Line{}
	add := func(p *Posting, s side) {
		l := found[s]
		if l == nil {
			l = &Line{side: s, Memo: p.Memo, Hash: p.Hash}
			found[s], lines = l, append(lines, l)
		}
		l.Amount, l.Fees = l.Amount.Add(p.Amount), l.Fees+p.Fees
		sum, failed := l.Wei.Add(p.Wei)
		l.Wei, err = sum, cmp.Or(err, failed)
	}
	for _, p := range e.Postings {
		add(p, side{p.Account, true, p.Dimensions})
	}
	for _, p := range e.Postings {
		add(p, side{Account: p.Contra})
	}
	return lines, err
}

// signed is the amount with a minus for a credit.
func (l *Line) signed() decimal.Decimal {
	if l.Debit {
		return l.Amount
	}
	return l.Amount.Neg()
}

// Sum is the sum of the entry's debits in the currency, which is that of its credits.
func (e *Entry) Sum() (sum decimal.Decimal) {
	for _, p := range e.Postings {
		sum = sum.Add(p.Amount)
	}
	return sum
}

// round gives each posting its amount in the currency.
func (e *Entry) round(decimals int32) {
	exact := make([]decimal.Decimal, len(e.Postings))
	for i, p := range e.Postings {
		exact[i] = p.Exact
	}
	for i, amount := range distribute(exact, decimals) {
		e.Postings[i].Amount = amount
	}
}
