package ledger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
)

// tally collects the sums and indexes of a day's blocks. The day's parts are written from it when the day
// has ended.
type tally struct {
	first    uint64                   // the day's first height
	blocks   uint64                   // number of added blocks
	sums     [accountBlocks]keyedSums // by kind
	accounts map[chain.Address]*run
	traits   map[trait]*run
	hashes   []uint64
}

// run lists the blocks with rows of an account, or with transactions of a trait: for each, the distance from the block
// before (or the day's first height) times 16, plus the kinds of rows.
type run struct {
	steps []byte
	last  uint64 // the previous height
	at    uint64 // the height whose rows are being added
	kinds uint64 // of those rows
}

// The kinds of an account's rows in a block.
const (
	hasPaid   = 1 << iota // it paid for a transaction
	hasMoved              // its balance moved
	hasParty              // it sent or received a transfer
	hasCalled             // an EVM transaction called it; or a transaction has the trait

	kindBits = 4
)

func newTally(first uint64) *tally {
	t := &tally{first: first, accounts: map[chain.Address]*run{}, traits: map[trait]*run{}}
	for kind := range t.sums {
		t.sums[kind] = keyedSums{}
	}
	return t
}

// keyedSums maps keys to sums.
type keyedSums map[string]*Sums

func (k keyedSums) add(key []byte, x *Sums) error {
	s := k[string(key)]
	if s == nil {
		s = new(Sums)
		k[string(key)] = s
	}
	return s.Add(x)
}

// has reports whether all blocks of the day were added.
func (t *tally) has(day *stretch) bool { return t.first == day.first && t.blocks == day.sums.Blocks }

// appendContract appends the key of the sums by contract. A contract is what an EVM transaction called; native
// calls are listed beside them.
func appendContract(key []byte, c *Cost) []byte {
	key = append(append(append(append(key, c.Layer...), 0), c.Call...), 0)
	if to, ok := c.contract().Get(); ok {
		key = append(key, to.Bytes()...)
	}
	return key
}

// appendQuarter appends the key of the sums by quarter of an hour. Days begin on a quarter in every time zone.
func appendQuarter(key []byte, at chain.Time) []byte {
	return binary.BigEndian.AppendUint32(key, uint32(at.Std().UnixMilli()/quarterHourMS))
}

// partOf returns the part of a kind that contains a key.
func partOf(kind partKind, key string) int {
	switch kind {
	case contractSums:
		if address := key[len(key)-min(len(key), chain.AddressSize):]; bytes.Count([]byte(key), []byte{0}) >= 2 && key[len(key)-1] != 0 || len(address) == chain.AddressSize {
			return int(address[0] >> 4)
		}
	case accountSums:
		return int(key[0] >> 4)
	}
	return 0
}

// add adds the next block, whose time must be known.
func (t *tally) add(c *Content) (err error) {
	if c.Height-t.first >= 1<<hashPlaceBits {
		return fmt.Errorf("its day began at block %d and has more blocks than a ledger can index", t.first)
	}
	t.blocks++
	var key []byte
	for i := range c.Transactions {
		x, s := &c.Transactions[i], &c.each[i]
		key = appendContract(key[:0], &x.Cost)
		err = errors.Join(err, t.sums[contractSums].add(key, s))
		if payer, ok := x.Payer.Get(); ok {
			err = errors.Join(err, t.sums[accountSums].add(payer.Bytes(), s))
			note(t, t.accounts, payer, c.Height, hasPaid)
		}
		if contract, ok := x.contract().Get(); ok {
			note(t, t.accounts, contract, c.Height, hasCalled)
		}
		for _, of := range x.traits() {
			note(t, t.traits, of, c.Height, hasCalled)
		}
		t.noteHash(x.Hash, c.Height)
		if hash, ok := x.EVMHash.Get(); ok {
			t.noteHash(hash, c.Height)
		}
	}
	err = errors.Join(err, t.sums[quarterHours].add(appendQuarter(key[:0], or(c.Time)), &c.sums))
	for i := range c.Movements {
		note(t, t.accounts, c.Movements[i].Account, c.Height, hasMoved)
	}
	long := len(c.Transfers) > 0 && c.hasLongPayer()
	for i := range c.Transfers {
		for _, a := range []chain.Address{c.Transfers[i].Sender, c.Transfers[i].Recipient} {
			note(t, t.accounts, a, c.Height, hasParty)
			if long {
				note(t, t.accounts, a.Hashed(), c.Height, hasParty) // transfers name EVM addresses, and people their accounts
			}
		}
	}
	return err
}

// hasLongPayer reports whether the chain's accounts have 32 bytes, in a block with a payer.
func (c *Content) hasLongPayer() bool {
	return slices.ContainsFunc(c.Transactions, func(t Transaction) bool {
		payer, known := t.Payer.Get()
		return known && isLong(payer)
	})
}

func note[K comparable](t *tally, runs map[K]*run, of K, height, kind uint64) {
	r := runs[of]
	if r == nil {
		r = &run{last: t.first, at: height}
		runs[of] = r
	}
	if r.at != height {
		r.end()
		r.at = height
	}
	r.kinds |= kind
}

