package chain_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
)

// The addresses are the output of encodeAddress of @polkadot/util-crypto 12.6.2.
func TestSS58(t *testing.T) {
	var account [32]byte
	for i := range account {
		account[i] = byte(i * 7)
	}
	for prefix, want := range map[uint16][2]string{
		0:     {"1136ZByNNRhn8H4skDPkP1bxyEH4URNLmYaAmvA1R4zK4Sh", "111111111111111111111111111111111HC1"},
		42:    {"5C4jxDvuWbAELbGYv7APcEBT7MEdNAsEGGp61UvoTL3U8aeA", "5C4hrfjw9DjXZTzV3MwzrrAr9P1MJhSrvWGWqi1eSuyUpnhM"},
		63:    {"7HbbP4JNahXVcpmHwHdtY9mNgYEoX26AE2SqvqS8BHXi38VV", "7HbZHW7QDL6nqhVE4YRVnmkmia1XTYfntFuGm4WyAsTijUu7"},
		64:    {"cEVaErdm4NrFCSHTaFUsq7fcJ8MtR5qw5VyDY8u4QdSmG3owh", "cEVaCm5a61UpVfABWNjfSNHbhAPf92NWiACfxy89Fd2hGkJAc"},
		1284:  {"VdqXZZxMsV69oUB1Ymh9jzohfaXUjc1Az6pg1ifgjxDRGkyaZ", "VdqXXUQAu7ij6h3jUtwwMFRh4cZFTYXkcm48SYtmawoMHT536"},
		16383: {"yNVL6rVMubeTmUXAQyBzfkwJVBJwQSgcPCx4nW66rjonY1qHx", "yNVL4kwAwEH34hPtM6SnH1ZHtDLi8PDC1sBXDLKBhjPiYiEY9"},
	} {
		for i, a := range []chain.Address{chain.Address32(account), chain.Address32([32]byte{})} {
			require.Equal(t, want[i], a.SS58(prefix))
			parsed, err := chain.ParseAccount(want[i])
			require.NoError(t, err, "any prefix is read")
			require.Equal(t, a, parsed)
			read, err := jsonread.Address(quoted(t, want[i]))
			require.NoError(t, err)
			require.Equal(t, a, read)
		}
	}
	a := chain.Address32(account)
	require.Equal(t, "5C4jxDvuWbAELbGYv7APcEBT7MEdNAsEGGp61UvoTL3U8aeA", a.String())
	require.Equal(t, a.String(), a.Plain())
	parsed, err := chain.ParseAccount("0x" + strings.ToUpper(hex.EncodeToString(account[:])))
	require.NoError(t, err)
	require.Equal(t, a, parsed)
	_, err = jsonread.Address(quoted(t, "0x"+hex.EncodeToString(account[:])))
	require.Error(t, err, "a gateway writes an account of 32 bytes in SS58")
}

// A changed, missing or additional character is detected.
func TestMalformedSS58(t *testing.T) {
	const right = "5C4jxDvuWbAELbGYv7APcEBT7MEdNAsEGGp61UvoTL3U8aeA"
	refused := func(text string) {
		t.Helper()
		a, err := chain.ParseAccount(text)
		require.ErrorContains(t, err, "is not an address: want 0x and 40 hex digits", text)
		require.Zero(t, a)
	}
	for i := range right {
		for _, c := range "1z0OIl é" { // the last six are not in base 58
			if changed := right[:i] + string(c) + right[i+1:]; changed != right {
				refused(changed)
			}
		}
		refused(right[:i] + right[i+1:])
	}
	refused(right + "1")
	refused("1" + right)
	refused(strings.Repeat("1", 36))
	refused(strings.Repeat("z", 50))
	refused(strings.Repeat("z", 500))
	_, err := chain.ParseAccount(strings.Replace(right, "5C4j", "5C4k", 1))
	require.ErrorContains(t, err, "a valid checksum")
	_, err = chain.ParseAccount("5C4j")
	require.EqualError(t, err, `"5C4j" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`)
	_, err = chain.ParseAddress("5C4j")
	require.EqualError(t, err, `"5C4j" is not an address: want 0x and 40 hex digits`)
	_, err = chain.ParseAccount("0xf24ff3a9cf04c71dbc94d0b566f7a27b94566caC")
	require.ErrorContains(t, err, "invalid EIP-55 checksum")
}

func TestAddressSizes(t *testing.T) {
	short, err := chain.AddressOf([]byte(strings.Repeat("a", 20)))
	require.NoError(t, err)
	long, err := chain.AddressOf(append([]byte(strings.Repeat("a", 20)), make([]byte, 12)...))
	require.NoError(t, err)
	require.NotEqual(t, short, long)
	require.Equal(t, 20, short.Size())
	require.Equal(t, 32, long.Size())
	require.Equal(t, strings.Repeat("a", 20), string(short.Bytes()))
	require.Equal(t, strings.Repeat("a", 20)+strings.Repeat("\x00", 12), string(long.Bytes()))
	require.Equal(t, short.String(), short.SS58(7))
	require.Equal(t, "0x"+strings.Repeat("61", 20), short.Plain())

	require.Negative(t, short.Compare(long))
	require.Positive(t, long.Compare(short))
	require.Zero(t, long.Compare(long))
	require.Negative(t, chain.Address20([20]byte{1}).Compare(short))

	evm, err := short.EVM()
	require.NoError(t, err)
	require.Equal(t, short, chain.Address20(evm))
	_, err = long.EVM()
	require.ErrorContains(t, err, ": want an EVM address, 0x and 40 hex digits")

	for _, size := range []int{0, 1, 19, 21, 31, 33} {
		_, err = chain.AddressOf(make([]byte, size))
		require.ErrorContains(t, err, "an account has 20 or 32 bytes")
	}
}
