package reconcile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how a csv file writes its characters.
type Encoding string

const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le" // which the beginning of the file shows
	UTF16BE     Encoding = "utf-16be" // likewise
	Windows1252 Encoding = "windows-1252"
)

// marks stand at the beginning of a file, and tell its encoding.
var marks = []struct {
	encoding Encoding
	mark     string
}{{UTF8, "\xef\xbb\xbf"}, {UTF16LE, "\xff\xfe"}, {UTF16BE, "\xfe\xff"}}

// encodingOf returns the encoding of a file by its mark, which is taken off, or else the declared
// one, or UTF-16 where the file begins so.
func encodingOf(in *bufio.Reader, declared Encoding) (encoding Encoding, mark string, err error) {
	start, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", err
	}
	for _, m := range marks {
		if !bytes.HasPrefix(start, []byte(m.mark)) {
			continue
		}
		if declared != "" && declared != m.encoding {
			return "", "", errors.New("its mark says that it is " + string(m.encoding) + ", and --encoding says " + string(declared) + ": leave --encoding out")
		}
		_, _ = in.Discard(len(m.mark)) // that much was seen
		return m.encoding, m.mark, nil
	}
	switch {
	case declared != "":
		return declared, "", nil
	case len(start) == 4 && start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0: // no text has a byte of 0 otherwise
		return UTF16LE, "", nil
	case len(start) == 4 && start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0:
		return UTF16BE, "", nil
	}
	return UTF8, "", nil
}

// errNotUTF8 says of a text that the encoding must be declared.
var errNotUTF8 = errors.New("not UTF-8: save the file as UTF-8, or read it with --encoding windows-1252 if a Western European Windows program wrote it")

// decoded is a file as UTF-8.
func decoded(in *bufio.Reader, encoding Encoding) io.Reader {
	if encoding == UTF8 {
		return in
	}
	return &decoder{in: in, encoding: encoding}
}

// decoder turns an encoding into UTF-8. What it reads is written again by [encoded] to the
// same bytes.
type decoder struct {
	in       *bufio.Reader
	encoding Encoding
	pending  []byte
}

func (d *decoder) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.pending) == 0 {
			var r rune
			if r, err = d.next(); err != nil {
				break
			}
			d.pending = utf8.AppendRune(d.pending[:0], r)
		}
		copied := copy(p[n:], d.pending)
		d.pending = d.pending[copied:]
		n += copied
	}
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // it is told again
	}
	return n, err
}

func (d *decoder) next() (rune, error) {
	if d.encoding == Windows1252 {
		c, err := d.in.ReadByte()
		if c >= 0x80 && c < 0xa0 {
			return windows1252[c-0x80], err
		}
		return rune(c), err
	}
	first, err := d.unit()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	second, err := d.unit()
	if r := utf16.DecodeRune(first, second); err == nil && r != utf8.RuneError {
		return r, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = errNotUTF16
	}
	return 0, err
}

// errNotUTF16 says that a file's mark is wrong.
var errNotUTF16 = errors.New("its mark says that it is UTF-16, and it is not: save it as UTF-8")

func (d *decoder) unit() (rune, error) {
	var pair [2]byte
	_, err := io.ReadFull(d.in, pair[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errNotUTF16
	}
	if d.encoding == UTF16LE {
		return rune(pair[1])<<8 | rune(pair[0]), err
	}
	return rune(pair[0])<<8 | rune(pair[1]), err
}

// windows1252 are its characters from 0x80 to 0x9f; those without one are control characters.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// encoded is UTF-8 text in an encoding. What it cannot write is a question mark.
func encoded(text []byte, encoding Encoding) []byte {
	var out []byte
	switch encoding {
	case UTF16LE, UTF16BE:
		for _, unit := range utf16.Encode([]rune(string(text))) {
			if encoding == UTF16LE {
				out = append(out, byte(unit), byte(unit>>8))
			} else {
				out = append(out, byte(unit>>8), byte(unit))
			}
		}
		return out
	case Windows1252:
		for _, r := range string(text) {
			out = append(out, byteOf(r))
		}
		return out
	}
	return text
}

// byteOf is a character in Windows-1252.
func byteOf(r rune) byte {
	for i, of := range windows1252 {
		if r == of {
			return byte(0x80 + i)
		}
	}
	if r < 0x80 || r >= 0xa0 && r <= 0xff {
		return byte(r)
	}
	return '?'
}
