package booking

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/chart"
)

// dimensions are the targets that a posting can have, in the order of [Dimensions].
var dimensions = chart.DimensionTargets()

// Dimensions are the cost centre and the like of an expense, by the order of
// [chart.DimensionTargets]; "" where it has none.
type Dimensions [6]string

// Value returns the dimension of a target.
func (d *Dimensions) Value(t chart.Target) string {
	if i := slices.Index(dimensions, t); i >= 0 {
		return d[i]
	}
	return ""
}

// Key identifies a posting: its fees have the same accounts and dimensions.
type Key struct {
	Debit, Credit string // accounts
	Dimensions           // of the debit
}

func (k *Key) compare(x *Key) int {
	return cmp.Or(cmp.Compare(k.Debit, x.Debit), cmp.Compare(k.Credit, x.Credit), slices.Compare(k.Dimensions[:], x.Dimensions[:]))
}

// Posting is an amount from one account to another.
type Posting struct {
	Key
	Exact  decimal.Decimal // in the currency
	Amount decimal.Decimal // rounded
	Tokens
	Memo string
	Hash string // of the transaction, where the posting is that of one
	Late bool   // a fee in it is valued at the last known price of an earlier day
}

// remark returns the end of the memo: whether a price is of an earlier day.
func (p *Posting) remark() string {
	if p.Late {
		return ", last known price"
	}
	return ""
}

// Tokens are an amount of the network's token, and how many fees it is the sum of.
type Tokens struct {
	Wei  chain.Wei
	Fees uint64
}

func (t Tokens) plus(x Tokens) (Tokens, error) {
	wei, err := t.Wei.Add(x.Wei)
	return Tokens{wei, t.Fees + x.Fees}, err
}

// Entry is a journal entry. Its postings balance, for each has both sides.
type Entry struct {
	Number   string
	Date     time.Time // a day, in UTC
	Memo     string
	Postings []*Posting
	Rounding bool // it is the rounding entry
}

// Line is one side of an entry's postings with the same account and dimensions.
type Line struct {
	Account string
	Debit   bool
	Amount  decimal.Decimal
	Dimensions
	Tokens
	Memo string
	Hash string
}

// Lines returns the debits, then the credits. The sums of both are the same.
func (e *Entry) Lines() (lines []*Line, err error) {
	type side struct {
		account string
		debit   bool
		Dimensions
	}
	found := map[side]*Line{}
	add := func(p *Posting, s side) {
		line := found[s]
		if line == nil {
			line = &Line{Account: s.account, Debit: s.debit, Dimensions: s.Dimensions, Memo: p.Memo, Hash: p.Hash}
			found[s] = line
			lines = append(lines, line)
		}
		line.Amount = line.Amount.Add(p.Amount)
		sum, failed := line.Tokens.plus(p.Tokens)
		line.Tokens, err = sum, cmp.Or(err, failed)
	}
	for _, p := range e.Postings {
		add(p, side{p.Debit, true, p.Dimensions})
	}
	for _, p := range e.Postings {
		add(p, side{account: p.Credit})
	}
	return lines, err
}

// Sum is the sum of the entry's debits, which is that of its credits.
func (e *Entry) Sum() (sum decimal.Decimal) {
	for _, p := range e.Postings {
		sum = sum.Add(p.Amount)
	}
	return sum
}

// round gives each posting its amount.
func (e *Entry) round(decimals int32) {
	exact := make([]decimal.Decimal, len(e.Postings))
	for i, p := range e.Postings {
		exact[i] = p.Exact
	}
	parts, _ := distribute(exact, decimals)
	for i, p := range e.Postings {
		p.Amount = parts[i]
	}
}

// sort puts the postings in the order of their keys.
func (e *Entry) sort() {
	slices.SortFunc(e.Postings, func(a, b *Posting) int { return a.Key.compare(&b.Key) })
}
