package reconcile

import (
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Rows are compared one by one, but their transactions are looked up for many rows at once: each look-up reads the
// ledger's index by hash, and the blocks that are not in it yet.

// portionRows is the number of rows whose transactions are looked up at once. More rows take more memory.
var portionRows = 1 << 13

// portions divides rows.
func portions(rows iter.Seq2[*Row, error]) iter.Seq2[[]*Row, error] {
	return func(yield func([]*Row, error) bool) {
		var portion []*Row
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if portion = append(portion, row); len(portion) < portionRows {
				continue
			}
			if !yield(portion, nil) {
				return
			}
			portion = portion[:0]
		}
		if len(portion) > 0 {
			yield(portion, nil)
		}
	}
}

// lookup is a search for a hash.
type lookup struct {
	hash           chain.Hash
	evm, extrinsic bool // what kind of hash it can be
}

// lookups returns the searches for a row's hashes, in the order in which they count.
func (r *Row) lookups() (list []lookup) {
	for _, l := range []struct {
		hash           chain.Optional[chain.Hash]
		evm, extrinsic bool
	}{{r.EVMHash, true, false}, {r.Hash, true, true}, {r.ExtrinsicHash, false, true}} {
		if hash, known := l.hash.Get(); known {
			list = append(list, lookup{hash, l.evm, l.extrinsic})
		}
	}
	return list
}

// lookups finds transactions in a ledger, and holds those of a portion of rows.
type lookups struct {
	book    Book
	byHash  map[chain.Hash]*candidates
	byPlace map[ledger.Place]*ledger.Transaction
	unfound map[chain.Hash]bool // all hashes that rows name and no transaction has
}

func newLookups(book Book) lookups {
	return lookups{book, map[chain.Hash]*candidates{}, map[ledger.Place]*ledger.Transaction{}, map[chain.Hash]bool{}}
}

// candidates are the transactions with a hash, in chain order, up to maxCandidates of each kind.
type candidates struct{ evm, extrinsics []*ledger.Transaction }

// of returns the EVM transactions that a lookup finds, otherwise the extrinsics.
func (c *candidates) of(l lookup) []*ledger.Transaction {
	switch {
	case l.evm && len(c.evm) > 0:
		return c.evm
	case l.extrinsic:
		return c.extrinsics
	}
	return nil
}

// read looks up the transactions of some rows, and forgets those of others. IDs are looked up only for rows whose hashes
// are not on the chain.
func (l *lookups) read(ctx context.Context, rows []*Row) error {
	clear(l.byHash)
	clear(l.byPlace)
	var hashes []chain.Hash
	for _, row := range rows {
		for _, one := range row.lookups() {
			if l.byHash[one.hash] == nil {
				l.byHash[one.hash] = &candidates{}
				hashes = append(hashes, one.hash)
			}
		}
	}
	if err := l.readHashes(ctx, hashes); err != nil {
		return err
	}
	var places []ledger.Place
	for _, row := range rows {
		found := slices.ContainsFunc(row.lookups(), func(one lookup) bool { return len(l.byHash[one.hash].of(one)) > 0 })
		if p, known := row.Place.Get(); known && !found {
			places = append(places, p)
		}
	}
	return l.readPlaces(ctx, places)
}

// readHashes adds the candidates of some hashes.
func (l *lookups) readHashes(ctx context.Context, hashes []chain.Hash) error {
	if len(hashes) == 0 {
		return nil
	}
	keep := func(list *[]*ledger.Transaction, t *ledger.Transaction) {
		if len(*list) < maxCandidates {
			*list = append(*list, t)
		}
	}
	for t, err := range l.book.TransactionsByHash(ctx, hashes...) {
		if err != nil {
			return err
		}
		if evm, known := t.EVMHash.Get(); known && l.byHash[evm] != nil {
			keep(&l.byHash[evm].evm, t)
		}
		if c := l.byHash[t.Hash]; c != nil {
			keep(&c.extrinsics, t)
		}
	}
	return nil
}

// readPlaces adds the transactions at some places.
func (l *lookups) readPlaces(ctx context.Context, places []ledger.Place) error {
	if len(places) == 0 {
		return nil
	}
	for t, err := range l.book.TransactionsAt(ctx, places...) {
		if err != nil {
			return err
		}
		l.byPlace[t.Place()] = t
	}
	return nil
}

// find returns what a lookup of a row of the portion finds: the EVM transactions with the hash, otherwise the extrinsics.
func (l *lookups) find(one lookup) []*ledger.Transaction {
	c := l.byHash[one.hash]
	if len(c.evm)+len(c.extrinsics) == 0 {
		l.unfound[one.hash] = true
	}
	return c.of(one)
}
