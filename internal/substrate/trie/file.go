package trie

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// ParseProof parses a proof stored as JSON: a complete JSON-RPC response of state_getReadProof, its result,
// any object whose member proof contains the parts, the array of parts, or an array of any of these, whose
// parts are combined.
func ParseProof(text string) (*Proof, error) {
	v, err := jsonscan.Parse(text)
	if err != nil {
		return nil, err
	}
	parts, err := appendParts(nil, v, deepest)
	if err != nil {
		return nil, err
	}
	return NewProof(parts), nil
}

// deepest is the maximum nesting of a proof: an array of responses, each with its result, which contains the
// array of parts.
const deepest = 4

var errNoProof = errors.New("want a response of state_getReadProof, or an array of nodes in 0x-hex")

// appendParts appends the parts in a value of at most that many levels.
func appendParts(to [][]byte, v jsonscan.Value, levels int) (_ [][]byte, err error) {
	switch kind := v.Kind(); {
	case levels == 0:
		return nil, fmt.Errorf("%w: have one inside others", errNoProof)
	case kind == jsonscan.Object:
		if failure := v.Member("error"); failure.Kind() != jsonscan.Absent && failure.Kind() != jsonscan.Null {
			return nil, fmt.Errorf("the response is an error: %s", jsonscan.Excerpt(failure.Raw()))
		}
		for _, name := range []string{"result", "proof"} {
			if inside := v.Member(name); inside.Kind() != jsonscan.Absent {
				return appendParts(to, inside, levels-1)
			}
		}
		return nil, fmt.Errorf("%w: have an object without result and proof", errNoProof)
	case kind == jsonscan.Array:
		for element := range v.Elements() {
			if element.Kind() != jsonscan.String {
				to, err = appendParts(to, element, levels-1)
			} else {
				to, err = appendPart(to, element)
			}
			if err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("%w: have %s", errNoProof, jsonscan.Excerpt(v.Raw()))
}

func appendPart(to [][]byte, v jsonscan.Value) ([][]byte, error) {
	text, _ := v.Text()
	digits, prefixed := strings.CutPrefix(text, "0x")
	part, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, fmt.Errorf("%w: node %d is %s", errNoProof, len(to), jsonscan.Excerpt(v.Raw()))
	}
	return append(to, part), nil
}
