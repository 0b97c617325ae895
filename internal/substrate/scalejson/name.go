package scalejson

import (
	"slices"
	"strings"
)

// CamelCase spells a name as polkadot-js does: words begin with a capital but for the first;
// capitals at the beginning of a word become small but for the last, and digits count as such.
// NextFeeMultiplier is nextFeeMultiplier, EVM is evm, XCMExecuted is xcmExecuted.
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

// taken are the names that a field cannot have in polkadot-js.
var taken = []string{"entries", "keys", "new", "size", "hash", "registry"}

// fieldName is the key of a struct's field.
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
