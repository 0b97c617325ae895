package rollforward

import (
	"fmt"
	"slices"
	"strings"
)

// Selection selects the movements to list: those of a line, of a class, or all.
type Selection struct{ name string }

// String returns the name that [ParseSelection] parses.
func (s Selection) String() string { return s.name }

// All selects every movement.
var All = Selection{"all"}

// ParseSelection parses the name of a line or a class, or "all".
func ParseSelection(name string) (Selection, error) {
	if !slices.Contains(Selections(), name) {
		return Selection{}, fmt.Errorf("%q is not valid; use one of %s", name, strings.Join(Selections(), ", "))
	}
	return Selection{name}, nil
}

// Selections returns the valid names: all, the lines, then the classes.
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

// has reports whether a movement is selected. Internal ones also belong to the line of their class, where they are
// in their account's column.
func (s Selection) has(i *Item) bool {
	return s == All || s.name == string(i.Line) || s.name == string(i.Class) || s.name == string(Internal) && i.Internal != ""
}
