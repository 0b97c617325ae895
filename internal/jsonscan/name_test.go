package jsonscan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// A key twice is found whatever the number of keys around it: few are compared as they
// come, many at the end of their object. Keys of the objects around do not count, and
// keep counting in their own.
func TestKeysTwiceAmongFewAndMany(t *testing.T) {
	object := func(keys ...string) string {
		for i, key := range keys {
			keys[i] = `"` + key + `":0`
		}
		return "{" + strings.Join(keys, ",") + "}"
	}
	list := func(n int) (keys []string) {
		for i := range n {
			keys = append(keys, fmt.Sprintf("key%d", i))
		}
		return keys
	}
	for _, n := range []int{1, 2, 62, 63, 64, 65, 66, 130} {
		_, err := jsonscan.Parse(object(list(n)...))
		require.NoError(t, err, n)
		for _, first := range []int{0, n / 2, n - 1} {
			text := object(append(list(n), list(n)[first])...)
			want := fmt.Sprintf("key %q twice in one object", list(n)[first])
			for _, around := range []string{"%s", `{"key0":%s,"key1":1}`, `[{"key0":[%s]}]`} {
				_, err := jsonscan.Parse(fmt.Sprintf(around, text))
				require.ErrorContains(t, err, want, "%d keys in %s", n, around)
			}
		}
		inner := object(list(n)...)
		_, err = jsonscan.Parse(fmt.Sprintf(`{"key0":%s,"key1":%s}`, inner, inner))
		require.NoError(t, err, n)
		_, err = jsonscan.Parse(fmt.Sprintf(`{"key0":%s,"key1":%s,"key0":1}`, inner, inner))
		require.ErrorContains(t, err, `key "key0" twice in one object`, n)
	}
}
