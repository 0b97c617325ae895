package booking

import (
	"fmt"
	"strings"
)

// windows1252 are the characters of the bytes from 0x80 on that Unicode has elsewhere. A blank is
// a byte without a character.
const windows1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

var toByte = func() map[rune]byte {
	bytes := map[rune]byte{}
	for i, r := range []rune(windows1252) {
		if r != ' ' {
			bytes[r] = byte(0x80 + i)
		}
	}
	return bytes
}()

// toWindows1252 encodes text. A character that Windows-1252 lacks is an error.
func toWindows1252(text string) (string, error) {
	var encoded strings.Builder
	for _, r := range text {
		b, known := byteOf(r)
		if !known {
			return "", fmt.Errorf("the character %q of %q is not in Windows-1252; rename it, or choose another encoding", r, text)
		}
		encoded.WriteByte(b)
	}
	return encoded.String(), nil
}

// inWindows1252 is a text with question marks for the characters that Windows-1252 lacks.
func inWindows1252(text string) string {
	return strings.Map(func(r rune) rune {
		if _, known := byteOf(r); !known {
			return '?'
		}
		return r
	}, text)
}

func byteOf(r rune) (byte, bool) {
	if r < 0x80 || r >= 0xa0 && r <= 0xff {
		return byte(r), true
	}
	b, known := toByte[r]
	return b, known
}
