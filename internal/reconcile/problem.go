package reconcile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Problem is why a row cannot be read, or several that cannot for the same reason.
type Problem struct {
	Line   int    // the first is 1
	Column int    // the first is 1; 0 where it is the row as a whole
	Name   string // of the column
	Value  string // that stands there
	Err    error
	Count  int   // rows with it; 0 is one
	Lines  []int // of the first of them
}

func (p *Problem) Error() string {
	switch {
	case p.Count > 1 && p.Column == 0:
		return p.reason() + p.where()
	case p.Count > 1:
		return fmt.Sprintf("column %d %q: %s%s", p.Column, shownName(p.Name), p.reason(), p.where())
	case p.Column == 0:
		return fmt.Sprintf("line %d: %v", p.Line, p.Err)
	}
	return fmt.Sprintf("line %d, column %d %q: %v", p.Line, p.Column, shownName(p.Name), p.Err)
}

func (p *Problem) Unwrap() error { return p.Err }

// reason is the error without the value that it is of.
func (p *Problem) reason() string {
	what := "the value"
	if p.Value == "" {
		return p.Err.Error()
	}
	return strings.ReplaceAll(p.Err.Error(), strconv.Quote(jsonscan.Excerpt(p.Value)), what)
}

// where names the rows: the first of them, where they are many.
func (p *Problem) where() string {
	text := fmt.Sprintf(": %s, %s %s", console.Counted(p.Count, "row"), console.Verb(p.Count, "line", "lines"), listed(p.Lines))
	if p.Count > len(p.Lines) {
		text = fmt.Sprintf(": %d rows, the first are lines %s", p.Count, listed(p.Lines))
	}
	if p.Value != "" {
		text += fmt.Sprintf("; line %d has %q", p.Line, jsonscan.Excerpt(p.Value))
	}
	return text
}

const (
	// mostProblems is how many problems are listed.
	mostProblems = 20
	// mostLines is how many lines are named of each.
	mostLines = 3
)

// ProblemsError are the rows of a file that cannot be read.
type ProblemsError struct {
	List  []*Problem // the first 20, each once with all rows that have it
	Count int        // of all rows
	Try   []Way      // in which the file may be read; none where nothing tells

	other int // rows whose problem is not listed
}

// Error lists the problems, one a line.
func (e *ProblemsError) Error() string {
	var lines []string
	for _, p := range e.List {
		lines = append(lines, p.Error())
	}
	if e.other > 0 {
		lines = append(lines, fmt.Sprintf("and %d more rows", e.other))
	}
	return strings.Join(lines, "\n")
}

// count adds a row to those with the problem.
func (p *Problem) count(line int) {
	if p.Count++; p.Count == 1 {
		p.Line = line
	}
	if len(p.Lines) < mostLines {
		p.Lines = append(p.Lines, line)
	}
}

// addRows adds a problem with all of its rows.
func (e *ProblemsError) addRows(p *Problem) {
	e.Count += p.Count
	e.List = append(e.List, p)
}

func (e *ProblemsError) add(p *Problem) {
	e.Count++
	for _, other := range e.List {
		if other.Column == p.Column && other.reason() == p.reason() {
			other.count(p.Line)
			return
		}
	}
	if len(e.List) == mostProblems {
		e.other++
		return
	}
	p.count(p.Line)
	e.List = append(e.List, p)
}
