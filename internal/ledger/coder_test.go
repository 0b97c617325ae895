package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// coded encodes accounts, each by its index in the list.
func coded(c *coder, accounts []chain.Address) []byte {
	return c.encoded(nil, func() {
		for i := range accounts {
			place(c, &c.accounts, &accounts[i], false)
		}
	})
}

// A list with only EVM addresses is 20 bytes for each, without sizes. In any other list the sizes come first, and bit 32
// of the number marks it.
func TestCodedAccounts(t *testing.T) {
	short, long := chain.Address20([20]byte{1, 19: 2}), chain.Address32([32]byte{1, 19: 2})
	numbers := []byte{0} // texts
	shortList := append(append(append(numbers, 1), short.Bytes()...), 0, 1)
	longList := append(append(append(append(append(numbers, 0x82, 0x80, 0x80, 0x80, 0x10), 32), long.Bytes()...), 20), short.Bytes()...)
	longList = append(longList, 0, 1, 2)
	for _, test := range []struct {
		accounts []chain.Address
		want     []byte
	}{{[]chain.Address{short}, shortList}, {[]chain.Address{long, short}, longList}} {
		var c coder
		text := coded(&c, test.accounts)
		// The usual texts precede the lists; these tests have none.
		require.Equal(t, test.want, text)
		var have []chain.Address
		read := func() {
			for range test.accounts {
				var a chain.Address
				place(&c, &c.accounts, &a, false)
				have = append(have, a)
			}
		}
		require.NoError(t, c.decode(text, read))
		require.Equal(t, test.accounts, have)
		for n := range text {
			require.ErrorIs(t, c.decode(text[:n], read), errCoded, "cut after %d bytes", n)
		}
	}
	for _, size := range []byte{0, 1, 21, 33, 255} {
		changed := append([]byte{}, longList...)
		changed[6] = size
		require.ErrorIs(t, new(coder).decode(changed, func() {}), errCoded)
	}
}
