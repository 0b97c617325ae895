package ledger

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// eraHeights is how many heights are an era, by which the look-ups are ordered first. What is
// sealed is written to the era that grows alone: some 40 MB, which stay in a database's memory,
// so that a block costs the same however long the chain is. A question asks each era once.
const eraHeights = 1 << 16

func eraOf(height uint64) uint64 { return height / eraHeights }

// The tables of the look-ups: by account and by hash.
const (
	accountBlocks = iota
	hashBlocks
)

// The look-ups name the sealed blocks that have rows of an account, or a transaction of a hash.
var lookupTables = [...]table{
	accountBlocks: {name: "account_blocks", key: 3, columns: []column{{"era", integer, state}, {"account", data, state}, {"height", integer, state}, {"tables", integer, state}}},
	hashBlocks:    {name: "hash_blocks", key: 3, columns: []column{{"era", integer, state}, {"hash", integer, state}, {"height", integer, state}}},
}

// The column tables says by its bits which rows a block has of an account.
const (
	hasPaid  = 1 << iota // transactions that it paid for
	hasMoved             // movements
	hasParty             // transfers that it sent or received
)

// named is a block that has something by which it is looked up.
type named[K any] struct {
	by     K
	height uint64
	tables int64 // of an account
}

// lookups are those of some blocks, to be written in the order of their keys.
type lookups struct {
	accounts []named[[]byte]
	hashes   []named[int64]
}

// add adds those of a block.
func (l *lookups) add(height uint64, costs []Cost, more *additions) {
	first := len(l.accounts)
	for i := range more.accounts {
		a := &more.accounts[i]
		n := named[[]byte]{a.account, height, 0}
		if a.movements > 0 {
			n.tables |= hasMoved
		}
		if a.transfers > 0 {
			n.tables |= hasParty
		}
		l.accounts = append(l.accounts, n)
	}
	byAccount := func(n named[[]byte], account []byte) int { return bytes.Compare(n.by, account) }
	last, others := len(l.accounts), map[chain.Address]bool{} // of those who paid, have no such rows
	for i := range costs {
		payer, ok := costs[i].Payer.Get()
		if !ok || others[payer] {
			continue
		}
		if at, found := slices.BinarySearchFunc(l.accounts[first:last], payer[:], byAccount); found {
			l.accounts[first+at].tables |= hasPaid
		} else {
			others[payer] = true
			l.accounts = append(l.accounts, named[[]byte]{payer[:], height, hasPaid})
		}
	}
	for _, hash := range more.hashes {
		l.hashes = append(l.hashes, named[int64]{hash, height, 0})
	}
}

// inKeyOrder are look-ups in the order of their table's key.
func inKeyOrder[K any](list []named[K], compare func(a, b K) int) []named[K] {
	slices.SortFunc(list, func(a, b named[K]) int {
		return cmp.Or(cmp.Compare(eraOf(a.height), eraOf(b.height)), compare(a.by, b.by), cmp.Compare(a.height, b.height))
	})
	return list
}

// rows are those of a table, in the order of its key.
func (l *lookups) rows(table int) iter.Seq[row] {
	return func(yield func(row) bool) {
		if table == hashBlocks {
			for _, n := range inKeyOrder(l.hashes, cmp.Compare[int64]) {
				if !yield(row{int64(eraOf(n.height)), n.by, int64(n.height)}) {
					return
				}
			}
			return
		}
		for _, n := range inKeyOrder(l.accounts, bytes.Compare) {
			if !yield(row{int64(eraOf(n.height)), n.by, int64(n.height), n.tables}) {
				return
			}
		}
	}
}

// insertedAtOnce is how many rows of a look-up are made at once.
const insertedAtOnce = 10_000

// insert writes them.
func (l *lookups) insert(ctx context.Context, tx transaction) error {
	for t := range lookupTables {
		err := inPortions(ctx, tx, &lookupTables[t], func(add func(row) error) error {
			for r := range l.rows(t) {
				if err := add(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inPortions inserts the rows of a look-up that are added, many at once.
func inPortions(ctx context.Context, tx transaction, into *table, rows func(add func(row) error) error) error {
	var part []row
	flush := func() error {
		err := tx.insert(ctx, into, part)
		part = part[:0]
		return err
	}
	err := rows(func(r row) error {
		if part = append(part, r); len(part) < insertedAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", into.name, err)
	}
	return nil
}

// lookedUpTables are those whose rows are looked up.
var lookedUpTables = []int{blocks, transactions, movements, transfers}

// addRows adds those of a block by its rows.
func (l *lookups) addRows(r *rowsOf) error {
	costs, err := costsOfRows(r.rows[transactions])
	if err != nil {
		return fmt.Errorf("block %d: %w", r.height, err)
	}
	l.add(r.height, costs, additionsOf(&r.rows))
	return nil
}

// erasOf are those of a span in their order, a few at a time: as many in the first part, and in
// each next one twice as many, so that who asks for few blocks asks few eras.
func erasOf(s chain.Heights, few uint64) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		if s.Last < s.First || s.Last == math.MaxUint64 { // it ends before block 0
			return
		}
		for era, last := eraOf(s.First), eraOf(s.Last); era <= last; few = min(2*few, mostEras) {
			var part []any
			for ; uint64(len(part)) < few && era <= last; era++ {
				part = append(part, int64(era))
			}
			if !yield(part) {
				return
			}
		}
	}
}

// mostEras is how many eras are asked at once.
const mostEras = 512

// placesIn are the places of so many values in a list: ?, ?.
func placesIn(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
