package jsonscan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// readRecent reads a list of values, each through a Recent, and returns how many of them were known. It checks that a known
// value has the meaning of its own text.
func readRecent(t *testing.T, recent *jsonscan.Recent[string], values ...string) (known int) {
	t.Helper()
	i := 0
	err := jsonscan.Scan("["+strings.Join(values, ",")+"]", func(s *jsonscan.Scanner) {
		for s.Array(); s.Element(); i++ {
			if meaning, ok := recent.Next(s); ok {
				require.Equal(t, values[i], meaning)
				known++
				continue
			}
			mark := s.Mark()
			recent.Keep(s, mark, s.Value().Raw())
		}
	})
	require.NoError(t, err)
	require.Equal(t, len(values), i)
	return known
}

// after keeps the values before it from the end of the text, where fewer bytes tell values apart.
const after = `"the last value of the list, which is not short"`

func TestRecent(t *testing.T) {
	const a, b = `{"pallet":"system","method":"NewAccount"}`, `{"pallet":"system","method":"KilledAccount"}`
	var recent jsonscan.Recent[string]
	require.Equal(t, 0, readRecent(t, &recent, a, b, after))
	require.Equal(t, 4, readRecent(t, &recent, a, b, a, after))
	for name, value := range map[string]string{
		"an object inside": `{"pallet":"a pallet","method":{"name":"a method"}}`,
		"a list inside":    `{"pallet":"a pallet","method":["a method"],"other":1}`,
		"long":             `{"pallet":"` + strings.Repeat("a", 128) + `"}`,
	} {
		require.Equal(t, 1, readRecent(t, &recent, value, value, after), name) // only the last
	}
	require.Equal(t, 0, readRecent(t, &recent, `"end"`))
	require.Equal(t, 1, readRecent(t, &recent, `"end"`))
}

// Any number of values is read correctly, though few of them are kept.
func TestRecentMany(t *testing.T) {
	var recent jsonscan.Recent[string]
	var values []string
	for i := range 1000 {
		values = append(values, fmt.Sprintf(`{"pallet":"pallet%d","method":"a method"}`, i%500))
	}
	require.Less(t, readRecent(t, &recent, append(values, after)...), 500)
	for i := range 100 { // the same hash: they differ where it does not look
		values[i] = fmt.Sprintf(`{"pallet":"a pallet","method":"a method of number %d"}`, i)
	}
	require.Equal(t, 0, readRecent(t, &recent, values[:100]...))
}

// A text that is kept is not accepted where it is nested too deeply, and nothing is kept after an error.
func TestRecentStrict(t *testing.T) {
	const value = `{"pallet":"system","method":"NewAccount"}`
	var recent jsonscan.Recent[string]
	readRecent(t, &recent, value, after)
	for levels, fits := range map[int]bool{jsonscan.MaxDepth - 1: true, jsonscan.MaxDepth: false} {
		text := strings.Repeat("[", levels) + value + strings.Repeat("]", levels)
		known := false
		err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			for range levels {
				s.Array()
				s.Element()
			}
			if _, known = recent.Next(s); !known {
				s.Skip()
			}
			for range levels {
				s.Element()
			}
		})
		require.Equal(t, fits, known)
		require.Equal(t, fits, err == nil, "%v", err)
	}
	var other jsonscan.Recent[string]
	broken := value[:len(value)-1] + `,` + after + `}`
	require.Error(t, jsonscan.Scan(broken, func(s *jsonscan.Scanner) { other.Keep(s, s.Mark(), s.Value().Raw()) }))
	require.Equal(t, 0, readRecent(t, &other, value, after))
}
