package trie_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/trietest"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return b
}

// requireAnswer requires a proof to yield a key's value, or nil for none.
func requireAnswer(t *testing.T, p *trie.Proof, root trie.Hash, key, has []byte) {
	value, there, err := p.Value(root, key)
	require.NoError(t, err, "key %x", key)
	require.Equal(t, has != nil, there, "key %x", key)
	if there {
		require.True(t, bytes.Equal(has, value), "key %x: want %x, have %x", key, has, value)
	}
}

// beside returns keys near another one: its prefixes, keys that it is a prefix of, and those that differ from
// it by one bit.
func beside(key []byte) (list [][]byte) {
	list = append(list, append(slices.Clone(key), 0), append(slices.Clone(key), 0xff))
	for i := range key {
		list = append(list, key[:i])
		for bit := range 8 {
			other := slices.Clone(key)
			other[i] ^= 1 << bit
			list = append(list, other)
		}
	}
	return list
}

// The roots in testdata/roots.json are from a different implementation: calculate_state_root of
// @acala-network/chopsticks-executor 1.5.1 (npm). The tests' builder computes the same, and its nodes yield
// each value, and none for neighbouring keys. They have nodes of less than 32 bytes, of 32 and of more,
// partial keys around each length that takes another byte, values of none, 32, 33 and many bytes in leaves and
// in branches, and keys that are prefixes of others.
func TestRootsOfAnotherImplementation(t *testing.T) {
	text, err := os.ReadFile("testdata/roots.json")
	require.NoError(t, err)
	var tries []struct {
		Layout  int
		Entries [][3]any // key, byte, how many times the value has it
		Root    string
	}
	require.NoError(t, json.Unmarshal(text, &tries))
	require.Len(t, tries, 104)
	t.Logf("%d tries", len(tries))
	for i := 0; i < len(tries); i += tier.Step(4) {
		c := tries[i]
		built, values := trietest.New(c.Layout), map[string][]byte{}
		for _, e := range c.Entries {
			key, value := unhex(t, e[0].(string)), bytes.Repeat(unhex(t, e[1].(string)), int(e[2].(float64)))
			built.Set(key, value)
			values[string(key)] = value
		}
		root := trie.Hash(unhex(t, c.Root))
		require.Equal(t, root, built.Root(), "trie %d", i)
		for key, value := range values {
			requireAnswer(t, trie.NewProof(built.Proof([]byte(key))), root, []byte(key), value)
			for _, other := range beside([]byte(key)) {
				requireAnswer(t, trie.NewProof(built.Proof(other)), root, other, values[string(other)])
			}
		}
	}
}

// The root of a list of three texts in the tests of Polkadot's hosts (such as
// Test_ext_trie_blake2_256_ordered_root_version_1 of ChainSafe/gossamer), and that of an empty list, as in
// real headers of empty blocks.
func TestListRootOfOthers(t *testing.T) {
	root := trie.ListRoot([][]byte{[]byte("static"), []byte("even-keeled"), []byte("Future-proofed")}, trie.Layout0)
	require.Equal(t, unhex(t, "d847b86d0219a384d11458e829e9f4f4cce7e3cc2e6dcd0e8a6ad6f12c64a737"), root[:])
	root = trie.ListRoot(nil, trie.Layout1)
	require.Equal(t, unhex(t, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"), root[:])
}

// The root of a list is that of a trie with the indices as keys, up to those of four bytes.
func TestListRoot(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	for _, size := range []int{0, 1, 2, 3, 16, 17, 63, 64, 65, 66, 300, 1000, 16_384, 16_500} {
		for _, layout := range tier.Some(1, []trie.Layout{trie.Layout1, trie.Layout0}) {
			var list [][]byte
			built := trietest.New(int(layout))
			for place := range size {
				value := randomBytes(random, []int{0, 1, 20, 28, 29, 30, 31, 32, 33, 34, 100, 300}[random.IntN(12)])
				list = append(list, value)
				built.Set(placeKey(place), value)
			}
			require.Equal(t, built.Root(), trie.ListRoot(list, layout), "%d in layout %d", size, layout)
		}
	}
}

// placeKey returns an index as a compact integer, by the table in SCALE's documentation.
func placeKey(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(n) << 2}
	case n < 1<<14:
		return []byte{byte(n<<2) | 1, byte(n >> 6)}
	}
	return []byte{byte(n<<2) | 2, byte(n >> 6), byte(n >> 14), byte(n >> 22)}
}

