package web

import (
	"cmp"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

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

func (f *form) node() g.Node {
	if f == nil {
		return nil
	}
	content := lines{tokenField(f.Token), keptFields(f.Hidden), each(f.Fields, control.node), g.If(f.Table == nil, f.button())}
	if len(f.More) > 0 {
		content = append(content, h.Details(g.If(f.Open, g.Attr("open")), h.Summary(g.Text(cmp.Or(f.Rest, "Further settings"))), each(f.More, control.node)))
	}
	if f.Table != nil {
		content = append(content, h.Div(h.Class("begin"), f.Table.node()), f.button())
	}
	n := h.Form(h.Class("scope asked"), action(f.Action), g.If(f.Post, h.Method("post")), g.If(f.Upload, h.EncType("multipart/form-data")), content)
	if f.Title == "" {
		return n
	}
	return h.Details(h.Class("fold"), g.If(f.Shown, g.Attr("open")), h.Summary(g.Text(f.Title)), n)
}

func (f *form) button() g.Node { return h.Button(g.Text(f.Button)) }

// keptFields returns the parameters that a form keeps.
func keptFields(parameters []option) g.Node {
	return g.Map(parameters, func(o option) g.Node { return hidden(o.Value, o.Text) })
}

// last returns a form at the end of a page: a button beside others if it has no fields.
func (f *form) last() g.Node {
	if f == nil || len(f.Fields) > 0 {
		return f.node()
	}
	return h.Div(h.Class("acts"), f.node())
}

func (f control) node() g.Node {
	hint := g.If(f.Hint != "", g.Group{g.Text(" "), h.Small(g.Text(f.Hint))})
	tick := func(value string, checked bool) g.Node {
		return h.Label(h.Class("check"), h.Input(h.Name(f.Name), h.Type("checkbox"), h.Value(value), g.If(checked, h.Checked())), g.Text(" "+f.Label), hint)
	}
	switch f.Kind {
	case "radio":
		return h.FieldSet(h.Legend(g.Text(f.Label)), g.Map(f.Options, func(o option) g.Node {
			return h.Label(h.Input(h.Name(f.Name), h.Type("radio"), h.Value(o.Value), h.Required(), g.If(o.Value == f.Value, h.Checked())), g.Text(" "+o.Text))
		}))
	case "choice":
		return tick(f.Value, f.Required)
	case "checkbox":
		return tick("1", f.Value == "1")
	case "select":
		return h.Label(g.Text(f.Label+" "), h.Select(h.Name(f.Name), f.options()), hint)
	}
	input := g.Group{h.Name(f.Name), h.Type(f.Kind)}
	if f.Kind != "file" {
		input = append(input, h.Value(f.Value), g.Attr("size", "20"), g.If(f.Options != nil, h.List(f.Name+"s")))
	}
	input = append(input, g.If(f.Required, h.Required()), attribute("form", f.Form))
	return h.Label(g.Text(f.Label+" "), h.Input(input), g.If(f.Options != nil, h.DataList(h.ID(f.Name+"s"), f.options())), hint)
}

// options returns the options, the field's own value selected.
func (f control) options() g.Node {
	return g.Map(f.Options, func(o option) g.Node {
		return h.Option(h.Value(o.Value), g.If(f.Kind == "select" && o.Value == f.Value, h.Selected()), g.Text(o.Text))
	})
}

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