// end finishes the rows of a block.
func (r *run) end() {
	r.steps = binary.AppendUvarint(r.steps, (r.at-r.last)<<kindBits|r.kinds)
	r.last, r.kinds = r.at, 0
}

// A hash entry consists of the first 5 bytes of the hash and the height relative to the stretch's first.
const (
	hashPlaceBits = 24
	hashPartBits  = 6
)

func (t *tally) noteHash(hash chain.Hash, height uint64) {
	t.hashes = append(t.hashes, binary.BigEndian.Uint64(hash[:])>>hashPlaceBits<<hashPlaceBits|(height-t.first))
}

// bodies returns the day's parts.
func (t *tally) bodies() *bodies {
	b := new(bodies)
	for kind, sums := range t.sums {
		b.addSums(partKind(kind), sums)
	}
	runs := make([]keyedRun, 0, len(t.accounts)+len(t.traits))
	for a, r := range t.accounts {
		runs = append(runs, keyedRun{runKeyOf(a), r})
	}
	for x, r := range t.traits {
		runs = append(runs, keyedRun{x.key(), r})
	}
	b.addRuns(runs)
	b.addHashes(t.hashes)
	return b
}

// runKey is a key in the index of blocks: of an account its first bytes. If several have the same key, the blocks of all
// of them are found.
type runKey [8]byte

func runKeyOf(a chain.Address) runKey { return runKey(a.Bytes()) }

// partOfRun returns the part that contains a key.
func partOfRun(key runKey) int { return int(key[0] >> 4) }

type keyedRun struct {
	key runKey
	*run
}

// addRuns adds runs in order of key.
func (b *bodies) addRuns(runs []keyedRun) {
	for _, r := range runs {
		if r.kinds > 0 {
			r.end()
		}
	}
	slices.SortFunc(runs, func(x, y keyedRun) int {
		return cmp.Or(bytes.Compare(x.key[:], y.key[:]), bytes.Compare(x.steps, y.steps))
	})
	for _, r := range runs {
		body := &b[accountBlocks][partOfRun(r.key)]
		*body = append(binary.AppendUvarint(append(*body, r.key[:]...), uint64(len(r.steps))), r.steps...)
	}
}

// addSums adds sums in order of key.
func (b *bodies) addSums(kind partKind, sums keyedSums) {
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		body := &b[kind][partOf(kind, key)]
		*body = appendSums(*body, key, sums[key])
	}
}

// addHashes adds hash entries in order.
func (b *bodies) addHashes(hashes []uint64) {
	slices.Sort(hashes)
	for _, h := range slices.Compact(hashes) {
		body := &b[hashBlocks][h>>(64-hashPartBits)]
		*body = binary.BigEndian.AppendUint64(*body, h)
	}
}

// tallied builds the tally of a day from its blocks.
func (b *Book) tallied(ctx context.Context, q querier, s *stretch) (*tally, error) {
	t := newTally(s.first)
	for c, err := range b.contents(ctx, q, s.heights(), everything) {
		if err == nil && daily.numberOf(c.Time) == s.number {
			err = t.add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	if !t.has(s) {
		return nil, damaged("table blocks: %d of blocks %v belong to %s, but %d were sealed", t.blocks, s.heights(), s.name(), s.sums.Blocks)
	}
	return t, nil
}

// mergedParts merges the parts of a month's days.
func (b *Book) mergedParts(ctx context.Context, q querier, month *stretch) (*bodies, error) {
	days, err := daysAt(ctx, q, month.number)
	if err != nil {
		return nil, err
	}
	out := new(bodies)
	for _, kind := range []partKind{contractSums, accountSums} {
		for part := range partsOf[kind] {
			sums := keyedSums{}
			for body, err := range readParts(ctx, q, days, kind, []int{part}) {
				if err == nil {
					err = eachSum(body, sums.add)
				}
				if err != nil {
					return nil, err
				}
			}
			out.addSums(kind, sums)
		}
	}
	if month.last-month.first >= 1<<hashPlaceBits {
		return nil, fmt.Errorf("%s has more blocks than a ledger can index", month.name())
	}
	var hashes []uint64
	for _, day := range days {
		parts, err := b.hashesOf(ctx, q, day)
		if err != nil {
			return nil, err
		}
		for _, body := range parts {
			for ; len(body) >= 8; body = body[8:] {
				hashes = append(hashes, binary.BigEndian.Uint64(body)+(day.first-month.first))
			}
		}
	}
	out.addHashes(hashes)
	return out, nil
}

// hashesOf returns a day's hash entries. If the month already contains them, the day's blocks are scanned.
func (b *Book) hashesOf(ctx context.Context, q querier, day *stretch) (parts [][]byte, err error) {
	if day.merged {
		t, err := b.tallied(ctx, q, day)
		if err != nil {
			return nil, err
		}
		return t.bodies()[hashBlocks][:], nil
	}
	for body, err := range readParts(ctx, q, []*stretch{day}, hashBlocks, hashBlocks.all()) {
		if err != nil {
			return nil, err
		}
		parts = append(parts, body)
	}
	return parts, nil
}
