package finality

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// present reports whether a member has a value.
func present(v jsonscan.Value) bool { return v.Kind() != jsonscan.Absent && v.Kind() != jsonscan.Null }

// readBytes reads 0x-hex.
func readBytes(v jsonscan.Value) ([]byte, error) {
	text, ok := v.Text()
	digits, prefixed := strings.CutPrefix(text, "0x")
	if !ok || !prefixed {
		return nil, fmt.Errorf("want bytes in 0x-hex, have %s", excerpt(v))
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("want bytes in 0x-hex: %w", err)
	}
	return b, nil
}

func excerpt(v jsonscan.Value) string {
	if v.Kind() == jsonscan.Absent {
		return "nothing"
	}
	return jsonscan.Excerpt(v.Raw())
}

// readNumber reads an integer of at most that many bits, as a number or as a string.
func readNumber(v jsonscan.Value, bits int) (uint64, error) {
	text, ok := v.Text()
	if !ok {
		text = v.Raw()
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("want an integer from 0 to 2^%d-1, have %s", bits, excerpt(v))
	}
	return n, nil
}

func readHash(v jsonscan.Value) (chain.Hash, error) {
	text, _ := v.Text()
	return chain.ParseHash(text)
}

func readHeader(v jsonscan.Value) (*header.Header, error) {
	b, err := readBytes(v)
	if err != nil {
		return nil, err
	}
	h, err := header.Read(b)
	return &h, err
}

func readHeaders(v jsonscan.Value) (list []*header.Header, err error) {
	if present(v) && v.Kind() != jsonscan.Array {
		return nil, fmt.Errorf("want an array of headers, have %s", excerpt(v))
	}
	for element := range v.Elements() {
		h, err := readHeader(element)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", len(list), err)
		}
		list = append(list, h)
	}
	return list, nil
}

func readJustification(v jsonscan.Value) (*grandpa.Justification, error) {
	b, err := readBytes(v)
	if err != nil {
		return nil, err
	}
	return grandpa.ReadJustification(b)
}

// readProof reads a response of state_getReadProof, and the block that it names, if any.
func readProof(v jsonscan.Value) (p *trie.Proof, at chain.Optional[chain.Hash], err error) {
	if p, err = trie.ParseProof(v.Raw()); err != nil {
		return nil, at, err
	}
	if result := v.Member("result"); present(result) {
		v = result
	}
	if named := v.Member("at"); present(named) {
		hash, err := readHash(named)
		if err != nil {
			return nil, at, fmt.Errorf("at: %w", err)
		}
		at = chain.Some(hash)
	}
	return p, at, nil
}

// named adds a member's name to an error.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
