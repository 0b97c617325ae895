package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"
)

// Screen is the two outputs of the program, which are one below the other for a person at a
// terminal. The line of progress, which is the last, goes before anything else is written.
type Screen struct {
	Stdout, Stderr io.Writer

	mu      sync.Mutex
	stderr  io.Writer
	line    bool // the last line is one of progress
	reached reached
}

// reached is how far a task came.
type reached struct {
	done, total uint64
	what        string
}

// NewScreen is made of standard output and standard error.
func NewScreen(stdout, stderr io.Writer) *Screen {
	s := &Screen{stderr: stderr}
	s.Stdout, s.Stderr = &part{s, stdout}, &part{s, stderr}
	return s
}

// part is one of the outputs of a screen.
type part struct {
	screen *Screen
	out    io.Writer
}

func (p *part) Write(text []byte) (int, error) {
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	p.screen.erase()
	return p.out.Write(text)
}

// plain is a writer itself where it is a part of a screen.
func plain(w io.Writer) io.Writer {
	for {
		p, ok := w.(*part)
		if !ok {
			return w
		}
		w = p.out
	}
}

// erase takes the line of progress away.
func (s *Screen) erase() {
	if s.line {
		io.WriteString(s.stderr, "\r\x1b[K")
		s.line = false
	}
}

// show puts a line of progress in the place of the one before.
func (s *Screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	io.WriteString(s.stderr, "\r\x1b[K"+line)
	s.line = true
}

// clear takes the line of progress away.
func (s *Screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// reach notes how far a task came.
func (s *Screen) reach(r reached) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached = r
}

// resumes is the annotation of a command that goes on where it was stopped.
const resumes = "resumes"

// Resumes notes that a command goes on where it was stopped.
func Resumes(c *cobra.Command) { c.Annotations = map[string]string{resumes: "yes"} }

// Stopped says how far a command came that was stopped, and what becomes of that.
func Stopped(c *cobra.Command) string {
	text := "stopped"
	if of, ok := c.ErrOrStderr().(*part); ok {
		text += of.screen.soFar()
	}
	if c.Annotations[resumes] != "" {
		text += "; run it again: it goes on from there"
	}
	return text
}

// soFar says how far the last task came, where it is not done.
func (s *Screen) soFar() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reached
	if r.total == 0 || r.done >= r.total {
		return ""
	}
	return fmt.Sprintf(" after %d of %d %s", r.done, r.total, r.what)
}
