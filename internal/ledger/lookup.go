package ledger

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// lookup finds the blocks of a stretch that may contain a match, from its parts of one kind.
type lookup struct {
	kind       partKind
	parts      []int
	find       func(s *stretch, body []byte) ([]uint64, error)
	also       *lookup // which must find the blocks too
	*selection         // of rows that match
}

// byAccounts finds the blocks that contain rows of some kinds for any of some accounts.
func byAccounts(accounts []chain.Address, kinds uint64) lookup {
	set, long := map[chain.Address]bool{}, slices.ContainsFunc(accounts, isLong)
	has := func(a chain.Address) bool { return set[a] }
	if len(accounts) == 1 {
		has = func(a chain.Address) bool { return a == accounts[0] } // much faster
	}
	party := func(a chain.Address) bool { return has(a) || long && a.In(set) } // a transfer names EVM addresses
	keys := make([]runKey, len(accounts))
	for i, a := range accounts {
		keys[i], set[a] = runKeyOf(a), true
	}
	return byRuns(kinds, &selection{
		transactions: testOf(transactionFields, func(t *Transaction) bool { return kinds&hasPaid != 0 && t.Payer.Known() && has(or(t.Payer)) }, "payer", "call"),
		movements:    testOf(movementFields, func(m *Movement) bool { return kinds&hasMoved != 0 && has(m.Account) }, "account"),
		transfers:    testOf(transferFields, func(x *Transfer) bool { return kinds&hasParty != 0 && (party(x.Sender) || party(x.Recipient)) }, "sender", "recipient"),
		settled:      kinds&hasMoved != 0,
	}, keys...)
}

// byKinds finds the blocks that contain transactions of some kinds, or untold ones. At least one condition is known.
func byKinds(k Kinds) lookup {
	selected := someTransactions(func(t *Transaction) bool { return k.mayHave(&t.Kind) }, "layer", "type", "call", "recipient", "outcome")
	var all *lookup
	for _, keys := range k.keys() {
		l := byRuns(hasCalled, selected, keys...)
		l.also, all = all, &l
	}
	return *all
}

// byRuns finds the blocks with some kinds of rows in the runs of any of some keys.
func byRuns(kinds uint64, selected *selection, keys ...runKey) lookup {
	l := lookup{kind: accountBlocks, selection: selected}
	wanted := map[runKey]bool{}
	for _, key := range keys {
		wanted[key] = true
		if part := partOfRun(key); !slices.Contains(l.parts, part) {
			l.parts = append(l.parts, part)
		}
	}
	l.find = func(s *stretch, body []byte) (heights []uint64, err error) {
		c := coder{reading: true, values: body}
		for len(c.values) > 0 {
			named := wanted[runKey(c.bytes(len(runKey{})))]
			steps := coder{reading: true, values: c.bytes(c.count())}
			for at := s.first; named && len(steps.values) > 0; {
				n := steps.number(0)
				if at += n >> kindBits; n&kinds != 0 {
					heights = append(heights, at)
				}
			}
			if c.err != nil || steps.err != nil {
				return nil, fmt.Errorf("%w: blocks of a part: %w", ErrDamaged, errCoded)
			}
		}
		return heights, nil
	}
	return l
}

// byHash finds the blocks that may contain a transaction with any of some hashes.
func byHash(hashes []chain.Hash) lookup {
	set, keys := make(map[chain.Hash]bool, len(hashes)), make([]uint64, 0, len(hashes))
	for _, hash := range hashes {
		set[hash] = true
		keys = append(keys, binary.BigEndian.Uint64(hash[:])>>hashPlaceBits<<hashPlaceBits)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	named := func(t *Transaction) bool { return set[t.Hash] || t.EVMHash.Known() && set[or(t.EVMHash)] }
	l := lookup{kind: hashBlocks, selection: someTransactions(named, "hash", "evm_hash")}
	for _, key := range keys {
		l.parts = append(l.parts, int(key>>(64-hashPartBits)))
	}
	l.parts = slices.Compact(l.parts)
	l.find = func(s *stretch, body []byte) (heights []uint64, err error) {
		entry := func(i int) uint64 { return binary.BigEndian.Uint64(body[8*i:]) }
		i, n := 0, len(body)/8
		if n == 0 {
			return nil, nil
		}
		first, _ := slices.BinarySearch(keys, entry(0)>>hashPlaceBits<<hashPlaceBits)
		for _, key := range keys[first:] { // both lists are in order
			if i += sort.Search(n-i, func(more int) bool { return entry(i+more) >= key }); i == n {
				break
			}
			for ; i < n && entry(i)>>hashPlaceBits == key>>hashPlaceBits; i++ {
				heights = append(heights, s.first+entry(i)&(1<<hashPlaceBits-1))
			}
		}
		return heights, nil
	}
	return l
}

// copies returns copies of the wanted values.
func copies[T any](list []T, wanted func(*T) bool) (some []T) {
	for i := range list {
		if wanted(&list[i]) {
			some = append(some, list[i])
		}
	}
	return some
}

// heights returns the matching heights in a stretch that has ended, in order.
func (l *lookup) heights(ctx context.Context, b *Book, s *stretch) ([]uint64, error) {
	found, err := l.own(ctx, b, s)
	if err != nil || l.also == nil || len(found) == 0 {
		return found, err
	}
	others, err := l.also.heights(ctx, b, s)
	return slices.DeleteFunc(found, func(h uint64) bool {
		for len(others) > 0 && others[0] < h {
			others = others[1:]
		}
		return len(others) == 0 || others[0] != h
	}), err
}

// own is heights without the other lookup. If the stretch was extended downwards meanwhile, its current parts are used, or all
// of its heights as long as it has none.
func (l *lookup) own(ctx context.Context, b *Book, s *stretch) (found []uint64, err error) {
	q := b.engine.shared()
	if s.number == noTime {
		return s.allHeights()
	}
	for body, err := range readPartsOf(ctx, q, s, l.kind, l.parts) {
		if errors.Is(err, ErrDamaged) {
			if now := s.changed(ctx, q); now != nil && now.hasParts(l.kind) {
				return l.own(ctx, b, now)
			} else if now != nil {
				return now.allHeights()
			}
		}
		if err != nil {
			return nil, err
		}
		some, err := l.find(s, body)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// allHeights returns all heights from the stretch's first block to its last. Their number is limited to what
// can be looked up.
func (s *stretch) allHeights() ([]uint64, error) {
	if s.last-s.first >= 1<<hashPlaceBits {
		return nil, damaged("table stretches: the blocks of %s range from %d to %d, which is too wide", s.name(), s.first, s.last)
	}
	return heightsIn(s.heights()), nil
}

// lookedUp returns the blocks of a span that may match, with the rows that do. Unsealed blocks are scanned, and so is
// everything from the first stretch on that has no parts yet.
func (b *Book) lookedUp(ctx context.Context, span chain.Heights, l lookup, d depth) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		return b.watchDetaching(ctx, func() error { return b.lookUp(ctx, span, l, d, yield) })
	})
}

