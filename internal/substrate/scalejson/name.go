package scalejson

import (
	"slices"
	"strings"
)

// CamelCase spells a name as polkadot-js does: words start with a capital except the first; capitals at the
// start of a word become lower case except the last, and digits count as capitals. NextFeeMultiplier becomes
// nextFeeMultiplier, EVM becomes evm, XCMExecuted becomes xcmExecuted.
func CamelCase(name string) string {
	var b strings.Builder
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_., ", r) }) {
		word = lowerCapitals(word)
		if i == 0 {
			b.WriteByte(lower(word[0]))
		} else {
			b.WriteByte(upper(word[0]))
		}
		b.WriteString(word[1:])
	}
	return b.String()
}

func lowerCapitals(word string) string {
	capitals := 0
	for capitals < len(word) && (word[capitals] >= '0' && word[capitals] <= '9' || word[capitals] >= 'A' && word[capitals] <= 'Z') {
		capitals++
	}
	if capitals == len(word) {
		return strings.ToLower(word)
	}
	if word[capitals] < 'a' || word[capitals] > 'z' {
		capitals++
	}
	if capitals < 3 {
		return word
	}
	letters := []byte(word)
	for i := range capitals - 1 {
		letters[i] = lower(letters[i])
	}
	return string(letters)
}

func lower(letter byte) byte {
	if letter >= 'A' && letter <= 'Z' {
		return letter - 'A' + 'a'
	}
	return letter
}

func upper(letter byte) byte {
	if letter >= 'a' && letter <= 'z' {
		return letter - 'a' + 'A'
	}
	return letter
}

// taken are the field names that polkadot-js reserves.
var taken = []string{"entries", "keys", "new", "size", "hash", "registry"}

// fieldName returns the key of a struct's field.
func fieldName(name string) string {
	name = CamelCase(name)
	if strings.Contains(name, "#") {
		return strings.ReplaceAll(name, "#", "_")
	}
	if slices.Contains(taken, name) {
		return name + "_"
	}
	return name
}
