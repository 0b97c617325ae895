package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
)

// A part is a compressed blob (zstd) with sums or an index of a day or month of sealed blocks, written once,
// when the day or month has ended. The stretch contains the SHA-256 of its uncompressed bytes: its leaf.
// A part is identified by its kind and the first bits of the keys that it contains.

// partKind is a kind of parts.
type partKind int

// The kinds. Sums are ordered by key.
const (
	quarterHours  partKind = iota // sums by quarter of an hour
	contractSums                  // by layer, call and contract
	accountSums                   // by payer
	accountBlocks                 // the blocks with rows of an account, and with transactions of a trait
	hashBlocks                    // the blocks with a transaction of a hash
	partKinds
)

// partsOf is the number of parts of each kind.
var partsOf = [partKinds]int{1, 16, 16, 16, maxParts}

const maxParts = 1 << hashPartBits

// kinds returns the kinds of parts that a stretch has. A month contains the hashes of its days, which then
// drop theirs.
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

// leaf returns the index of a part's leaf among those of the stretch.
func (s *stretch) leaf(kind partKind, part int) (place int, there bool) {
	for _, k := range s.kinds() {
		if k == kind {
			return place + part, true
		}
		place += partsOf[k]
	}
	return 0, false
}

// hasParts reports whether the stretch has ended and has parts of a kind.
func (s *stretch) hasParts(kind partKind) bool {
	_, there := s.leaf(kind, 0)
	return there && s.ended()
}

// bodies are the uncompressed parts of a stretch.
type bodies [partKinds][maxParts][]byte

// writeParts writes the parts and the leaves of a stretch that has ended.
func (s *stretch) writeParts(ctx context.Context, tx transaction, b *bodies) error {
	if err := s.dropParts(ctx, tx); err != nil {
		return err
	}
	s.leaves = []byte{}
	var rows []row
	for _, kind := range s.kinds() {
		for part, body := range b[kind][:partsOf[kind]] {
			leaf := sha256.Sum256(body)
			s.leaves = append(s.leaves, leaf[:]...)
			rows = append(rows, row{unitNames[s.unit], s.number, int64(kind), int64(part), zip.EncodeAll(body, nil)})
		}
	}
	return tx.insert(ctx, "parts", partColumns, rows)
}

var partColumns = []column{{"unit", text}, {"number", integer}, {"kind", integer}, {"part", integer}, {"body", data}}

// dropParts deletes the stretch's parts.
func (s *stretch) dropParts(ctx context.Context, tx transaction) error {
	return tx.exec(ctx, "DELETE FROM parts WHERE unit = ? AND number = ?", unitNames[s.unit], s.number)
}

// maxBody is the maximum size of an uncompressed part, in bytes.
const maxBody = 256 << 20

var (
	zip      = newZip()
	unzip, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBody))
)

// newZip makes the encoder create its channels now: channels created inside a synctest bubble cannot be used
// outside it.
func newZip() *zstd.Encoder {
	zip, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	zip.EncodeAll(nil, nil)
	return zip
}

// readParts reads parts of a kind of stretches of one unit that have ended, in one query. They come in the order of both
// lists: nil for a stretch without such parts, and an error in the place of a part that was altered or is missing.
func readParts(ctx context.Context, q querier, stretches []*stretch, kind partKind, parts []int) iter.Seq2[[]byte, error] {
	type place struct{ number, part int64 }
	return func(yield func([]byte, error) bool) {
		if len(stretches) == 0 {
			return
		}
		arguments := []any{unitNames[stretches[0].unit]}
		for _, s := range stretches {
			arguments = append(arguments, s.number)
		}
		arguments = append(arguments, int64(kind))
		for _, part := range parts {
			arguments = append(arguments, int64(part))
		}
		packed := map[place][]byte{}
		err := list(ctx, q, []column{{"number", integer}, {"part", integer}, {"body", data}}, func(r row) error {
			number, _ := r[0].(int64)
			part, _ := r[1].(int64)
			packed[place{number, part}], _ = r[2].([]byte)
			return nil
		}, "SELECT number, part, body FROM parts WHERE unit = ? AND number IN "+placesFor(len(stretches))+" AND kind = ? AND part IN "+placesFor(len(parts)), arguments...)
		if err != nil && !errors.Is(err, ErrDamaged) {
			yield(nil, err)
			return
		}
		for _, s := range stretches {
			for _, part := range parts {
				if !yield(s.unpacked(kind, part, packed[place{s.number, int64(part)}])) {
					return
				}
			}
		}
	}
}

// maxPartsAtOnce limits the parts that are held at once.
const maxPartsAtOnce = 8

// readPartsOf is readParts for one stretch and any number of parts.
func readPartsOf(ctx context.Context, q querier, s *stretch, kind partKind, parts []int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for some := range slices.Chunk(parts, maxPartsAtOnce) {
			for body, err := range readParts(ctx, q, []*stretch{s}, kind, some) {
				if !yield(body, err) {
					return
				}
			}
		}
	}
}

// unpacked checks a part.
func (s *stretch) unpacked(kind partKind, part int, packed []byte) (body []byte, err error) {
	at, there := s.leaf(kind, part)
	if !there {
		return nil, nil
	}
	const size = len(Digest{})
	if body, err = unzip.DecodeAll(packed, nil); err == nil && packed != nil && len(s.leaves) >= (at+1)*size {
		if leaf := sha256.Sum256(body); string(s.leaves[at*size:][:size]) == string(leaf[:]) {
			return body, nil
		}
	}
	return nil, damaged("table parts: part %d of kind %d of %s was altered or is missing", part, kind, s.name())
}

// all returns the numbers of the parts of a kind.
func (k partKind) all() []int {
	list := make([]int, partsOf[k])
	for i := range list {
		list[i] = i
	}
	return list
}

// appendSums appends a key's length, the key, the mask of sums that are not 0, and those sums.
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

// eachSum reads what appendSums wrote. The sums are valid only until each returns.
func eachSum(body []byte, each func(key []byte, s *Sums) error) error {
	c := coder{reading: true, values: body}
	var s Sums
	for len(c.values) > 0 {
		key := c.bytes(c.count())
		mask := binary.BigEndian.Uint32(c.bytes(4))
		s = Sums{}
		for left := mask & (1<<len(partSums) - 1); left != 0; left &= left - 1 {
			switch x := partSums[bits.TrailingZeros32(left)].at(&s).(type) {
			case *uint64:
				*x = c.number(0)
			case *chain.Wei:
				var err error
				if *x, err = chain.WeiOf(c.amount(c.packedAmount())); err != nil {
					c.fail()
				}
			}
		}
		if c.err != nil || bits.Len32(mask) > len(partSums) {
			return fmt.Errorf("%w: sums of a part: %w", ErrDamaged, errCoded)
		}
		if err := each(key, &s); err != nil {
			return err
		}
	}
	return nil
}
