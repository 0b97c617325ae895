package jsonscan_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParse compares what is accepted, and what is read, with encoding/json and
// with an independent check of the stricter rules. The seeds are in testdata.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		want := acceptable(text)
		requireVerdict(t, want, text)
		if want {
			requireSame(t, tree(t, text), parse(t, text))
		}
	})
}

// FuzzText unescapes strings as encoding/json does, and reads back what
// encoding/json escapes.
func FuzzText(f *testing.F) {
	f.Fuzz(func(t *testing.T, inside string) {
		quoted := `"` + inside + `"`
		requireVerdict(t, acceptable(quoted), quoted)
		requireUnescaped(t, quoted)

		if !utf8.ValidString(inside) {
			return
		}
		escaped, err := json.Marshal(inside)
		require.NoError(t, err)
		requireUnescaped(t, string(escaped))
		have, ok := parse(t, string(escaped)).Text()
		require.True(t, ok)
		require.Equal(t, inside, have, "read back from %s", escaped)
	})
}
