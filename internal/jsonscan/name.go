package jsonscan

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// name is a key with its first eight bytes as one word, in which most different keys differ.
type name struct {
	word uint64
	key  string
}

// name reads a key and its colon, and rejects a key that the object already contains; the object's keys begin at base in
// names.
func (s *Scanner) name(i, base int) (key string, end int) {
	text := s.text
	if i >= len(text) || text[i] != '"' {
		return "", s.fail(i, "want a key in quotes")
	}
	n, end := s.shortName(i)
	if end == 0 {
		var escaped bool
		end, escaped = s.str(i)
		n.key = s.inside(i, end, escaped)
		n.word = firstWord(n.key)
	}
	colon := end
	if colon >= len(text) || text[colon] != ':' {
		colon = space(text, colon)
		if colon >= len(text) || text[colon] != ':' {
			return "", s.fail(colon, "want : after a key")
		}
	}
	if s.proved {
		return n.key, colon + 1
	}
	if len(s.names) == MaxKeys {
		return "", s.fail(i, fmt.Sprintf("more than %d keys in objects that are open", MaxKeys))
	}
	if len(s.names) < base+fewKeys {
		for k := base; k < len(s.names); k++ {
			if s.names[k].word == n.word && s.names[k].key == n.key {
				return "", s.failTwice(i, n.key)
			}
		}
	}
	s.names = append(s.names, n)
	return n.key, colon + 1
}

// fewKeys is the number of keys of an object that are compared as they are read. In an object with more, all are compared
// at its end.
const fewKeys = 64

// forget drops the keys of an object whose last byte is text[i].
func (s *Scanner) forget(base, i int) int {
	if len(s.names) > base+fewKeys {
		names := s.names[base:]
		slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.key, b.key) })
		for k := range names[1:] {
			if names[k].key == names[k+1].key {
				return s.failTwice(i, names[k].key)
			}
		}
	}
	s.names = s.names[:base]
	return i + 1
}

func (s *Scanner) failTwice(i int, key string) int {
	return s.fail(i, fmt.Sprintf("key %q twice in one object", Excerpt(key)))
}

// shortName reads a key of less than eight plain ASCII characters, as most are. End is 0 for any other key; nothing is
// read then.
func (s *Scanner) shortName(i int) (n name, end int) {
	start := i + 1
	if start+8 > len(s.text) {
		return name{}, 0
	}
	x := load(s.text, start)
	stops := marks(x)
	before := stops ^ (stops - 1) // the bits up to the first mark
	length := bits.TrailingZeros64(stops) >> 3
	if stops == 0 || x&before&highBits != 0 || s.text[start+length] != '"' {
		return name{}, 0
	}
	return name{x & (before >> 8), s.text[start : start+length]}, start + length + 1
}

// firstWord returns the first eight bytes of a key, padded with zeros.
func firstWord(key string) uint64 {
	if len(key) >= 8 {
		return load(key, 0)
	}
	var word uint64
	for i := range len(key) {
		word |= uint64(key[i]) << (8 * i)
	}
	return word
}
