package wire

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deeply arrays and objects may be nested.
const MaxDepth = 512

// SyntaxError says where and why a text is not acceptable JSON.
type SyntaxError struct {
	Offset int    // in bytes, from the start of the text
	Reason string // what was found, or what was expected
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// Scanner reads one JSON text from left to right. Its error is sticky: after
// the first one every method returns its zero value, so that a caller reads
// what it needs and [Scan] tells at the end.
//
//	err := wire.Scan(text, func(s *wire.Scanner) {
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

// name is a key with its first eight bytes as one word: most keys that differ
// differ there.
type name struct {
	word uint64
	key  string
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

// Err is the first error that was met, a *[SyntaxError], or nil.
func (s *Scanner) Err() error { return s.err }

// end checks that nothing but white space is left, and returns the first error.
func (s *Scanner) end() error {
	s.peek()
	if s.err == nil && s.pos < len(s.text) {
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

// Literal moves past want if the text goes on with exactly that. It is for
// callers that know how a text is usually written: want must be whole tokens
// that leave the nesting as it is, and no key in them may be one that its object
// has elsewhere. [Scanner.Mark] and [Scanner.Back] undo a wrong guess.
func (s *Scanner) Literal(want string) bool {
	if !strings.HasPrefix(s.text[s.pos:], want) {
		return false
	}
	s.pos += len(want)
	return true
}

// Mark is the place where the scanner is, for [Scanner.Back] and [Scanner.Since].
func (s *Scanner) Mark() int { return s.pos }

// Since is the one value that was read since a mark.
func (s *Scanner) Since(mark int) Value {
	if s.err != nil {
		return Value{}
	}
	return Value{text: s.text[mark:s.pos]}
}

// Back goes back to a mark inside the same object or array.
func (s *Scanner) Back(mark int) {
	if s.err == nil {
		s.pos = mark
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
	s.pos++
	s.first = false
	s.depth--
	if !s.proved {
		last := len(s.base) - 1
		s.names = s.names[:s.base[last]]
		s.base = s.base[:last]
	}
	return false
}

// The functions from here on read what begins at text[i] and return the index
// after it, the end of the text after an error.

// skip reads a value.
func (s *Scanner) skip(i int) int {
	text := s.text
	if i >= len(text) {
		return s.fail(i, "the text ends too early")
	}
	switch c := text[i]; c {
	case '"':
		end, _ := s.str(i)
		return end
	case '{':
		return s.skipObject(i)
	case '[':
		return s.skipArray(i)
	case 't':
		return s.word(i, "true")
	case 'f':
		return s.word(i, "false")
	case 'n':
		return s.word(i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return s.number(i)
		}
		return s.fail(i, "want a value")
	}
}

func (s *Scanner) skipObject(i int) int {
	if !s.deeper(i) {
		return len(s.text)
	}
	text := s.text
	base := len(s.names)
	i = space(text, i+1)
	if i < len(text) && text[i] == '}' {
		s.depth--
		return i + 1
	}
	for {
		_, i = s.name(i, base)
		i = space(text, s.skip(space(text, i)))
		if i >= len(text) {
			return s.fail(i, "the text ends inside an object")
		}
		switch text[i] {
		case ',':
			i = space(text, i+1)
		case '}':
			s.names = s.names[:base]
			s.depth--
			return i + 1
		default:
			return s.fail(i, "want , or } in an object")
		}
	}
}

func (s *Scanner) skipArray(i int) int {
	if !s.deeper(i) {
		return len(s.text)
	}
	text := s.text
	i = space(text, i+1)
	if i < len(text) && text[i] == ']' {
		s.depth--
		return i + 1
	}
	for {
		i = space(text, s.skip(i))
		if i >= len(text) {
			return s.fail(i, "the text ends inside an array")
		}
		switch text[i] {
		case ',':
			i = space(text, i+1)
		case ']':
			s.depth--
			return i + 1
		default:
			return s.fail(i, "want , or ] in an array")
		}
	}
}

// name reads a key and its colon, and refuses a key that the object has already,
// whose keys begin at base in names.
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
	for k := base; k < len(s.names); k++ {
		if s.names[k].word == n.word && s.names[k].key == n.key {
			return "", s.fail(i, fmt.Sprintf("key %q twice in one object", Excerpt(n.key)))
		}
	}
	s.names = append(s.names, n)
	return n.key, colon + 1
}

// shortName reads a key of less than eight plain ASCII characters, as most are.
// End is 0 where the key is another, and nothing was read.
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

// firstWord is the first eight bytes of a key, padded with zeros.
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

// inside is what a string from start to end says.
func (s *Scanner) inside(start, end int, escaped bool) string {
	switch {
	case s.err != nil:
		return ""
	case escaped:
		return unescape(s.text[start+1 : end-1])
	}
	return s.text[start+1 : end-1]
}

// str reads a string, and tells whether it has escapes.
func (s *Scanner) str(start int) (end int, escaped bool) {
	text := s.text
	i := start + 1
	var wide uint64 // has a high bit where a byte above 0x7f was met
	for {
		// Eight bytes at a time: the lowest mark is the first byte that is a
		// quote, a backslash or a control character. (A borrow can set false
		// marks, but only above a true one.)
		for {
			if i+8 > len(text) {
				for i < len(text) && !ends(text[i]) {
					wide |= uint64(text[i])
					i++
				}
				break
			}
			x := load(text, i)
			if stops := marks(x); stops != 0 {
				wide |= x & (stops ^ (stops - 1)) // the bytes before the first mark
				i += bits.TrailingZeros64(stops) >> 3
				break
			}
			wide |= x
			i += 8
		}
		if i >= len(text) {
			return s.fail(i, "the text ends inside a string"), escaped
		}
		switch text[i] {
		case '"':
			if wide&highBits != 0 && !utf8.ValidString(text[start:i]) {
				return s.fail(start, "a string that is not UTF-8"), escaped
			}
			return i + 1, escaped
		case '\\':
			n := escapeLength(text[i:])
			if n == 0 {
				return s.fail(i, "a backslash that begins no escape"), escaped
			}
			escaped = true
			i += n
		default:
			return s.fail(i, "a control character inside a string"), escaped
		}
	}
}

// ends tells whether a byte ends a run of plain text in a string.
func ends(c byte) bool { return c == '"' || c == '\\' || c < ' ' }

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

func load(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// marks sets the high bit of each byte of x that [ends] a run of plain text. A
// byte b below 0x80 is a quote (0x22) or below 0x20 exactly when b^2 < 0x21.
func marks(x uint64) uint64 {
	quoteOrControl := (x ^ 0x02*lowBits) - 0x21*lowBits
	backslash := (x ^ '\\'*lowBits) - lowBits
	return (quoteOrControl | backslash) &^ x & highBits
}

// escapeLength is the length of the escape that text begins with, 0 if none. A
// surrogate must have its other half: alone it names no character.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(text)
		switch {
		case !ok:
			return 0
		case !utf16.IsSurrogate(r):
			return 6
		}
		low, ok := hex4(text[6:])
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return 0
		}
		return 12
	}
	return 0
}

// hex4 reads \uXXXX.
func hex4(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unescape returns what the inside of a string says that was already proved.
func unescape(inside string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(inside, '\\')
		if i < 0 {
			b.WriteString(inside)
			return b.String()
		}
		b.WriteString(inside[:i])
		n := escapeLength(inside[i:])
		switch c := inside[i+1]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, _ := hex4(inside[i:])
			if n == 12 {
				low, _ := hex4(inside[i+6:])
				r = utf16.DecodeRune(r, low)
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
		inside = inside[i+n:]
	}
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *Scanner) number(i int) int {
	text := s.text
	if text[i] == '-' {
		i++
	}
	whole := digits(text, i)
	if whole == i || text[i] == '0' && whole > i+1 {
		return s.fail(i, "a malformed number")
	}
	i = whole
	if i < len(text) && text[i] == '.' {
		if i = digits(text, i+1); text[i-1] == '.' {
			return s.fail(i, "a malformed number")
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		end := digits(text, i)
		if end == i {
			return s.fail(i, "a malformed number")
		}
		i = end
	}
	return i
}

func digits(text string, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

func (s *Scanner) word(i int, want string) int {
	if !strings.HasPrefix(s.text[i:], want) {
		return s.fail(i, "want a value")
	}
	return i + len(want)
}

func (s *Scanner) failHere(reason string) { s.pos = s.fail(s.pos, reason) }

// fail keeps the first error, and returns the end of the text: nothing more can
// be read.
func (s *Scanner) fail(at int, reason string) int {
	if s.err == nil {
		if at >= len(s.text) {
			at, reason = len(s.text), "the text ends too early"
		}
		s.err = &SyntaxError{Offset: at, Reason: reason}
	}
	s.pos = len(s.text)
	return len(s.text)
}
