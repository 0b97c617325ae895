package rollforward

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Class is the classification of a movement for auditors: a row of classes.txt.
type Class string

// Unclassified is the class of movements that no rule matches.
const Unclassified Class = "unclassified"

// Direction is the direction of a movement.
type Direction string

// The directions. For reserving and releasing it is the direction of the free balance.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// Line is a line of a rollforward, made of some classes.
type Line string

// The lines between opening and closing, in order.
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

// Lines returns all lines, in order.
func Lines() []Line {
	return []Line{Received, Rewards, OtherIn, Sent, Fees, OtherOut, Internal, Reserved, UnclassifiedLine}
}

// ClassInfo is a row of classes.txt.
type ClassInfo struct {
	Class    Class
	In, Out  Line // "" if the direction is not possible
	Recorded bool // one of the recorded test chains contains such a movement
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
				panic(fmt.Sprintf("classes.txt: %s: %q is not a line", f[0], text))
			}
			return Line(text)
		}
		list = append(list, ClassInfo{Class(f[0]), line(f[1]), line(f[2]), f[3] == "yes", f[4]})
	}
	return list
}()

// Classes returns all classes in display order.
func Classes() []ClassInfo { return slices.Clone(classes) }

// find returns a class's row.
func (c Class) find() (ClassInfo, bool) {
	i := slices.IndexFunc(classes, func(x ClassInfo) bool { return x.Class == c })
	if i < 0 {
		return ClassInfo{}, false
	}
	return classes[i], true
}

// line returns the line for a class and direction, or "" if the direction is not possible.
func (x *ClassInfo) line(d Direction) Line {
	if d == In {
		return x.In
	}
	return x.Out
}

// tableRows parses a text table with columns separated by "|". Empty lines and those that start with # are
// ignored. It panics on malformed tables, which are programming errors.
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
