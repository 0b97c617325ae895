package ledger

import (
	"testing"

	"github.com/feeledger/fees/chain"
	"github.com/stretchr/testify/require"
)

// What a block adds is read as it was written, and what is cut or made up is refused, in
// little memory.
func TestAdditions(t *testing.T) {
	account := func(b byte) []byte { return append(make([]byte, 19), b) }
	for _, x := range []*additions{
		{},
		{accounts: []accountRows{{account(1), 0, 3}, {account(2), 1 << 40, 0}}},
		{hashes: []int64{-5, 0, 7}},
		{accounts: []accountRows{{account(0xff), 254_000, 1}}, hashes: []int64{1 << 62}},
	} {
		encoded := x.encoded()
		have, err := readAdditions(encoded)
		require.NoError(t, err)
		require.Equal(t, x, have)
		for n := range len(encoded) {
			if cut, err := readAdditions(encoded[:n]); err == nil { // a whole hash less
				require.Less(t, len(cut.hashes), len(x.hashes))
			}
		}
	}
	for _, made := range [][]byte{{}, {2, 0}, {1}, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, {1, 1, 0xff, 0xff, 0xff, 0x7f}, {1, 0, 9}} {
		_, err := readAdditions(made)
		require.Error(t, err, "%x", made)
	}
}

// The eras of a span are each asked once, in their order, ever more at once.
func TestErasOfASpan(t *testing.T) {
	eras := func(s chain.Heights, few uint64) (list [][]any) {
		for part := range erasOf(s, few) {
			list = append(list, part)
		}
		return list
	}
	require.Equal(t, [][]any{{int64(0)}}, eras(chain.Heights{First: 0, Last: 65_535}, 1))
	require.Equal(t, [][]any{{int64(0)}, {int64(1)}}, eras(chain.Heights{First: 65_535, Last: 65_536}, 1))
	require.Equal(t, [][]any{{int64(1)}, {int64(2), int64(3)}, {int64(4), int64(5), int64(6)}}, eras(chain.Heights{First: 65_536, Last: 6*65_536 + 1}, 1))
	require.Empty(t, eras(chain.Heights{First: 5, Last: 4}, 1))
	require.Empty(t, eras(chain.Heights{First: 0, Last: 1<<64 - 1}, 1), "none is before block 0")
	many := eras(chain.Heights{First: 0, Last: 16_800_000}, mostEras)
	require.Len(t, many, 1)
	require.Len(t, many[0], 257)
}
