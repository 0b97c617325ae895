package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
)

// A part is a run of bytes that sums up or looks up a day or a month of sealed blocks, written once,
// when that has ended, and compressed (zstd). The stretch has the SHA-256 of the bytes: its leaf.
// What a part is of is its kind, and the first bits of the key of what is in it.

// partKind is what parts are of.
type partKind int

// The kinds. Sums are by key, in the order of the keys.
const (
	quarterHours  partKind = iota // sums by quarter of an hour
	contractSums                  // by layer, call and contract
	accountSums                   // by payer
	accountBlocks                 // the blocks that have rows of an account
	hashBlocks                    // the blocks that have a transaction of a hash
	partKinds
)

// partsOf is how many parts there are of a kind.
var partsOf = [partKinds]int{1, 16, 16, 16, 64}

// kinds are those that a stretch has parts of. The hashes of a month are those of its days, which
// have none of their own any more.
func (s *stretch) kinds() []partKind {
	switch {
	case s.number == noTime:
		return nil
	case s.unit == monthly:
		return []partKind{contractSums, accountSums, hashBlocks}
	case s.merged:
		return []partKind{quarterHours, contractSums, accountSums, accountBlocks}
	}
	return []partKind{quarterHours, contractSums, accountSums, accountBlocks, hashBlocks}
}

// leaf is the place of a part's leaf among those of the stretch.
func (s *stretch) leaf(kind partKind, part int) (place int, there bool) {
	for _, k := range s.kinds() {
		if k == kind {
			return place + part, true
		}
		place += partsOf[k]
	}
	return 0, false
}

// bodies are the bytes of a stretch's parts.
type bodies [partKinds][][]byte

func newBodies() (b bodies) {
	for kind := range b {
		b[kind] = make([][]byte, partsOf[kind])
	}
	return b
}

// writeParts writes the parts of a stretch that has ended, and its leaves.
func (s *stretch) writeParts(ctx context.Context, tx transaction, b *bodies) error {
	if err := s.dropParts(ctx, tx); err != nil {
		return err
	}
	s.leaves = []byte{}
	var rows []row
	for _, kind := range s.kinds() {
		for part, body := range b[kind] {
			leaf := sha256.Sum256(body)
			s.leaves = append(s.leaves, leaf[:]...)
			rows = append(rows, row{unitNames[s.unit], s.number, int64(kind), int64(part), zip.EncodeAll(body, nil)})
		}
	}
	return tx.insert(ctx, "parts", partColumns, rows)
}

var partColumns = []column{{"unit", text}, {"number", integer}, {"kind", integer}, {"part", integer}, {"body", data}}

// dropParts removes the stretch's parts.
func (s *stretch) dropParts(ctx context.Context, tx transaction) error {
	return tx.exec(ctx, "DELETE FROM parts WHERE unit = ? AND number = ?", unitNames[s.unit], s.number)
}

// maxBody is how many bytes a part has at most, before it is compressed.
const maxBody = 256 << 20

var (
	zip      = newZip()
	unzip, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBody))
)

// newZip has the encoder make its channels at once: those that are made in a bubble of synctest are
// of use nowhere else.
func newZip() *zstd.Encoder {
	zip, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	zip.EncodeAll(nil, nil)
	return zip
}

// body reads a part of a stretch that has ended, which is what was written.
func (s *stretch) body(ctx context.Context, q querier, kind partKind, part int) (body []byte, err error) {
	place, there := s.leaf(kind, part)
	if !there {
		return nil, nil
	}
	whole := false
	const size = len(Digest{})
	err = scan(ctx, q, dataField("body"), func(packed *[]byte) (err error) {
		if body, err = unzip.DecodeAll(*packed, nil); err == nil && len(s.leaves) >= (place+1)*size {
			leaf := sha256.Sum256(body)
			whole = string(s.leaves[place*size:][:size]) == string(leaf[:])
		}
		return nil
	}, "SELECT body FROM parts WHERE unit = ? AND number = ? AND kind = ? AND part = ?", unitNames[s.unit], s.number, int64(kind), int64(part))
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	if !whole {
		return nil, damaged("table parts: part %d of kind %d of %s was altered, or is missing", part, kind, s.name())
	}
	return body, nil
}

// appendSums adds sums under a key: its length and the key, which sums are not 0, and those.
func appendSums(out []byte, key string, s *Sums) []byte {
	out = append(binary.AppendUvarint(out, uint64(len(key))), key...)
	place := len(out)
	out = append(out, 0, 0, 0, 0)
	mask := uint32(0)
	for i, f := range partSums {
		switch x := f.at(s).(type) {
		case *uint64:
			if *x != 0 {
				mask |= 1 << i
				out = binary.AppendUvarint(out, *x)
			}
		case *chain.Wei:
			if !x.IsZero() {
				mask |= 1 << i
				word := x.Word()
				out = appendAmount(out, &word)
			}
		}
	}
	binary.BigEndian.PutUint32(out[place:], mask)
	return out
}

// eachSum reads what appendSums added.
func eachSum(body []byte, each func(key string, s *Sums) error) error {
	c := coder{reading: true, values: body}
	for len(c.values) > 0 {
		key := string(c.bytes(c.count()))
		mask := binary.BigEndian.Uint32(c.bytes(4))
		var s Sums
		for i, f := range partSums {
			if mask&(1<<i) == 0 {
				continue
			}
			switch x := f.at(&s).(type) {
			case *uint64:
				*x = c.number(0)
			case *chain.Wei:
				var err error
				if *x, err = chain.WeiOf(c.amount()); err != nil {
					c.fail()
				}
			}
		}
		if c.err != nil || bits.Len32(mask) > len(partSums) {
			return fmt.Errorf("%w: a part's sums: %w", ErrDamaged, errCoded)
		}
		if err := each(key, &s); err != nil {
			return err
		}
	}
	return nil
}
