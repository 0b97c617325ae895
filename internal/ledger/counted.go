package ledger

import (
	"context"
	"sync"

	"github.com/feeledger/fees/chain"
)

// rowCounts are how many rows name an account: of transactions that it paid for, of movements,
// and of transfers.
type rowCounts struct{ paid, moved, party uint64 }

// countedRows keeps the rows of accounts on days: a statement asks for its account's payments,
// movements and transfers, some of them twice, and each time all days are to be counted. What is
// kept was checked by the leaf that it is kept by, which says of which day it is, and that
// nothing else can have.
type countedRows struct {
	mu   sync.Mutex
	kept map[countedBy]rowCounts
}

type countedBy struct {
	leaf    Digest // of the day's totals by account, those of the account's first digit
	account chain.Address
}

// maxCounted is how many are kept: of an account, 27 years; of a hundred, a quarter.
const maxCounted = 10_000

func (r *countedRows) get(by countedBy) (c rowCounts, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, known = r.kept[by]
	return c, known
}

func (r *countedRows) keep(by countedBy, c rowCounts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil || len(r.kept) >= maxCounted {
		r.kept = map[countedBy]rowCounts{}
	}
	r.kept[by] = c
}

// countedOn are the rows of each of some accounts on a day, by its totals.
func (b *Book) countedOn(ctx context.Context, q querier, day *stretch, accounts []chain.Address) ([]rowCounts, error) {
	list := make([]rowCounts, len(accounts))
	byDigit := [firstDigits][]int{} // the places of those that are still to be read
	for i, a := range accounts {
		var known bool
		digit := firstDigit(a[:])
		if list[i], known = b.counted.get(countedBy{day.accountsLeaf(digit), a}); !known {
			byDigit[digit] = append(byDigit[digit], i)
		}
	}
	for digit, places := range byDigit {
		if len(places) == 0 {
			continue
		}
		found, err := b.totalsOf(ctx, q, accountDays, []*stretch{day}, &digit)
		if err != nil {
			return nil, err
		}
		byAccount := map[string]row{}
		for _, r := range found[0] {
			account, _ := r[1].([]byte)
			byAccount[string(account)] = r
		}
		for _, i := range places {
			if r := byAccount[string(accounts[i][:])]; r != nil {
				var s Sums
				if err := readRow(totals[accountDays].sums, r[2:], &s); err != nil {
					return nil, err
				}
				list[i] = rowCounts{s.EVM + s.Native, s.Movements, s.Transfers}
			}
			b.counted.keep(countedBy{day.accountsLeaf(digit), accounts[i]}, list[i])
		}
	}
	return list, nil
}

// accountsLeaf is the leaf of the totals of a day by account, those of a first digit.
func (s *stretch) accountsLeaf(digit int) (leaf Digest) {
	copy(leaf[:], leafAt(s.totals, placeOfLeaf(accountDays)+digit))
	return leaf
}
