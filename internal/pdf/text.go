package pdf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// clean returns text as one line of characters that a page can show. Control characters, characters that change the
// direction of others, and invalid ones become the replacement character.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r != '\u00a0':
			return ' '
		case unicode.Is(unicode.C, r), r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
			return utf8.RuneError
		}
		return r
	}, text)
}

// textString returns text as a string object. It needs no escaping, because it is in hexadecimal digits.
func textString(text string) string {
	var hex strings.Builder
	hex.WriteString("<FEFF")
	for _, unit := range utf16.Encode([]rune(clean(text))) {
		fmt.Fprintf(&hex, "%04X", unit)
	}
	return hex.String() + ">"
}

// points returns a length in points.
func points(length int) string {
	if length < 0 {
		return "-" + points(-length)
	}
	text := fmt.Sprintf("%d.%03d", length/1000, length%1000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// ellipsis marks text that is cut.
const ellipsis = "…"

// wrap breaks text into at most limit lines of a width, at spaces if possible, and reports whether it cut the text. A
// line keeps the space that it is broken at.
func (f *face) wrap(text string, size, width, limit int) (lines []string, cut bool) {
	text = strings.Trim(clean(text), " ")
	f.note(text)
	for text != "" {
		end := f.fitting(text, size, width)
		if end == len(text) {
			return append(lines, text), false
		}
		if space := strings.LastIndexByte(text[:end], ' '); space > 0 {
			end = space + 1
		} else if text[end] == ' ' {
			end++
		}
		if len(lines) == limit-1 {
			for end > 0 && f.width(text[:end]+ellipsis, size) > width {
				_, last := utf8.DecodeLastRuneInString(text[:end])
				end -= last
			}
			return append(lines, text[:end]+ellipsis), true
		}
		lines, text = append(lines, text[:end]), strings.TrimLeft(text[end:], " ")
	}
	return lines, false
}

// fitting returns the length of the longest beginning of text that fits in a width, at least one character.
func (f *face) fitting(text string, size, width int) int {
	sum := 0
	for i, r := range text {
		if sum += f.advance(r); i > 0 && f.scaled(sum, size) > width {
			return i
		}
	}
	return len(text)
}

// cut shortens text to one line of a width.
func (f *face) cut(text string, size, width int) string {
	lines, _ := f.wrap(text, size, width, 1)
	return strings.Join(lines, "")
}
