package jsonscan

import (
	"iter"
	"strings"
)

// Kind is what a value is.
type Kind uint8

// The kinds of JSON values, and Absent for a value that is not there.
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

// String names the kind as an error message does: "a string".
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value that was proved to be well formed, or one that was made
// ([OfObject]). The zero Value is one that is absent; looking into it, or into a value of another kind, gives
// absent values again, so that a chain of look-ups needs one check at its end.
type Value struct{ text string }

// Parse proves that text is one JSON value and returns it.
func Parse(text string) (Value, error) {
	var v Value
	if err := Scan(text, func(s *Scanner) { v = s.Value() }); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Scanner walks the value, which it need not prove again. It is for readers that
// want many of a value's parts in one go.
func (v Value) Scanner() Scanner { return Scanner{text: v.text, proved: true} }

// Kind tells what the value is.
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

// Raw is the value's JSON text as it was sent; "" for an absent one.
func (v Value) Raw() string { return v.text }

// Text is what a string says, unescaped; ok is false for any other kind.
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

// Bool is a bool's value; ok is false for any other kind.
func (v Value) Bool() (value, ok bool) {
	return v.text == "true", v.Kind() == Bool
}

// Member is the object's member of that name, absent if there is none.
func (v Value) Member(name string) Value {
	for key, member := range v.Members() {
		if key == name {
			return member
		}
	}
	return Value{}
}

// Index is the array's element i, counted from 0, absent if there is none.
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

// Only is the one member of an object that has exactly one.
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

// Members walks an object's members in their order; nothing for another kind.
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

// Elements walks an array's elements in their order; nothing for another kind.
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

// Excerpt is text that came from outside, short enough to quote in a message.
func Excerpt(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
