package trie

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/scale"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

// refused are encodings that no chain writes, but that another decoder could misread. The key is the one whose
// value it would return.
var refused = map[string]struct{ encoded, want string }{
	"nothing":                                  {"", "the bytes end too early"},
	"the empty node":                           {"00", "invalid first byte 0x00 of a node"},
	"compact proofs":                           {"01 00", "invalid first byte 0x01 of a node"},
	"reserved":                                 {"0f 00", "invalid first byte 0x0f of a node"},
	"a padding that is not zero":               {"41 1a 04 bb", "padded with 0x1"},
	"the same in a branch":                     {"81 1a 01 00 0c 40 04 bb", "padded with 0x1"},
	"a branch without children":                {"80 00 00", "a branch without children"},
	"one with a value":                         {"c0 00 00 04 bb", "a branch without children"},
	"one with a value by hash":                 {"10 00 00" + strings.Repeat("11", 32), "a branch without children"},
	"an empty child":                           {"80 01 00 00", "a child of 0 bytes"},
	"a child of 33 bytes":                      {"80 01 00 84 42 aa 78" + strings.Repeat("bb", 30), "a child of 33 bytes"},
	"something behind a leaf":                  {"42 aa 04 bb 00", "1 bytes left over"},
	"something behind a branch":                {"80 01 00 0c 40 04 bb ff", "1 bytes left over"},
	"something behind a value's hash":          {"22 aa" + strings.Repeat("11", 33), "1 bytes left over"},
	"a longer form of a value's length":        {"42 aa 05 00 bb", "not in its shortest form"},
	"a longer form of a child's length":        {"80 01 00 0d 00 40 04 bb", "not in its shortest form"},
	"a value that ends early":                  {"42 aa 08 bb", "the bytes end too early"},
	"a value that is longer than memory":       {"42 aa 13 ffffffffffffffff", "the bytes end too early"},
	"a value's hash that ends early":           {"22 aa" + strings.Repeat("11", 31), "the bytes end too early"},
	"a partial key that ends early":            {"44 aa", "the bytes end too early"},
	"a partial key longer than all that comes": {"7f ff ff ff ff ff ff 00", "the bytes end too early"},
	"a number of nibbles that ends early":      {"7f ff", "the bytes end too early"},
	"a branch that ends before its children":   {"80 01", "the bytes end too early"},
	"children that end early":                  {"80 03 00 0c 40 04 bb", "the bytes end too early"},
}

func TestRefused(t *testing.T) {
	for name, c := range refused {
		encoded := unhex(t, c.encoded)
		_, err := readNode(encoded)
		require.ErrorContains(t, err, c.want, name)
		if name == "the empty node" { // which is its own trie
			continue
		}
		for _, key := range []string{"", "aa", "0a", "1a", "00", "01"} {
			value, has, err := NewProof([][]byte{encoded}).Value(blake2b.Sum256(encoded), unhex(t, key))
			require.ErrorContains(t, err, c.want, "%s: %s", name, key)
			require.Nil(t, value)
			require.False(t, has)
		}
	}
}

// An embedded node is decoded as strictly.
func TestRefusedInside(t *testing.T) {
	for name, c := range refused {
		inside := unhex(t, c.encoded)
		if len(inside) == 0 || len(inside) >= hashLength {
			continue
		}
		parent := scale.AppendBlob([]byte{0x80, 0x01, 0x00}, inside)
		value, has, err := NewProof([][]byte{parent}).Value(blake2b.Sum256(parent), []byte{0x0a})
		require.ErrorContains(t, err, c.want, name)
		require.Nil(t, value)
		require.False(t, has)
	}
}

// taken are encodings of each variant, with long and short partial keys.
var taken = []string{
	"42aa04bb", "40 00", "7f00 0a" + strings.Repeat("5a", 31) + "04bb", "7fff00" + strings.Repeat("5a", 159) + "00",
	"80 1200 14 43031404ff 14 43081904fe", "c00100 04bb 0c4004bb",
	"22aa" + strings.Repeat("11", 32), "3fff00" + strings.Repeat("5a", 143) + strings.Repeat("11", 32),
	"110a0100" + strings.Repeat("11", 32) + "80" + strings.Repeat("22", 32),
	"1ff002" + strings.Repeat("5a", 127) + "0100" + strings.Repeat("11", 32) + "0c4004bb",
}

func TestTaken(t *testing.T) {
	for _, text := range taken {
		n, err := readNode(unhex(t, text))
		require.NoError(t, err, text)
		require.Equal(t, unhex(t, text), n.encode())
	}
}

// encode returns the node's canonical encoding.
func (n *node) encode() []byte {
	first, digits := []byte{n.prefix | byte(len(n.partial))}, n.partial
	if more := len(n.partial) - int(n.limit); more >= 0 {
		first = append(append([]byte{n.prefix | n.limit}, bytes.Repeat([]byte{0xff}, more/0xff)...), byte(more%0xff))
	}
	if len(digits)%2 == 1 {
		digits = append([]byte{0}, digits...)
	}
	encoded := first
	for i := 0; i < len(digits); i += 2 {
		encoded = append(encoded, 16*digits[i]+digits[i+1])
	}
	var has uint16
	var children []byte
	for i, child := range n.children {
		if child != nil {
			has |= 1 << i
			children = scale.AppendBlob(children, child)
		}
	}
	if n.branch {
		encoded = binary.LittleEndian.AppendUint16(encoded, has)
	}
	switch n.value {
	case inline:
		encoded = scale.AppendBlob(encoded, n.stored)
	case byHash:
		encoded = append(encoded, n.stored...)
	}
	return append(encoded, children...)
}

// FuzzNode: bytes that decode as a node are its canonical encoding, and no key crashes the verifier.
func FuzzNode(f *testing.F) {
	for _, c := range refused {
		f.Add(unhex(f, c.encoded), []byte{0x0a})
	}
	for _, text := range taken {
		f.Add(unhex(f, text), unhex(f, "aa"))
	}
	f.Fuzz(func(t *testing.T, encoded, key []byte) {
		p := NewProof([][]byte{encoded, key})
		value, has, answer := p.Value(blake2b.Sum256(encoded), key)
		require.False(t, answer != nil && (has || value != nil), "a value beside an error")
		n, err := readNode(encoded)
		if err != nil {
			require.True(t, answer != nil || bytes.Equal(encoded, []byte{0}) && !has, "an answer from what is no node")
			return
		}
		require.Equal(t, encoded, n.encode())
	})
}
