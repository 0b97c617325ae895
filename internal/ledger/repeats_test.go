package ledger

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// By hand, from the description: three values that the list has not, one that it has, and
// each of them again.
func TestRepeats(t *testing.T) {
	costs := "\x01" + // version
		"\x00" + // null
		"\x01" + // a value without a byte
		"\x02a" + "\x02a" + // too short to be remembered
		"\x03ab" + "\x03ab" + "\x0aeight is9" + "\x03ab" +
		"\x04evm" + "\x0cno_evidence" + "\x0aeight is9"
	short := "\x02" +
		"\x00" +
		"\x02" +
		"\x04a" + "\x04a" +
		"\x06ab" + "\x1f" + "\x14eight is9" + "\x1f" + // 15 are there from the start: 15×2+1
		"\x01" + "\x1d" + "\x21"
	require.Equal(t, short, string(condenser{}.condensed([]byte(costs))))
	require.Equal(t, costs, string(whole([]byte(short))))
}

// Costs come back as they were, whatever they hold.
func TestRepeatsComeBack(t *testing.T) {
	c, random := condenser{}, rand.New(rand.NewPCG(15, 6))
	for range 2_000 {
		values := make([][]byte, 1+random.IntN(90))
		for i := range values {
			values[i] = make([]byte, random.IntN(70))
			for j := range values[i] {
				values[i][j] = byte(random.IntN(3))
			}
		}
		costs := []byte{packedVersion}
		for range random.IntN(300) {
			if random.IntN(4) == 0 {
				costs = append(costs, 0)
				continue
			}
			v := values[random.IntN(len(values))]
			costs = append(appendLength(costs, len(v)), v...)
		}
		short := c.condensed(costs)
		require.LessOrEqual(t, len(short), len(costs)+len(costs)/64, "a long value's number takes a byte more")
		require.Equal(t, costs, whole(short))
	}
}

// What neither of the two has made stays as it is: the leaf is of something else.
func TestNoCosts(t *testing.T) {
	for _, hostile := range []string{"", "\x00", "\x03\x02a", "\x02\x1f", "\x02\x06a", "\x02\x80", "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		require.Equal(t, hostile, string(whole([]byte(hostile))))
	}
	for _, hostile := range []string{"", "\x00", "\x01\x03a", "\x01\x80", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		require.Equal(t, hostile, string(condenser{}.condensed([]byte(hostile))))
	}
}

// A byte of a file stands for 65 at the most.
func TestRepeatsAreBounded(t *testing.T) {
	short := append([]byte("\x02\x82\x01"), strings.Repeat("x", 64)...)
	short = append(short, bytes.Repeat([]byte{0x1f}, 100_000)...)
	require.Len(t, whole(short), 1+100_001*65)
	longer := append([]byte("\x02\x84\x01"), strings.Repeat("x", 65)...)
	longer = append(longer, 0x1f)
	require.Equal(t, longer, whole(longer), "a place that nothing has")
}
