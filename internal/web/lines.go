package web

import (
	"io"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// lines are nodes, each on a line of its own.
type lines []g.Node

// Render writes the lines.
func (l lines) Render(w io.Writer) error {
	for _, n := range l {
		if n == nil {
			continue
		}
		if err := n.Render(w); err != nil {
			return err
		}
		if _, nested := n.(lines); nested {
			continue
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// each returns the nodes of a list, each on a line of its own.
func each[T any](list []T, node func(T) g.Node) lines { return lines(g.Map(list, node)) }

// attribute returns an attribute; nil without a value.
func attribute(name, value string) g.Node { return g.If(value != "", g.Attr(name, value)) }

// hidden returns a parameter that a form keeps.
func hidden(name, value string) g.Node {
	return h.Input(h.Type("hidden"), h.Name(name), h.Value(value))
}

// tokenField returns the token of a form; nil without one.
func tokenField(token string) g.Node { return g.If(token != "", hidden("token", token)) }

// items returns texts as a list of a class; nil without any.
func items(class string, texts []string) g.Node {
	if len(texts) == 0 {
		return nil
	}
	return h.Ul(h.Class(class), each(texts, func(text string) g.Node { return h.Li(g.Text(text)) }))
}

// toCopy returns a command to copy, below a heading; nil without one.
func toCopy(id, command string, heading ...g.Node) g.Node {
	if command == "" {
		return nil
	}
	return h.Div(h.Class("command"), h.P(heading...), h.Code(h.ID(id), g.Text(command)), g.Text(" "),
		h.Button(h.Type("button"), h.Data("copies", id), g.Attr("hidden"), g.Text("Copy")))
}
