package rollforward

import (
	"fmt"
	"slices"
	"strings"
)

// Selection is which movements are listed: those of a line, of a class, or all.
type Selection struct{ name string }

// All selects every movement.
var All = Selection{"all"}

// ParseSelection reads the name of a line or a class, or "all".
func ParseSelection(name string) (Selection, error) {
	if !slices.Contains(Selections(), name) {
		return Selection{}, fmt.Errorf("%q: want %s", name, strings.Join(Selections(), ", "))
	}
	return Selection{name}, nil
}

// Selections are the names of all: the lines first, then the classes.
func Selections() []string {
	names := []string{All.name}
	for _, line := range Lines() {
		names = append(names, string(line))
	}
	for _, x := range classes {
		if !slices.Contains(names, string(x.Class)) {
			names = append(names, string(x.Class))
		}
	}
	return names
}

// has tells whether a movement is selected. Internal ones are also in the line of their
// class, for in their account's column they are there.
func (s Selection) has(i *Item) bool {
	return s == All || s.name == string(i.Line) || s.name == string(i.Class) || s.name == string(Internal) && i.Internal != ""
}
