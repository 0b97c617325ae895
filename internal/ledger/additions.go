package ledger

import (
	"encoding/binary"
	"maps"
	"slices"
)

// additions are what a block adds to the totals and to the look-ups beyond its
// transactions' costs.
type additions struct {
	accounts []accountRows // by account
	hashes   []int64       // of its transactions, as the look-up has them: each once, in their order
}

// accountRows are how many rows of a block name an account.
type accountRows struct {
	account              []byte
	movements, transfers uint64
}

var (
	movedColumn     = tables[movements].of("account")
	senderColumn    = tables[transfers].of("sender")
	recipientColumn = tables[transfers].of("recipient")
)

// additionsOf are those of a block's rows.
func additionsOf(rows *[tableCount][]row) *additions {
	found := map[string]*accountRows{}
	of := func(account value) *accountRows {
		a, _ := account.([]byte)
		x := found[string(a)]
		if x == nil {
			x = &accountRows{account: a}
			found[string(a)] = x
		}
		return x
	}
	for _, r := range rows[movements] {
		of(r[movedColumn]).movements++
	}
	for _, r := range rows[transfers] {
		of(r[senderColumn]).transfers++
		if !equal(r[senderColumn], r[recipientColumn]) {
			of(r[recipientColumn]).transfers++
		}
	}
	more := &additions{}
	for _, account := range slices.Sorted(maps.Keys(found)) {
		more.accounts = append(more.accounts, *found[account])
	}
	for _, r := range rows[transactions] {
		for _, place := range []int{txHashColumn, evmHashColumn} {
			if hash, ok := r[place].([]byte); ok {
				more.hashes = append(more.hashes, shortHash(hash))
			}
		}
	}
	slices.Sort(more.hashes)
	more.hashes = slices.Compact(more.hashes)
	return more
}

// shortHash is the integer of a hash's first 8 bytes: the blocks that have such a one are
// very few, and the look-up takes a quarter of the space.
func shortHash(hash []byte) int64 {
	if len(hash) < 8 { // it was altered
		return 0
	}
	return int64(binary.BigEndian.Uint64(hash))
}
