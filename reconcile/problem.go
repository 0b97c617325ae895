package reconcile

import (
	"fmt"
	"strings"
)

// Problem is a row that cannot be read.
type Problem struct {
	Line   int    // the first is 1
	Column int    // the first is 1; 0 where it is the row as a whole
	Name   string // of the column
	Err    error
}

func (p *Problem) Error() string {
	if p.Column == 0 {
		return fmt.Sprintf("line %d: %v", p.Line, p.Err)
	}
	return fmt.Sprintf("line %d, column %d %q: %v", p.Line, p.Column, shownName(p.Name), p.Err)
}

func (p *Problem) Unwrap() error { return p.Err }

// mostProblems is how many problems are listed.
const mostProblems = 20

// ProblemsError are the rows of a file that cannot be read.
type ProblemsError struct {
	List  []*Problem // the first 20
	Count int        // of all
}

// Error lists the problems, one a line.
func (e *ProblemsError) Error() string {
	var lines []string
	for _, p := range e.List {
		lines = append(lines, p.Error())
	}
	if more := e.Count - len(e.List); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

func (e *ProblemsError) add(p *Problem) {
	if e.Count++; len(e.List) < mostProblems {
		e.List = append(e.List, p)
	}
}
