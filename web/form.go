package web

// form is what a page asks for.
type form struct {
	Action string
	Post   bool // it sends something: a token goes with it
	Upload bool // a file is in it
	Token  string
	Fields []control
	More   []control // that few want
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

// fields are those of the scope, in forms that have others beside them.
func (s *scope) fields() []control {
	partial := ""
	if s.Partial {
		partial = "1"
	}
	return []control{
		{Name: "period", Label: "Period", Kind: "text", Value: s.Period, Hint: "2026-01, 2026, A..B"}, {Name: "zone", Label: "Time zone", Kind: "text", Value: s.Zone, Hint: "UTC, Europe/Berlin"},
		{Name: "accounts", Label: "The company's accounts", Kind: "text", Value: s.Accounts, Hint: "addresses, labels, group:NAME"}, {Name: "partial", Label: "what is there will do", Kind: "checkbox", Value: partial},
	}
}
