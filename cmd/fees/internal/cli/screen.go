package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"
)

// Screen combines standard output and standard error on a terminal: the progress line is cleared before
// anything else is written.
type Screen struct {
	Stdout, Stderr io.Writer

	mu      sync.Mutex
	stderr  io.Writer
	line    bool // the last line shows progress
	reached reached
}

// reached is the progress of a task.
type reached struct {
	done, total uint64
	what        string
}

// NewScreen returns a screen of standard output and standard error.
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

// underlying returns the underlying writer of a part of a screen.
func underlying(w io.Writer) io.Writer {
	for {
		p, ok := w.(*part)
		if !ok {
			return w
		}
		w = p.out
	}
}

// erase clears the progress line; the caller holds the lock.
func (s *Screen) erase() {
	if s.line {
		io.WriteString(s.stderr, "\r\x1b[K")
		s.line = false
	}
}

// show replaces the progress line.
func (s *Screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	io.WriteString(s.stderr, "\r\x1b[K"+line)
	s.line = true
}

// clearLine clears the progress line.
func (s *Screen) clearLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// reach records the progress of a task.
func (s *Screen) reach(r reached) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached = r
}

// resumes is the annotation of a command that continues where it was stopped.
const resumes = "resumes"

// Resumes marks a command that continues where it was stopped.
func Resumes(c *cobra.Command) { c.Annotations = map[string]string{resumes: "yes"} }

// Stopped returns the message of a stopped command: its progress, and how to continue.
func Stopped(c *cobra.Command) string {
	text := "stopped"
	if of, ok := c.ErrOrStderr().(*part); ok {
		text += of.screen.soFar()
	}
	if c.Annotations[resumes] != "" {
		text += "; run it again to continue"
	}
	return text
}

// soFar returns the progress of an unfinished task as text.
func (s *Screen) soFar() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reached
	if r.total == 0 || r.done >= r.total {
		return ""
	}
	return fmt.Sprintf(" after %d of %d %s", r.done, r.total, r.what)
}
