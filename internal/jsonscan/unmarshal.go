package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Unmarshal parses JSON that a person wrote or may have edited, like [Decode], and rejects unknown keys.
func Unmarshal(text []byte, into any) error { return decode(text, into, true) }

// Decode parses JSON. Unlike encoding/json alone, it rejects duplicate keys, keys of an object that differ only in case
// (encoding/json would use the last one), and trailing text.
func Decode(text []byte, into any) error { return decode(text, into, false) }

func decode(text []byte, into any, strict bool) error {
	v, err := Parse(string(text))
	if err == nil {
		err = v.CheckKeys()
	}
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// CheckKeys rejects objects, at any depth, with keys that differ only in case.
func (v Value) CheckKeys() error {
	s := v.Scanner()
	return s.checkKeys()
}

func (s *Scanner) checkKeys() error {
	switch {
	case s.IsArray():
		s.Array()
		for s.Element() {
			if err := s.checkKeys(); err != nil {
				return err
			}
		}
	case s.IsObject():
		s.Object()
		keys := map[string]string{}
		for s.Member() {
			key := s.Key()
			folded := strings.Map(fold, key)
			if other, found := keys[folded]; found {
				return fmt.Errorf("the keys %q and %q of one object differ only in case. Remove one", Excerpt(other), Excerpt(key))
			}
			keys[folded] = key
			if err := s.checkKeys(); err != nil {
				return err
			}
		}
	default:
		s.Skip()
	}
	return nil
}

// fold returns the smallest letter that is equal to r except for case, as encoding/json compares keys.
func fold(r rune) rune {
	for next := unicode.SimpleFold(r); ; next = unicode.SimpleFold(next) {
		if next <= r {
			return next
		}
		r = next
	}
}
