package jsonscan

import (
	"fmt"
	"strings"
	"sync"
)

// MaxDepth limits the nesting of arrays and objects.
const MaxDepth = 512

// MaxKeys limits the total number of keys in open objects. It bounds the cost of a hostile answer; real answers stay far
// below.
const MaxKeys = 1 << 16

// SyntaxError states where and why a text is not acceptable JSON.
type SyntaxError struct {
	Offset int    // in bytes from the start of the text; for a duplicate key in a large object, the end of the object
	Reason string // what was found or expected
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// Scanner reads one JSON text from left to right. Its error is sticky: after the first one every method returns its
// zero value, so a caller reads what it needs and gets the error from [Scan].
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
	first bool   // an array or object was just opened: no comma comes next
	key   string // of the current member
	depth int
	names []name // keys of all open objects
	base  []int  // for each open object or array, where its keys begin in names
	// proved means that the text is part of one that was scanned before, so its depth and keys need no second check.
	proved bool
	err    error
}

// Scan calls read with a scanner of text, and returns the first error, be it from read or in the rest of the text. The
// scanner is valid only until read returns.
func Scan(text string, read func(*Scanner)) error {
	s := scanners.Get().(*Scanner)
	s.text = text
	read(s)
	err := s.end()
	clear(s.names[:cap(s.names)]) // releases the text
	*s = Scanner{names: s.names[:0], base: s.base[:0]}
	if cap(s.names) <= maxKept {
		scanners.Put(s)
	}
	return err
}

// scanners pools scanners for many small texts.
var scanners = sync.Pool{New: func() any {
	return &Scanner{names: make([]name, 0, 48), base: make([]int, 0, 16)}
}}

// maxKept limits the capacity for names of a pooled scanner.
const maxKept = 1024

// end checks that only white space is left, and returns the first error.
func (s *Scanner) end() error {
	s.peek()
	nothing := space(s.text, 0) == len(s.text) // and read has not tried to read it
	if s.err == nil && (s.pos < len(s.text) || s.depth > 0 || nothing) {
		s.fail(s.pos, "text after the end of the value")
	}
	return s.err
}

// Object enters an object; [Scanner.Member] walks it.
func (s *Scanner) Object() { s.open('{') }

// Array enters an array; [Scanner.Element] walks it.
func (s *Scanner) Array() { s.open('[') }

// IsObject reports whether an object comes next; it reads nothing.
func (s *Scanner) IsObject() bool { return s.peek() == '{' }

// IsArray reports whether an array comes next; it reads nothing.
func (s *Scanner) IsArray() bool { return s.peek() == '[' }

// IsString reports whether a string comes next; it reads nothing.
func (s *Scanner) IsString() bool { return s.peek() == '"' }

// Literal moves past want if the text continues with exactly that. It is for callers that know how an object is usually
// written, and read it in literals from the first bracket to the last, with a value after each but the last. Want consists
// of whole tokens, without a comma at the end, such as `},"data":`; levels is the number of brackets it opens minus those
// it closes. No key of the object may appear in two of its literals; they do not count toward [MaxKeys]. [Scanner.Mark]
// and [Scanner.Back] undo a wrong guess.
//
// Literal does not move past anything nested more than [MaxDepth] levels deep.
func (s *Scanner) Literal(want string, levels int) bool {
	if !strings.HasPrefix(s.text[s.pos:], want) || s.depth+levels > MaxDepth {
		return false
	}
	s.pos += len(want)
	s.depth += levels
	return true
}

// Mark is a position in a text, inside the object or array where it was taken.
type Mark struct {
	pos   int
	first bool
	depth int
	names int // number of keys at the mark
	base  int // number of open objects and arrays, except those that literals entered
}

// Mark returns the current position, for [Scanner.Back] and [Scanner.Since].
func (s *Scanner) Mark() Mark { return Mark{s.pos, s.first, s.depth, len(s.names), len(s.base)} }

// Since returns the value read since a mark.
func (s *Scanner) Since(m Mark) Value {
	if s.err != nil {
		return Value{}
	}
	return Value{text: strings.TrimRight(s.text[space(s.text, m.pos):s.pos], " \t\r\n")}
}

// Back returns to a mark in an object or array that is still open, leaving what was entered since.
func (s *Scanner) Back(m Mark) {
	if s.err == nil {
		s.pos, s.first, s.depth = m.pos, m.first, m.depth
		s.names, s.base = s.names[:m.names], s.base[:m.base]
	}
}

// Member moves to the next member of the innermost object. At its end, it returns false and leaves the object. Each
// member's value must be read or skipped before the next call.
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

// Key returns the current member's name, unescaped.
func (s *Scanner) Key() string { return s.key }

// Element moves to the next element of the innermost array. At its end, it returns false and leaves the array. Each
// element must be read or skipped before the next call.
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

// Text reads a string and returns it unescaped. It fails for another kind of value.
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

// Value reads the next value for later use.
func (s *Scanner) Value() Value {
	s.peek()
	start := s.pos
	s.pos = s.skip(start)
	if s.err != nil {
		return Value{}
	}
	return Value{text: s.text[start:s.pos]}
}

// Skip reads the next value and checks that it is well formed.
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

// close leaves the array or object whose bracket is next. It returns false, to end the caller's loop.
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

// peek skips white space and returns the next byte, or 0 at the end of the text or after an error. A 0 byte in the
// text is not part of any JSON token, so there is no ambiguity.
func (s *Scanner) peek() byte {
	s.pos = space(s.text, s.pos)
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// space returns the index of the first byte from i on that is not white space.
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

// fail records the first error, and returns the end of the text, so that nothing more is read.
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
