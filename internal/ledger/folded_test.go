package ledger

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// Texts that are equal in other letter cases, and only those, are folded to the same text.
func TestFolded(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		one, other := string(r), string(unicode.SimpleFold(r))
		if folded(one) != folded(other) || !strings.EqualFold(one, folded(one)) {
			require.Fail(t, "not folded", "%U", r)
		}
	}
	texts := []string{"", "k", "K", "\u212a", "s", "ſ", "ß", "ẞ", "ss", "İ", "i", "ı", "I", "σ", "ς", "Σ", "\xff", "\ufffd", "a.\xfe", "A.\xff", "balances.transfer", "Balances.Transfer"}
	for _, one := range texts {
		for _, other := range texts {
			require.Equal(t, strings.EqualFold(one, other), folded(one) == folded(other), "%q and %q", one, other)
		}
	}
}
