package jsontext

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// Stream writes one object without holding its lists in memory. After an error it writes nothing more; Close returns the
// error.
type Stream struct {
	out     *bufio.Writer
	oneLine bool
	begun   bool // a member was written
	err     error
}

// NewStream returns a stream to w, on several lines or on one.
func NewStream(w io.Writer, oneLine bool) *Stream {
	return &Stream{out: bufio.NewWriter(w), oneLine: oneLine}
}

// Members adds the members of a non-empty struct.
func (s *Stream) Members(of any) {
	text, err := Indented(of, "")
	if s.oneLine {
		text, err = Line(of)
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.next()
	s.write(bytes.TrimSuffix(bytes.TrimSuffix(text[1:], []byte("}")), []byte("\n")))
}

// List adds a list of JSON elements. In an element with several lines, all but the first begin with [ElementPrefix].
func (s *Stream) List(name string, elements iter.Seq2[[]byte, error]) {
	if s.err != nil {
		return
	}
	s.next()
	s.space("\n  ")
	s.write([]byte(`"` + name + `":`))
	s.space(" ")
	s.write([]byte("["))
	some := false
	for text, err := range elements {
		if s.fail(err); s.err != nil {
			return
		}
		if some {
			s.write([]byte(","))
		}
		s.space("\n" + ElementPrefix)
		s.write(text)
		some = true
	}
	if some {
		s.space("\n  ")
	}
	s.write([]byte("]"))
}

// ElementPrefix precedes each line of a list's elements.
const ElementPrefix = "    "

// Close ends the object and its last line.
func (s *Stream) Close() error {
	s.space("\n")
	s.write([]byte("}\n"))
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}

// next writes the separator before a member.
func (s *Stream) next() {
	if s.begun {
		s.write([]byte(","))
	} else {
		s.write([]byte("{"))
	}
	s.begun = true
}

// space writes the space between values, unless everything is on one line.
func (s *Stream) space(text string) {
	if !s.oneLine {
		s.write([]byte(text))
	}
}

func (s *Stream) write(text []byte) {
	if s.err == nil {
		_, s.err = s.out.Write(text)
	}
}

func (s *Stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
