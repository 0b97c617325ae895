package web

import (
	"slices"
	"strings"
)

// form is what a page asks for.
type form struct {
	Action string
	Post   bool // it sends something: a token goes with it
	Upload bool // a file is in it
	Token  string
	Fields []control
	More   []control // that few want
	Rest   string    // what these are called; "" is further settings
	Open   bool      // they are shown
	Title  string    // of a form that can be folded; "" where it cannot
	Shown  bool      // it is not folded
	Table  *tabular
	Button string
}

// control is one of a form.
type control struct {
	Name, Label string
	Kind        string // as the type of an input is called, or select
	Value       string
	Hint        string // what stands below it
	Options     []option
	Required    bool
}

// option is a value of a select.
type option struct{ Value, Text string }

// chosen are the options with the field's own value among them.
func (f control) chosen() control {
	for _, o := range f.Options {
		if o.Value == f.Value {
			return f
		}
	}
	f.Options = append(f.Options, option{f.Value, f.Value})
	return f
}

// controls are those of the scope. Accounts is what its accounts are called; "" leaves them out.
func (s *scope) controls(accounts string) []control {
	partial := ""
	if s.Partial {
		partial = "1"
	}
	list := []control{
		{Name: "period", Label: "Period", Kind: "text", Value: s.Period, Hint: "2026-01, 2026, A..B"}, {Name: "zone", Label: "Time zone", Kind: "text", Value: s.Zone, Hint: "UTC, Europe/Berlin"},
	}
	if accounts != "" {
		list = append(list, control{Name: "accounts", Label: accounts, Kind: "text", Value: s.Accounts, Hint: "addresses, labels, group:NAME"})
	}
	return append(list, control{Name: "partial", Label: "what is there will do", Kind: "checkbox", Value: partial})
}

// asked is the form of a page about a period. More are conditions that few set.
func (s *scope) asked(path, accounts string, fields, more []control) *form {
	f := &form{Action: path, Fields: append(s.controls(accounts), fields...), More: more, Rest: "Only some transactions", Button: "Show"}
	f.Open = slices.ContainsFunc(more, func(c control) bool { return c.Value != "" })
	return f
}

// ofOptions is a choice of some words, of which "" is called none.
func ofOptions(name, label, value, none string, words ...string) control {
	c := control{Name: name, Label: label, Kind: "select", Value: value}
	if none != "" {
		c.Options = []option{{"", none}}
	}
	for _, word := range words {
		c.Options = append(c.Options, option{word, strings.ReplaceAll(word, "_", " ")})
	}
	return c
}
