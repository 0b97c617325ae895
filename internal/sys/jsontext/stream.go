package jsontext

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// Stream writes one object, some of whose members are lists that are not held. After an
// error it writes nothing more; Close has it.
type Stream struct {
	out     *bufio.Writer
	oneLine bool
	begun   bool // a member is there
	err     error
}

// NewStream writes to w, over several lines or in one.
func NewStream(w io.Writer, oneLine bool) *Stream {
	return &Stream{out: bufio.NewWriter(w), oneLine: oneLine}
}

// Members adds the members of a struct, which has some.
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

// List adds a list. Its elements are JSON; where they have several lines, each but the
// first begins with [ElementPrefix].
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

// ElementPrefix stands before each line of a list's elements.
const ElementPrefix = "    "

// Close ends the object, and its last line.
func (s *Stream) Close() error {
	s.space("\n")
	s.write([]byte("}\n"))
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}

// next writes what stands before a member.
func (s *Stream) next() {
	if s.begun {
		s.write([]byte(","))
	} else {
		s.write([]byte("{"))
	}
	s.begun = true
}

// space writes what stands between values that are not in one line.
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
