package metadata_test

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/realmetadata"
	"github.com/feeledger/fees/network"
)

// TestRealMetadata requires every real file to decode to its last byte, and its figures to match the networks'
// tables.
func TestRealMetadata(t *testing.T) {
	versions := map[uint8]int{}
	realmetadata.Each(t, func(name string, text []byte) {
		m, err := metadata.Parse(text)
		require.NoError(t, err, name)
		versions[m.Version]++
		require.Equal(t, m.Version > 13, m.Typed(), name)
		require.NotEmpty(t, m.Extrinsic.Extensions, name)
		events := m.Pallet("System").Entry("Events")
		require.Empty(t, events.Hashers, name)
		require.Equal(t, []metadata.Hasher{metadata.Blake2_128Concat}, m.Pallet("System").Entry("Account").Hashers, name)
		if m.Typed() {
			require.Equal(t, metadata.Sequence, m.Types[events.Value].Kind, name)
			require.Equal(t, metadata.Variant, m.Types[m.Extrinsic.Call].Kind, name)
		}
		compare(t, name, m)
	})
	require.Equal(t, map[uint8]int{13: 24, 14: 89, 15: 24, 16: 2}, versions)
}

// compare compares the constants in the tables too.
func compare(t *testing.T, name string, m *metadata.Metadata) {
	parts := strings.Split(name, "-")
	networkName, version := parts[0], parts[1]
	if networkName == "datahaven" {
		networkName, version = "datahaven-stagenet", parts[2]
	}
	runtime, err := strconv.ParseUint(version, 10, 32)
	require.NoError(t, err, name)
	n, ok := network.BuiltIn().Named(networkName)
	require.True(t, ok, name)
	rules, err := n.Rules(uint32(runtime))
	require.NoError(t, err, name)
	deposit, known := rules.ExistentialDeposit.Get()
	require.True(t, known, name)
	have := m.Pallet("Balances").Constant("ExistentialDeposit").Value
	require.Len(t, have, 16, name)
	require.Equal(t, deposit.String(), strconv.FormatUint(binary.LittleEndian.Uint64(have), 10), name)
}

// Hostile input: every prefix of a file, and every changed byte, is decoded or rejected.
func TestDamagedMetadata(t *testing.T) {
	text := small(t)
	_, err := metadata.Parse(text)
	require.NoError(t, err)
	for n := range text {
		_, err := metadata.Parse(text[:n])
		require.Error(t, err, "%d bytes", n)
	}
	for n := range text {
		changed := append([]byte(nil), text...)
		for _, b := range []byte{0, 1, 2, 3, 0x7f, 0xff} {
			changed[n] = b
			metadata.Parse(changed)
		}
	}
	_, err = metadata.Parse(append(text[:len(text):len(text)], 0))
	require.ErrorContains(t, err, "1 bytes left over")
	for version, want := range map[byte]string{12: "metadata of version 12: want 13 to 16", 17: "metadata of version 17: want 13 to 16"} {
		changed := append([]byte(nil), text...)
		changed[4] = version
		_, err := metadata.Parse(changed)
		require.EqualError(t, err, want)
	}
	_, err = metadata.Parse([]byte("metal"))
	require.Error(t, err)
	_, err = metadata.Parse([]byte("no metadata"))
	require.EqualError(t, err, "not metadata: they start with \"meta\"")
	var short *scale.Error
	_, err = metadata.Parse([]byte("meta"))
	require.ErrorAs(t, err, &short)
}

func FuzzParse(f *testing.F) {
	f.Add(small(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := metadata.Parse(text)
		if err == nil && len(m.Types) > len(text) {
			t.Fatal("more types than bytes")
		}
	})
}

// The tables pin the hash of every real metadata file, under the runtime that the file names itself.
func TestPins(t *testing.T) {
	realmetadata.Each(t, func(name string, text []byte) {
		m, err := metadata.Parse(text)
		require.NoError(t, err, name)
		v, known := m.RuntimeVersion()
		require.True(t, known, name)
		require.Equal(t, network.Pinned, network.PinOf(v.SpecName, v.SpecVersion, m.Version, blake2b.Sum256(text)), name)
		text[len(text)/2] ^= 1
		require.Equal(t, network.PinMismatch, network.PinOf(v.SpecName, v.SpecVersion, m.Version, blake2b.Sum256(text)), name)
	})
}

// Metadata of version 16 list extensions by version. Without the list of version 0 the content of extrinsics
// is unknown: an error, not an extrinsic without extensions.
func TestExtensionsOfVersionZero(t *testing.T) {
	found := false
	realmetadata.Each(t, func(name string, text []byte) {
		if text[4] != 16 {
			return
		}
		found = true
		m, err := metadata.Parse(text)
		require.NoError(t, err)
		require.NotEmpty(t, m.Extrinsic.Extensions)
		// the list: one version, 0, with as many one-byte numbers as there are extensions
		list := []byte{1 << 2, 0, byte(len(m.Extrinsic.Extensions)) << 2, 0 << 2, 1 << 2, 2 << 2}
		at := bytes.LastIndex(text, list)
		require.Positive(t, at, name)
		changed := bytes.Clone(text)
		changed[at+1] = 1
		_, err = metadata.Parse(changed)
		require.ErrorContains(t, err, "the extensions of version 0 are not listed", name)
	})
	require.True(t, found)
}