func (b *Book) lookUp(ctx context.Context, span chain.Heights, l lookup, d depth, yield func(*Content) bool) error {
	stretches, grows, err := b.stretchesFor(ctx, span, l.kind)
	if err != nil {
		return err
	}
	type found struct {
		heights []uint64
		err     error
	}
	for f := range inorder.Map(ctx, overlapping(stretches), readersAtOnce(), func(ctx context.Context, list []*stretch) (f found) {
		for _, s := range list {
			some, err := l.heights(ctx, b, s)
			f.heights, f.err = append(f.heights, some...), cmp.Or(f.err, err)
		}
		return f
	}) {
		if f.err != nil {
			return f.err
		}
		within := slices.DeleteFunc(f.heights, func(h uint64) bool { return h < span.First || h > span.Last || h >= grows })
		if len(within) == 0 {
			continue
		}
		slices.Sort(within)
		for c, err := range walkHeights(ctx, b, nil, slices.Compact(within), l.decoder(d)) {
			if err != nil || !yield(c) {
				return err
			}
		}
	}
	if span.First = max(span.First, grows); span.First > span.Last {
		return nil
	}
	return pass(walk(ctx, b, nil, span, l.decoder(d)), yield)
}

// scannedFirst is the number of blocks of a span that are scanned for some kinds of transactions before the index is read: most
// pages of a list are in fewer.
var scannedFirst uint64 = 500

// ofKinds returns the blocks of a span that may have transactions of some kinds, with those.
func (b *Book) ofKinds(ctx context.Context, span chain.Heights, k Kinds, d depth) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		if span.First > span.Last {
			return nil
		}
		l, more := byKinds(k), true
		scanned := chain.Heights{First: span.First, Last: span.First + min(span.Last-span.First, scannedFirst-1)}
		err := pass(walk(ctx, b, nil, scanned, l.decoder(d)), func(c *Content) bool {
			more = yield(c)
			return more
		})
		if err != nil || !more || scanned.Last == span.Last {
			return err
		}
		return pass(b.lookedUp(ctx, chain.Heights{First: scanned.Last + 1, Last: span.Last}, l, d), yield)
	})
}

// overlapping groups stretches in order of height; those whose heights overlap come together.
func overlapping(list []*stretch) iter.Seq[[]*stretch] {
	slices.SortFunc(list, func(a, b *stretch) int { return cmp.Compare(a.first, b.first) })
	return func(yield func([]*stretch) bool) {
		for len(list) > 0 {
			n, last := 1, list[0].last
			for ; n < len(list) && list[n].first <= last; n++ {
				last = max(last, list[n].last)
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// stretchesFor returns the stretches that have parts of a kind for the blocks of a span, in their order, and
// the height from which on there are none.
func (b *Book) stretchesFor(ctx context.Context, span chain.Heights, kind partKind) (list []*stretch, grows uint64, err error) {
	var cut []piece
	err = b.inSnapshot(ctx, func(q querier, c *bookRow) error {
		grows = c.next()
		cut, err = b.piecesAt(ctx, q, c, Period{Heights: chain.Some(span)}, span, func(s *stretch) bool { return s.unit == monthly && kind == hashBlocks && s.ended() })
		return err
	})
	switch {
	case errors.Is(err, ErrNone):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	for _, x := range cut {
		switch {
		case x.number == noTime && kind == hashBlocks: // without a time, a block has no transactions
		case x.number == noTime, x.hasParts(kind):
			list = append(list, x.stretch)
		default:
			grows = min(grows, x.first)
		}
	}
	return slices.DeleteFunc(list, func(s *stretch) bool { return s.first >= grows }), grows, nil
}
