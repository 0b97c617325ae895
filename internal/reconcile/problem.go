package reconcile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Problem is the reason why one or several rows cannot be read.
type Problem struct {
	Line   int    // from 1
	Column int    // from 1; 0 for the row as a whole
	Name   string // of the column
	Value  string // of the cell
	Err    error
	Count  int   // number of rows; 0 means one
	Lines  []int // the first of these rows
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

// reason returns the error without the row's value.
func (p *Problem) reason() string {
	what := "the value"
	if p.Value == "" {
		return p.Err.Error()
	}
	return strings.ReplaceAll(p.Err.Error(), strconv.Quote(jsonscan.Excerpt(p.Value)), what)
}

// where lists the rows, or the first of them.
func (p *Problem) where() string {
	text := fmt.Sprintf(": %s, %s %s", console.Counted(p.Count, "row"), console.Verb(p.Count, "line", "lines"), listed(p.Lines))
	if p.Count > len(p.Lines) {
		text = fmt.Sprintf(": %d rows, starting with lines %s", p.Count, listed(p.Lines))
	}
	if p.Value != "" {
		text += fmt.Sprintf("; the value in line %d is %q", p.Line, jsonscan.Excerpt(p.Value))
	}
	return text
}

const (
	// maxProblems limits the listed problems.
	maxProblems = 20
	// maxLines limits the lines listed for each.
	maxLines = 3
)

// ProblemsError lists the rows of a file that cannot be read.
type ProblemsError struct {
	List  []*Problem // the first 20, each with all its rows
	Count int        // of all rows
	Try   []Way      // settings that may help; may be empty

	other int // rows whose problem is not listed
}

// Error lists the problems, one per line.
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

// count adds a row to the problem.
func (p *Problem) count(line int) {
	if p.Count++; p.Count == 1 {
		p.Line = line
	}
	if len(p.Lines) < maxLines {
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
	if len(e.List) == maxProblems {
		e.other++
		return
	}
	p.count(p.Line)
	e.List = append(e.List, p)
}