func randomBytes(random *rand.Rand, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// randomKey returns a key that shares prefixes with others, in lengths from zero to far more than one byte for
// the number of nibbles can express.
func randomKey(random *rand.Rand) []byte {
	switch random.IntN(4) {
	case 0:
		return randomBytes(random, random.IntN(3))
	case 1:
		key := make([]byte, random.IntN(6))
		for i := range key {
			key[i] = []byte{0x00, 0x01, 0x10, 0x11, 0xff}[random.IntN(5)]
		}
		return key
	case 2:
		return append(bytes.Repeat([]byte{0x5a}, []int{1, 7, 8, 31, 32, 33}[random.IntN(6)]), randomBytes(random, random.IntN(3))...)
	}
	return append(bytes.Repeat([]byte{0xc3}, random.IntN(170)), randomBytes(random, random.IntN(3))...)
}

// randomTries creates tries of both layouts, each with its content.
func randomTries(t *testing.T, count int, test func(random *rand.Rand, built *trietest.Trie, values map[string][]byte)) {
	if testing.Short() {
		count /= 20
	}
	random := rand.New(rand.NewPCG(14, 2))
	sizes := []int{0, 1, 2, 3, 28, 29, 30, 32, 33, 40, 100}
	for i := range count {
		built, values := trietest.New(i%2), map[string][]byte{}
		for range random.IntN(24) {
			key, value := randomKey(random), randomBytes(random, sizes[random.IntN(len(sizes))])
			built.Set(key, value) // some replace another's value
			values[string(key)] = value
		}
		test(random, built, values)
		if t.Failed() {
			return
		}
	}
}

// In 10,000 tries each key has its value, and neighbouring keys have none, with a proof of all of them, and
// with one of each, where other keys may be missing but never wrong.
func TestRandomTries(t *testing.T) {
	randomTries(t, 10_000, func(random *rand.Rand, built *trietest.Trie, values map[string][]byte) {
		root := built.Root()
		keys := [][]byte{randomKey(random), {}}
		for key := range values {
			keys = append(keys, []byte(key))
			near := append([]byte(key), byte(random.Uint32()))
			keys = append(keys, near, near[:random.IntN(len(near))], flipped(near, random.IntN(8*len(near)))[:max(1, len(key))])
		}
		all := trie.NewProof(built.Proof(keys...))
		for _, key := range keys {
			requireAnswer(t, all, root, key, values[string(key)])
		}
		for _, key := range keys {
			requireWay(t, all, root, key, values[string(key)])
		}
		one := keys[random.IntN(len(keys))]
		alone := trie.NewProof(built.Proof(one))
		requireAnswer(t, alone, root, one, values[string(one)])
		for _, key := range keys {
			requireTrueOrMissing(t, alone, root, key, values[string(key)])
		}
	})
}

// requireWay requires the parts on the way to a key to suffice for its value, and those without the value to
// suffice for its hash.
func requireWay(t *testing.T, p *trie.Proof, root trie.Hash, key, has []byte) {
	way := func(value bool) *trie.Proof {
		var parts [][]byte
		err := p.Way(root, key, value, func(part trie.Hash) {
			if part != trie.HashOf(p.Part(part)) { // no require: a million times it takes longer than what it checks
				t.Errorf("%x is not the hash of its part", part)
			}
			parts = append(parts, p.Part(part))
		})
		require.NoError(t, err)
		for i := range parts { // none is too much
			_, _, err := trie.NewProof(slices.Delete(slices.Clone(parts), i, i+1)).Value(root, key)
			if !errors.Is(err, trie.ErrMissing) {
				t.Errorf("key %x without part %d of its way: %v", key, i, err)
			}
		}
		return trie.NewProof(parts)
	}
	requireAnswer(t, way(true), root, key, has)
	hash, there, err := way(false).ValueHash(root, key)
	require.NoError(t, err)
	require.Equal(t, has != nil, there)
	if there {
		require.Equal(t, trie.HashOf(has), hash)
	}
}

// requireTrueOrMissing requires that a proof never yields a wrong result for a key.
func requireTrueOrMissing(t *testing.T, p *trie.Proof, root trie.Hash, key, has []byte) (told bool) {
	value, there, err := p.Value(root, key)
	if err != nil {
		require.ErrorIs(t, err, trie.ErrMissing, "key %x", key)
		require.Nil(t, value)
		require.False(t, there)
		return false
	}
	require.Equal(t, has != nil, there, "key %x", key)
	require.True(t, bytes.Equal(has, value), "key %x", key)
	return true
}

// Dropping, altering, swapping or adding parts of a proof makes it yield less, but nothing wrong: only the
// root counts, so the kind of tampering does not matter.
func TestNoFalseProof(t *testing.T) {
	var before [][]byte // the parts of another trie
	refusals, altered := 0, 0
	randomTries(t, 2_000, func(random *rand.Rand, built *trietest.Trie, values map[string][]byte) {
		root := built.Root()
		for key := range values {
			proof := built.Proof([]byte(key))
			for i := range proof {
				for _, alter := range []func(part []byte) [][]byte{
					func([]byte) [][]byte { return nil },
					func(part []byte) [][]byte { return [][]byte{flipped(part, random.IntN(8*len(part)))} },
					func(part []byte) [][]byte { return [][]byte{part[:random.IntN(len(part))]} },
					func(part []byte) [][]byte { return [][]byte{append(slices.Clone(part), 0)} },
					func(part []byte) [][]byte { return [][]byte{slices.Concat(part, part)} },
				} {
					parts := slices.Concat(before, proof[:i], alter(proof[i]), proof[i+1:])
					altered++
					if !requireTrueOrMissing(t, trie.NewProof(parts), root, []byte(key), values[key]) {
						refusals++
					}
				}
			}
			parts := slices.Concat(before, proof, proof)
			require.True(t, requireTrueOrMissing(t, trie.NewProof(parts), root, []byte(key), values[key]), "with more than it needs")
			before = proof
			break
		}
		other := trie.NewProof(before)
		for key := range values {
			_, has, err := other.Value(trie.Hash{}, []byte(key))
			require.ErrorIs(t, err, trie.ErrMissing)
			require.False(t, has)
		}
	})
	require.Equal(t, altered, refusals, "each part was needed")
}

func flipped(part []byte, bit int) []byte {
	part = slices.Clone(part)
	part[bit/8] ^= 1 << (bit % 8)
	return part
}

// The root of an empty trie needs no node.
func TestEmptyTrie(t *testing.T) {
	for layout := range 2 {
		built := trietest.New(layout)
		for _, parts := range [][][]byte{nil, built.Proof([]byte{0xaa}), {{0x42, 0xaa, 0x04, 0xbb}}} {
			requireAnswer(t, trie.NewProof(parts), built.Root(), []byte{0xaa}, nil)
			requireAnswer(t, trie.NewProof(parts), built.Root(), nil, nil)
		}
	}
}

// A missing value by hash differs from no value.
func TestMissingValue(t *testing.T) {
	built := trietest.New(1)
	value := bytes.Repeat([]byte{7}, 33)
	built.Set([]byte{0xaa}, value)
	proof := built.Proof([]byte{0xaa})
	require.Len(t, proof, 2)
	proof = slices.DeleteFunc(proof, func(part []byte) bool { return bytes.Equal(part, value) })
	_, has, err := trie.NewProof(proof).Value(built.Root(), []byte{0xaa})
	require.ErrorIs(t, err, trie.ErrMissing)
	hash := blake2b.Sum256(value)
	require.EqualError(t, err, "the value with the hash 0x"+hex.EncodeToString(hash[:])+" is not in the proof")
	require.False(t, has)
	requireAnswer(t, trie.NewProof(proof), built.Root(), []byte{0xab}, nil)
}

// A state of a chain that went from layout 0 to layout 1 has both kinds of values.
func TestBothLayoutsInOneTrie(t *testing.T) {
	long := bytes.Repeat([]byte{7}, 40)
	hash := blake2b.Sum256(long)
	older := append([]byte{0x41, 0x0a, 4 * 40}, long...) // 1.a, with its value
	newer := append([]byte{0x21, 0x0b}, hash[:]...)      // 2.b, with its value's hash
	first, second := blake2b.Sum256(older), blake2b.Sum256(newer)
	root := slices.Concat([]byte{0x80, 0b110, 0, 4 * 32}, first[:], []byte{4 * 32}, second[:])
	p := trie.NewProof([][]byte{root, older, newer, long})
	requireAnswer(t, p, blake2b.Sum256(root), []byte{0x1a}, long)
	requireAnswer(t, p, blake2b.Sum256(root), []byte{0x2b}, long)
	requireAnswer(t, p, blake2b.Sum256(root), []byte{0x1b}, nil)
	requireAnswer(t, p, blake2b.Sum256(root), []byte{0x3a}, nil)
}
