package jsonscan

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// inside returns the content of a string from start to end.
func (s *Scanner) inside(start, end int, escaped bool) string {
	switch {
	case s.err != nil:
		return ""
	case escaped:
		return unescape(s.text[start+1 : end-1])
	}
	return s.text[start+1 : end-1]
}

// str reads a string, and reports whether it contains escapes.
func (s *Scanner) str(start int) (end int, escaped bool) {
	text := s.text
	i := start + 1
	if s.proved { // only its end is unknown
		if n := strings.IndexByte(text[i:], '"'); n >= 0 && strings.IndexByte(text[i:i+n], '\\') < 0 {
			return i + n + 1, false
		}
	}
	var wide uint64 // has a high bit for each byte above 0x7f
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

// ends reports whether a byte ends a run of plain text in a string.
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

// marks sets the high bit of each byte of x that [ends] a run of plain text. A byte b below 0x80 is a quote (0x22) or below
// 0x20 exactly if b^2 < 0x21.
func marks(x uint64) uint64 {
	quoteOrControl := (x ^ 0x02*lowBits) - 0x21*lowBits
	backslash := (x ^ '\\'*lowBits) - lowBits
	return (quoteOrControl | backslash) &^ x & highBits
}

// escapeLength returns the length of the escape at the beginning of text, 0 if there is none. A single surrogate, without its
// other half, is invalid.
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

// unescape returns the content of a string whose escapes were already checked.
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

// Sized returns the content of a string of exactly length bytes, if such a string seems to come next: a byte at its end is a
// quote. [Scanner.Pass] moves past it. The caller must check before that none of the bytes is a quote, a backslash, a control
// character or outside of ASCII.
func (s *Scanner) Sized(length int) (text string, ok bool) {
	s.peek()
	end := s.pos + 1 + length
	if end >= len(s.text) || s.text[s.pos] != '"' || s.text[end] != '"' {
		return "", false
	}
	return s.text[s.pos+1 : end], true
}

// Pass moves past a string that [Scanner.Sized] returned.
func (s *Scanner) Pass(sized string) { s.pos += len(sized) + 2 }

// maxDecimal is the number of decimal digits of which each combination has less than 64 bits.
const maxDecimal = 19

// powersOfTen are those of the digits in a word.
var powersOfTen = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// Decimal moves past a string of 1 to 19 decimal digits and returns its number. If something else comes next, or the text
// ends soon after it, ok is false and nothing is read.
func (s *Scanner) Decimal() (n uint64, ok bool) {
	if s.peek() != '"' {
		return 0, false
	}
	start := s.pos + 1
	for i := start; i+8 <= len(s.text) && i < start+24; i += 8 {
		x := load(s.text, i) ^ '0'*lowBits // digits are now 0 to 9
		// The lowest mark is the first byte that is not a digit. (A carry can set false marks, but only above a true one.)
		count := bits.TrailingZeros64((x+(0x80-10)*lowBits|x)&highBits) >> 3
		x <<= 64 - 8*count // zeros before the digits
		x = x * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
		x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
		n = n*powersOfTen[count] + x*(10000<<32+1)>>32
		if count < 8 {
			end := i + count
			if end == start || end > start+maxDecimal || s.text[end] != '"' {
				return 0, false
			}
			s.pos = end + 1
			return n, true
		}
	}
	return 0, false
}
