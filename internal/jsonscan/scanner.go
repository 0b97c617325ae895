package jsonscan

import (
	"fmt"
	"strings"
	"sync"
)

// MaxDepth is how deeply arrays and objects may be nested.
const MaxDepth = 512

// MaxKeys is how many keys the objects that are open at one time may have
// together. No answer comes near; it bounds what a hostile one can cost.
const MaxKeys = 1 << 16

// SyntaxError says where and why a text is not acceptable JSON.
type SyntaxError struct {
	Offset int    // in bytes, from the start of the text; of a key that is twice in a large object, the object's end
	Reason string // what was found, or what was expected
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// Scanner reads one JSON text from left to right. Its error is sticky: after
// the first one every method returns its zero value, so that a caller reads
// what it needs and [Scan] tells at the end.
//
//	err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
//		s.Object()
//		for s.Member() {
//			switch s.Key() {
//			case "number":
//				number = s.Value()
//			default:
//				s.Skip()
//			}
//		}
//	})
type Scanner struct {
	text  string
	pos   int
	first bool   // an array or object was just opened: no comma before what follows
	key   string // of the current member
	depth int
	names []name // keys seen so far in all objects that are open
	base  []int  // for each open object or array that is walked, where its keys begin in names
	// proved says that the text is part of one that was scanned before, so that
	// its depth and its keys need no second check.
	proved bool
	err    error
}

// Scan lets read walk a text, and returns the first error: its own, or what is
// wrong with the text, to its end. The scanner is read's until it returns.
func Scan(text string, read func(*Scanner)) error {
	s := scanners.Get().(*Scanner)
	s.text = text
	read(s)
	err := s.end()
	clear(s.names[:cap(s.names)]) // keeps no text alive
	*s = Scanner{names: s.names[:0], base: s.base[:0]}
	if cap(s.names) <= mostKept {
		scanners.Put(s)
	}
	return err
}

// scanners saves the making of a scanner for each of many small texts.
var scanners = sync.Pool{New: func() any {
	return &Scanner{names: make([]name, 0, 48), base: make([]int, 0, 16)}
}}

// mostKept is the number of names that a scanner may have room for and be kept.
const mostKept = 1024

// end checks that nothing but white space is left, and returns the first error.
func (s *Scanner) end() error {
	s.peek()
	nothing := space(s.text, 0) == len(s.text) // and nobody tried to read it
	if s.err == nil && (s.pos < len(s.text) || s.depth > 0 || nothing) {
		s.fail(s.pos, "text after the end of the value")
	}
	return s.err
}

// Object enters an object; [Scanner.Member] walks it.
func (s *Scanner) Object() { s.open('{') }

// Array enters an array; [Scanner.Element] walks it.
func (s *Scanner) Array() { s.open('[') }

// IsObject tells whether an object comes next; nothing is read.
func (s *Scanner) IsObject() bool { return s.peek() == '{' }

// IsArray tells whether an array comes next; nothing is read.
func (s *Scanner) IsArray() bool { return s.peek() == '[' }

// IsString tells whether a string comes next; nothing is read.
func (s *Scanner) IsString() bool { return s.peek() == '"' }

// Literal moves past want if the text goes on with exactly that. It is for callers
// that know how an object is usually written, and read it in literals from its first
// bracket to its last, with a value after each but the last. Want is whole tokens,
// without a comma at the end, such as `},"data":`; levels is how many brackets it
// opens less how many it closes. No key of the object may be in two of its literals;
// they do not count among [MaxKeys]. [Scanner.Mark] and [Scanner.Back] undo a wrong guess.
//
// What would be nested more than [MaxDepth] levels deep is not moved past.
func (s *Scanner) Literal(want string, levels int) bool {
	if !strings.HasPrefix(s.text[s.pos:], want) || s.depth+levels > MaxDepth {
		return false
	}
	s.pos += len(want)
	s.depth += levels
	return true
}

// Mark is a place in a text, inside the object or array where it was taken.
type Mark struct {
	pos   int
	first bool
	depth int
	names int // how many keys were seen
}

// Mark is the place where the scanner is, for [Scanner.Back] and [Scanner.Since].
func (s *Scanner) Mark() Mark { return Mark{s.pos, s.first, s.depth, len(s.names)} }

// Since is the one value that was read since a mark.
func (s *Scanner) Since(m Mark) Value {
	if s.err != nil {
		return Value{}
	}
	return Value{text: strings.TrimRight(s.text[space(s.text, m.pos):s.pos], " \t\r\n")}
}

// Back goes back to a mark inside the same object or array, out of what was entered
// by literals since.
func (s *Scanner) Back(m Mark) {
	if s.err == nil {
		s.pos, s.first, s.depth = m.pos, m.first, m.depth
		s.names = s.names[:m.names]
	}
}

// Member moves to the next member of the object that was entered last. It
// returns false at its end, which leaves the object. Each member's value must
// be read or skipped before the next call.
func (s *Scanner) Member() bool {
	c := s.peek()
	if c == '}' {
		return s.close()
	}
	if !s.first {
		if c != ',' {
			s.failHere("want , or } in an object")
			return false
		}
		s.pos++
		s.peek()
	}
	s.first = false
	base := 0
	if !s.proved {
		base = s.base[len(s.base)-1]
	}
	key, i := s.name(s.pos, base)
	s.key, s.pos = key, i
	return s.err == nil
}

// Key is the current member's name, unescaped.
func (s *Scanner) Key() string { return s.key }

// Element moves to the next element of the array that was entered last. It
// returns false at its end, which leaves the array. Each element must be read
// or skipped before the next call.
func (s *Scanner) Element() bool {
	c := s.peek()
	if c == ']' {
		return s.close()
	}
	if !s.first {
		if c != ',' {
			s.failHere("want , or ] in an array")
			return false
		}
		s.pos++
		if s.peek() == ']' {
			s.failHere("want a value after a comma")
			return false
		}
	}
	s.first = false
	return s.err == nil
}

// Text reads a string and returns what it says, unescaped. It fails where
// another kind of value is.
func (s *Scanner) Text() string {
	if s.peek() != '"' {
		s.failHere("want a string")
		return ""
	}
	start := s.pos
	end, escaped := s.str(start)
	s.pos = end
	return s.inside(start, end, escaped)
}

// Value reads the next value and returns it for later.
func (s *Scanner) Value() Value {
	s.peek()
	start := s.pos
	s.pos = s.skip(start)
	if s.err != nil {
		return Value{}
	}
	return Value{text: s.text[start:s.pos]}
}

// Skip reads the next value and proves that it is well formed.
func (s *Scanner) Skip() {
	s.peek()
	s.pos = s.skip(s.pos)
}

func (s *Scanner) open(c byte) {
	if s.peek() != c {
		if c == '{' {
			s.failHere("want an object")
		} else {
			s.failHere("want an array")
		}
		return
	}
	if !s.deeper(s.pos) {
		return
	}
	s.pos++
	s.first = true
	if !s.proved {
		s.base = append(s.base, len(s.names))
	}
}

// deeper enters one more level of nesting.
func (s *Scanner) deeper(at int) bool {
	if s.depth == MaxDepth {
		s.fail(at, fmt.Sprintf("nested more than %d levels deep", MaxDepth))
		return false
	}
	s.depth++
	return true
}

// close leaves the array or object whose bracket is next. It returns false,
// which is what ends the caller's loop.
func (s *Scanner) close() bool {
	s.first = false
	s.depth--
	if s.proved {
		s.pos++
		return false
	}
	last := len(s.base) - 1
	s.pos = s.forget(s.base[last], s.pos)
	s.base = s.base[:last]
	return false
}

// peek skips white space and returns the next byte, 0 at the end of the text or
// after an error. A 0 byte in the text itself is no part of any JSON token, so
// that it cannot be taken for one.
func (s *Scanner) peek() byte {
	s.pos = space(s.text, s.pos)
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// space is the index of the first byte from i on that is no white space.
func space(text string, i int) int {
	if i < len(text) && text[i] > ' ' {
		return i
	}
	return moreSpace(text, i)
}

func moreSpace(text string, i int) int {
	for i < len(text) {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

func (s *Scanner) failHere(reason string) { s.pos = s.fail(space(s.text, s.pos), reason) }

// fail keeps the first error, and returns the end of the text: nothing more can
// be read.
func (s *Scanner) fail(at int, reason string) int {
	if s.err == nil {
		if at >= len(s.text) {
			at, reason = len(s.text), "the text ends too early"
		}
		s.err = &SyntaxError{Offset: at, Reason: reason}
	}
	s.key = ""
	s.pos = len(s.text)
	return len(s.text)
}
