package jsonscan

import (
	"iter"
	"strings"

	"github.com/feeledger/fees/internal/failure"
)

// Kind is the type of a value.
type Kind uint8

// The kinds of JSON values, and Absent for a missing value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "a bool", "a number", "a string", "an array", "an object"}

// String returns the kind for an error message: "a string".
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value that was checked to be well formed, or that was constructed ([OfMember]). The zero Value is absent;
// looking into it, or into a value of another kind, gives absent values, so that a chain of look-ups needs only one
// check.
type Value struct{ text string }

// Parse checks that text is one JSON value and returns it.
func Parse(text string) (Value, error) {
	var v Value
	if err := Scan(text, func(s *Scanner) { v = s.Value() }); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Scanner returns a scanner of the value that skips the checks already made. It is for readers of many parts of a
// value.
func (v Value) Scanner() Scanner { return Scanner{text: v.text, proved: true} }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if v.text == "" {
		return Absent
	}
	switch v.text[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	default:
		return Number
	}
}

// Raw returns the value's JSON text as it was sent; "" if absent.
func (v Value) Raw() string { return v.text }

// Text returns a string unescaped; ok is false for any other kind.
func (v Value) Text() (text string, ok bool) {
	if v.text == "" || v.text[0] != '"' {
		return "", false
	}
	inside := v.text[1 : len(v.text)-1]
	if strings.IndexByte(inside, '\\') >= 0 {
		return unescape(inside), true
	}
	return inside, true
}

// Bool returns the value of a bool; ok is false for any other kind.
func (v Value) Bool() (value, ok bool) {
	return v.text == "true", v.Kind() == Bool
}

// Member returns the object's member with a name, absent if there is none.
func (v Value) Member(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	s := v.Scanner()
	for s.Object(); s.Member(); {
		if s.key == name {
			return s.Value()
		}
		s.Skip()
	}
	return Value{}
}

// Index returns the array's element i, counted from 0, absent if there is none.
func (v Value) Index(i int) Value {
	n := 0
	for element := range v.Elements() {
		if n == i {
			return element
		}
		n++
	}
	return Value{}
}

// Only returns the only member of an object that has exactly one.
func (v Value) Only() (key string, member Value, ok bool) {
	n := 0
	for k, m := range v.Members() {
		key, member = k, m
		n++
	}
	if n != 1 {
		return "", Value{}, false
	}
	return key, member, true
}

// Members yields an object's members in order; nothing for another kind.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		s := v.Scanner()
		s.Object()
		for s.Member() {
			key := s.key // reading a nested object changes it
			if !yield(key, s.Value()) {
				return
			}
		}
	}
}

// Elements yields an array's elements in order; nothing for another kind.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		s := v.Scanner()
		s.Array()
		for s.Element() {
			if !yield(s.Value()) {
				return
			}
		}
	}
}

// Excerpt is [failure.Excerpt].
func Excerpt(text string) string { return failure.Excerpt(text) }
