package trietest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/trietest"
)

// Setting keys of a clone does not affect other tries, in any order: each is as if built separately.
func TestClonesAreByThemselves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type made struct {
		trie *trietest.Trie
		has  map[string]string
	}
	for layout := range 2 {
		tries := []made{{trietest.New(layout), map[string]string{}}}
		for range 300 {
			from := tries[random.IntN(len(tries))]
			next := made{from.trie.Clone(), map[string]string{}}
			for key, value := range from.has {
				next.has[key] = value
			}
			for range random.IntN(5) {
				key := make([]byte, random.IntN(4))
				for i := range key {
					key[i] = byte(random.IntN(3)) << (4 * random.IntN(2))
				}
				value := fmt.Sprintf("%0*d", random.IntN(60), random.IntN(100))
				next.trie.Set(key, []byte(value))
				next.has[string(key)] = value
			}
			if random.IntN(2) == 0 {
				next.trie.Root()
			}
			tries = append(tries, next)
		}
		for _, m := range tries {
			again := trietest.New(layout)
			for key, value := range m.has {
				again.Set([]byte(key), []byte(value))
				require.Equal(t, value, string(m.trie.Get([]byte(key))))
			}
			require.Equal(t, again.Root(), m.trie.Root())
			require.Nil(t, m.trie.Get([]byte("nonesuch")))
		}
	}
}
