package rollforward

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Class is what a movement was, as an auditor sees it: a row of classes.txt.
type Class string

// Unclassified is the class of what no rule knows.
const Unclassified Class = "unclassified"

// Direction tells whether a movement came in or went out.
type Direction string

// The directions. Of what was reserved or given back it is that of the free balance.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// Line is a line of a rollforward, which has some classes.
type Line string

// The lines between opening and closing, in their order.
const (
	Received         Line = "received"
	Rewards          Line = "rewards"
	OtherIn          Line = "other_in"
	Sent             Line = "sent"
	Fees             Line = "fees"
	OtherOut         Line = "other_out"
	Internal         Line = "internal" // between two accounts of the same column, in and out
	Reserved         Line = "reserved" // from free to reserved, and back
	UnclassifiedLine Line = "unclassified"
)

// Lines are all of them, in their order.
func Lines() []Line {
	return []Line{Received, Rewards, OtherIn, Sent, Fees, OtherOut, Internal, Reserved, UnclassifiedLine}
}

// ClassInfo is a row of classes.txt.
type ClassInfo struct {
	Class    Class
	In, Out  Line // "" where it cannot come in, or go out
	Recorded bool // some recorded chain of the tests has a movement of it
	What     string
}

//go:embed classes.txt
var classesText string

var classes = func() (list []ClassInfo) {
	for _, f := range tableRows(classesText, 5) {
		line := func(text string) Line {
			if text == "-" {
				return ""
			}
			if !slices.Contains(Lines(), Line(text)) {
				panic(fmt.Sprintf("classes.txt: %s: %q is no line", f[0], text))
			}
			return Line(text)
		}
		list = append(list, ClassInfo{Class(f[0]), line(f[1]), line(f[2]), f[3] == "yes", f[4]})
	}
	return list
}()

// Classes are all of them, in the order in which a rollforward shows them.
func Classes() []ClassInfo { return slices.Clone(classes) }

// find is a class's row.
func (c Class) find() (ClassInfo, bool) {
	i := slices.IndexFunc(classes, func(x ClassInfo) bool { return x.Class == c })
	if i < 0 {
		return ClassInfo{}, false
	}
	return classes[i], true
}

// line is the line of a movement of a class; "" where there can be none in a direction.
func (x *ClassInfo) line(d Direction) Line {
	if d == In {
		return x.In
	}
	return x.Out
}

// tableRows are the rows of a text table, whose columns have "|" between. Empty lines and
// those that begin with # are passed over. Text that is not such a table is a mistake of
// the programmer.
func tableRows(text string, columns int) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != columns {
			panic(fmt.Sprintf("%q: %d columns, want %d", line, len(fields), columns))
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		rows = append(rows, fields)
	}
	return rows
}
