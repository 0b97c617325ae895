package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Digest is a SHA-256 in the encoding that the package's documentation gives: a leaf,
// over the rows of a table, or a block's digest, over its leaves.
type Digest [sha256.Size]byte

// String is 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as Digest.String does.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// The leaves of a block: one for each of its tables, in their order, and one for its
// packed costs, which is the last of those that the digest is over.
const (
	costsLeaf = firstOutside
	leafCount = tableCount + 1

	leavesHead = 3       // bytes: the layout, and which leaves there are
	finalBit   = 1 << 15 // of the latter: the block is final
)

// leafOf is the place of a table's leaf.
func leafOf(table int) int {
	if table < firstOutside {
		return table
	}
	return table + 1
}

// leavesLayout is the layout that leaves are made in: which columns they are over.
const leavesLayout byte = 1

// leaves are those of a block, by their place. A table without rows has none.
type leaves struct {
	final bool              // the block is
	there uint16            // bit i: there is leaf i
	sums  [leafCount]Digest // all zeros where there is none
}

// leavesOf sums up a block's rows and its packed costs, and counts the bytes of their
// encoding.
func leavesOf(rows *[tableCount][]row, costs []byte) (l leaves, encoded uint64) {
	l.final = rows[blocks][0][finalColumn] == true
	set := func(place int, sum Digest, bytes uint64) {
		l.there |= 1 << place
		l.sums[place] = sum
		encoded += bytes
	}
	for t := range rows {
		if len(rows[t]) > 0 {
			sum, bytes := sumOfRows(t, rows[t])
			set(leafOf(t), sum, bytes)
		}
	}
	sum, bytes := sumOfCosts(rows[blocks][0][0].(int64), costs)
	set(costsLeaf, sum, bytes)
	return l, encoded
}

// encoded are the leaves as a block's row has them.
func (l *leaves) encoded() []byte {
	out := l.upTo(leafCount)
	if l.final {
		binary.BigEndian.PutUint16(out[1:], l.there|finalBit)
	}
	return out
}

// upTo are the layout, which leaves there are, and the leaves, those below a place.
func (l *leaves) upTo(end int) []byte {
	there := l.there & (1<<end - 1)
	out := append(make([]byte, 0, leavesHead+leafCount*len(Digest{})), leavesLayout)
	out = binary.BigEndian.AppendUint16(out, there)
	for i := range end {
		if there&(1<<i) != 0 {
			out = append(out, l.sums[i][:]...)
		}
	}
	return out
}

// digest is the block's: over the leaves of what its rows are, and not of how well it is
// known.
func (l *leaves) digest() Digest { return sha256.Sum256(l.upTo(costsLeaf + 1)) }

// readLeaves reads what encoded wrote.
func readLeaves(v value) (l leaves, err error) {
	text, ok := v.([]byte)
	if !ok || len(text) < leavesHead {
		return l, errCell
	}
	there := binary.BigEndian.Uint16(text[1:])
	layout := text[0]
	l.final, l.there, text = there&finalBit != 0, there&^finalBit, text[leavesHead:]
	switch {
	case layout != leavesLayout:
		return l, fmt.Errorf("its digest is of layout %d, which this program does not know", layout)
	case len(text) != bits.OnesCount16(l.there)*len(Digest{}):
		return l, errCell
	}
	for i := range l.sums {
		if l.there&(1<<i) != 0 {
			l.sums[i] = Digest(text)
			text = text[len(Digest{}):]
		}
	}
	return l, nil
}

// sumOfRows is the leaf of a table's rows; all zeros where there are none.
func sumOfRows(t int, rows []row) (sum Digest, encoded uint64) {
	if len(rows) == 0 {
		return sum, 0
	}
	e := encoder{sum: sha256.New(), buffer: make([]byte, 0, 1024)}
	e.text(tables[t].name)
	e.integer(int64(len(rows)))
	for _, r := range rows {
		for i, c := range tables[t].columns {
			if c.mark != state {
				e.value(r[i])
			}
		}
		e.flush()
	}
	return e.end()
}

// sumOfCosts is the leaf of a block's packed costs.
func sumOfCosts(height int64, costs []byte) (Digest, uint64) {
	e := encoder{sum: sha256.New(), buffer: make([]byte, 0, 40)}
	e.text("costs")
	e.integer(height)
	e.data(costs)
	return e.end()
}
