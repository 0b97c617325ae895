package web

import "strings"

// form is a form on a page.
type form struct {
	Action string
	Post   bool // the form uses POST and carries a token
	Upload bool // it uploads a file
	Token  string
	Hidden []option // parameters that it keeps
	Fields []control
	More   []control // less common settings
	Rest   string    // their heading; "" for "Further settings"
	Open   bool      // they are unfolded
	Title  string    // of a foldable form; "" if it cannot be folded
	Shown  bool      // it is unfolded
	Table  *tabular
	Button string
}

// control is a field of a form.
type control struct {
	Name, Label string
	Kind        string // an input type, select, or choice: one of several checkboxes; radio offers the options as buttons
	Value       string
	Hint        string // shown below the field
	Options     []option
	Required    bool   // of a choice: it is checked
	Form        string // the ID of its form, for an input inside another form
}

// option is an option of a select or of radio buttons.
type option struct{ Value, Text string }

// chosen adds the field's own value to its options if it is missing.
func (f control) chosen() control {
	for _, o := range f.Options {
		if o.Value == f.Value {
			return f
		}
	}
	f.Options = append(f.Options, option{f.Value, f.Value})
	return f
}

// controls returns the fields of the scope. Accounts is the label of its accounts; "" omits them.
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
	return append(list, control{Name: "partial", Label: "Include incomplete periods", Kind: "checkbox", Value: partial})
}

// ofOptions returns a select of the given words, in which "" is labelled none.
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
