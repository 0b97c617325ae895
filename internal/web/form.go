package web

import (
	"cmp"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// form is a form on a page.
type form struct {
	Action string
	Post   bool   // the form uses POST and carries a token
	Bad    string // why it was refused
	Upload bool   // it uploads a file
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
	Acts   []option // buttons in place of the one, each with a value of act; the first is the usual one
}

// control is a field of a form.
type control struct {
	Name, Label string
	Kind        string // an input type, select, or choice: one of several checkboxes; text of a line's width is an area
	Value       string
	Hint        string // shown below the field
	Options     []option
	Required    bool   // of a choice: it is checked
	Form        string // the ID of its form, for an input inside another form
	Focus       bool   // it is to be corrected
}

// option is an option of a select, or a button of an act.
type option struct{ Value, Text string }

func (f *form) node() g.Node {
	if f == nil {
		return nil
	}
	content := lines{tokenField(f.Token), keptFields(f.Hidden), f.refused(), each(f.Fields, control.node), g.If(f.Table == nil, f.button())}
	if len(f.More) > 0 {
		content = append(content, markup.El("details", g.If(f.Open, markup.Attr("open")), markup.El("summary", markup.Text(cmp.Or(f.Rest, "Further settings"))), each(f.More, control.node)))
	}
	if f.Table != nil {
		content = append(content, markup.El("div", markup.Attr("class", "begin"), f.Table.node()), f.button())
	}
	to := action(f.Action)
	if f.Post {
		to = postTo(f.Action)
	}
	n := markup.El("form", markup.Attr("class", "scope asked"), to, g.If(f.Upload, markup.Attr("enctype", "multipart/form-data")), content)
	if f.Title == "" {
		return n
	}
	return markup.El("details", markup.Attr("class", "fold"), g.If(f.Shown, markup.Attr("open")), markup.El("summary", markup.Text(f.Title)), n)
}

func (f *form) button() g.Node {
	if f.Acts == nil {
		return markup.El("button", markup.Text(f.Button))
	}
	buttons := lines{}
	for i, act := range f.Acts {
		buttons = append(buttons, markup.El("button", g.If(i > 0, markup.Attr("class", "plain")), markup.Attr("name", "act"), markup.Attr("value", act.Value), markup.Text(act.Text)))
	}
	return markup.El("div", markup.Attr("class", "buttons"), buttons)
}

// keptFields returns the parameters that a form keeps.
func keptFields(parameters []option) g.Node {
	return g.Map(parameters, func(o option) g.Node { return hidden(o.Value, o.Text) })
}

// last returns a form at the end of a page: a button beside others if it has no fields.
func (f *form) last() g.Node {
	if f == nil || len(f.Fields) > 0 {
		return f.node()
	}
	return markup.El("div", markup.Attr("class", "acts"), f.node())
}

func (f control) node() g.Node {
	hint := g.If(f.Hint != "", g.Group{markup.Text(" "), markup.El("small", markup.Text(f.Hint))})
	tick := func(value string, checked bool) g.Node {
		return markup.El("label", markup.Attr("class", "check"), markup.El("input", markup.Attr("name", f.Name), markup.Attr("type", "checkbox"), markup.Attr("value", value), g.If(checked, markup.Attr("checked")), wrong(f.Focus)), markup.Text(" "+f.Label), hint)
	}
	switch f.Kind {
	case "area": // Enter begins a line in it, and presses no button
		return markup.El("label", markup.Attr("class", "area"), markup.Text(f.Label+" "), markup.El("textarea", markup.Attr("name", f.Name), markup.Attr("rows", "2"), g.If(f.Required, markup.Attr("required")), wrong(f.Focus), markup.Text(f.Value)), hint)
	case "choice":
		return tick(f.Value, f.Required)
	case "checkbox":
		return tick("1", f.Value == "1")
	case "select":
		return markup.El("label", markup.Text(f.Label+" "), markup.El("select", markup.Attr("name", f.Name), wrong(f.Focus), f.options()), hint)
	}
	input := g.Group{markup.Attr("name", f.Name), markup.Attr("type", f.Kind), wrong(f.Focus)}
	if f.Kind != "file" {
		input = append(input, markup.Attr("value", f.Value), markup.Attr("size", "20"), g.If(f.Options != nil, markup.Attr("list", f.Name+"s")))
	}
	input = append(input, g.If(f.Required, markup.Attr("required")), markup.Optional("form", f.Form))
	return markup.El("label", markup.Text(f.Label+" "), markup.El("input", input), g.If(f.Options != nil, markup.El("datalist", markup.Attr("id", f.Name+"s"), f.options())), hint)
}

// options returns the options, the field's own value selected.
func (f control) options() g.Node {
	return g.Map(f.Options, func(o option) g.Node {
		return markup.El("option", markup.Attr("value", o.Value), g.If(f.Kind == "select" && o.Value == f.Value, markup.Attr("selected")), markup.Text(o.Text))
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
