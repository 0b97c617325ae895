package rpc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// readList parses an array, with read for each element. Its errors continue the array's name: "[3]: …" or ": …".
func readList[T any](v jsonscan.Value, read func(jsonscan.Value) (T, error)) ([]T, error) {
	return readAtMost(math.MaxInt, v, read)
}

// readAtMost is readList with a limit on the number of elements.
func readAtMost[T any](count int, v jsonscan.Value, read func(jsonscan.Value) (T, error)) ([]T, error) {
	if v.Kind() != jsonscan.Array {
		return nil, fmt.Errorf(": want an array, have %v", v.Kind())
	}
	list := []T{}
	for element := range v.Elements() {
		if len(list) == count {
			return nil, fmt.Errorf(": want %d elements at most", count)
		}
		item, err := read(element)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", len(list), err)
		}
		list = append(list, item)
	}
	return list, nil
}

func readText(v jsonscan.Value) (string, error) {
	text, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("want a string, have %v", v.Kind())
	}
	return text, nil
}

var errNotHex = errors.New("want 0x and pairs of hex digits")

// decodeHex parses bytes in 0x-hex.
func decodeHex(v jsonscan.Value) ([]byte, error) {
	text, err := readText(v)
	if err != nil {
		return nil, err
	}
	digits, prefixed := strings.CutPrefix(text, "0x")
	bytes, err := hex.DecodeString(digits)
	if err != nil || !prefixed {
		return nil, errNotHex
	}
	return bytes, nil
}

// isHex reports whether text is bytes in 0x-hex.
func isHex(text string) bool {
	digits, prefixed := strings.CutPrefix(text, "0x")
	return prefixed && len(digits)%2 == 0 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}
