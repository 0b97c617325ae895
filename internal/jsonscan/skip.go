package jsonscan

import "strings"

// The functions here read what begins at text[i] and return the index after it, or the end of the text after an
// error.

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
			s.depth--
			return s.forget(base, i)
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
			if i = space(text, i+1); i < len(text) && text[i] == ']' {
				return s.fail(i, "want a value after a comma")
			}
		case ']':
			s.depth--
			return i + 1
		default:
			return s.fail(i, "want , or ] in an array")
		}
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
