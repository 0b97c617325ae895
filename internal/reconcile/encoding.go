package reconcile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encoding is the character encoding of a csv file.
type Encoding string

const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le" // recognised by the beginning of the file
	UTF16BE     Encoding = "utf-16be" // likewise
	Windows1252 Encoding = "windows-1252"
)

// marks are the byte order marks of the encodings.
var marks = []struct {
	encoding Encoding
	mark     string
}{{UTF8, "\xef\xbb\xbf"}, {UTF16LE, "\xff\xfe"}, {UTF16BE, "\xfe\xff"}}

// encodingOf returns the encoding of a file by its byte order mark, which it removes; otherwise the declared one, or
// UTF-16 if the file looks like it.
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
			return "", "", errors.New("its byte order mark says " + string(m.encoding) + ", but --encoding says " + string(declared) + "; omit --encoding")
		}
		_, _ = in.Discard(len(m.mark)) // already peeked
		return m.encoding, m.mark, nil
	}
	switch {
	case declared != "":
		return declared, "", nil
	case len(start) == 4 && start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0: // other texts contain no zero bytes
		return UTF16LE, "", nil
	case len(start) == 4 && start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0:
		return UTF16BE, "", nil
	}
	return UTF8, "", nil
}

// errNotUTF8 reports a text whose encoding must be declared.
var errNotUTF8 = errors.New("not UTF-8; save the file as UTF-8, or use --encoding windows-1252 if a Western European Windows program wrote it")

// decoded returns a file as UTF-8, from behind its byte order mark, if it has one.
func decoded(in *bufio.Reader, encoding Encoding, mark string) io.Reader {
	if encoding == UTF8 {
		return in
	}
	d := &decoder{in: in, encoding: encoding, notUTF16: errUnlikeMark}
	if mark == "" {
		d.notUTF16 = errUnlikeStart
	}
	return d
}

// decoder converts an encoding to UTF-8. [encoded] converts it back to the same bytes.
type decoder struct {
	in       *bufio.Reader
	encoding Encoding
	notUTF16 error // the error of a file that is not UTF-16 as expected
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
		err = nil // returned by the next call
	}
	return n, err
}

func (d *decoder) next() (rune, error) {
	if d.encoding == Windows1252 {
		c, err := d.in.ReadByte()
		if unassigned(rune(c)) {
			return rune(c), err
		}
		return charmap.Windows1252.DecodeByte(c), err
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
		err = d.notUTF16
	}
	return 0, err
}

// Errors of a file that only begins as UTF-16.
var (
	errUnlikeMark  = errors.New("its byte order mark says UTF-16, but it is not; save it as UTF-8")
	errUnlikeStart = errors.New("it begins like UTF-16, but is not; save it as UTF-8")
)

func (d *decoder) unit() (rune, error) {
	var pair [2]byte
	_, err := io.ReadFull(d.in, pair[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = d.notUTF16
	}
	if d.encoding == UTF16LE {
		return rune(pair[1])<<8 | rune(pair[0]), err
	}
	return rune(pair[0])<<8 | rune(pair[1]), err
}

// unassigned reports whether Windows-1252 leaves the byte of a control character free. It is kept as that character, so that
// a copy has the same bytes.
func unassigned(r rune) bool {
	return r <= 0xff && charmap.Windows1252.DecodeByte(byte(r)) == utf8.RuneError
}

// encoded converts UTF-8 text to an encoding. Characters that it lacks become question marks.
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
			c, known := charmap.Windows1252.EncodeRune(r)
			switch {
			case unassigned(r):
				c = byte(r)
			case !known:
				c = '?'
			}
			out = append(out, c)
		}
		return out
	}
	return text
}
