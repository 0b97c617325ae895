package grandpa_test

import (
	"crypto/ed25519"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
)

// books are four validators who sign whatever is asked of them.
type books struct {
	t     *testing.T
	setID uint64
}

func newBooks(t *testing.T) *books { return &books{t, 7} }

func (b *books) root(t *testing.T) *grandpa.Set {
	p := &plan{weights: []uint64{1, 1, 1, 1}}
	set, err := grandpa.NewSet(b.setID, p.authorities())
	require.NoError(t, err)
	return set
}

// change returns a digest item that announces the same members.
func change(kind byte, members int, delay uint64) []byte {
	p := &plan{weights: slices.Repeat([]uint64{1}, members)}
	log := []byte{kind}
	if kind == 2 {
		log = append(log, little(4, 0)...)
	}
	log = slices.Concat(log, p.authorities(), little(4, delay))
	return slices.Concat([]byte{4, 'F', 'R', 'N', 'K'}, compact(len(log)), log)
}

func (b *books) header(number int, log []byte) []byte {
	encoded := slices.Concat(make([]byte, 32), compact(number), make([]byte, 64))
	if log == nil {
		return append(encoded, 0)
	}
	return append(append(encoded, 4), log...)
}

func (b *books) vote(t *testing.T, number int, encoded []byte) *grandpa.Justification {
	hash := blake2b.Sum256(encoded)
	target := slices.Concat(hash[:], little(4, uint64(number)))
	out := slices.Concat(little(8, 3), target, compact(3))
	for _, key := range keys[:3] {
		signature := ed25519.Sign(key, slices.Concat([]byte{1}, target, little(8, 3), little(8, b.setID)))
		out = slices.Concat(out, target, signature, key.Public().(ed25519.PublicKey))
	}
	j, err := grandpa.ReadJustification(append(out, 0))
	require.NoError(t, err)
	return j
}

// finalize makes a block, signs it and proves it final. A change without a delay is taken over.
func (b *books) finalize(c *grandpa.Chain, number int, log []byte) error {
	encoded := b.header(number, log)
	_, _, err := c.Finalize(b.vote(b.t, number, encoded), readHeaderBytes(b.t, encoded))
	if next, last, _ := c.Announced(); err == nil && next != nil && last == uint64(number) && log != nil {
		b.setID = next.ID
	}
	return err
}

func readHeaderBytes(t *testing.T, encoded []byte) *header.Header {
	h, err := header.Read(encoded)
	require.NoError(t, err)
	return &h
}
