package web

import (
	"io"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// lines are nodes, one per line.
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

// each returns the nodes of a list, one per line.
func each[T any](list []T, node func(T) g.Node) lines { return lines(g.Map(list, node)) }

// hidden returns a parameter that a form keeps.
func hidden(name, value string) g.Node {
	return markup.El("input", markup.Attr("type", "hidden"), markup.Attr("name", name), markup.Attr("value", value))
}

// tokenField returns the token of a form; nil without one.
func tokenField(token string) g.Node { return g.If(token != "", hidden("token", token)) }

// items returns texts as a list of a class; nil without any.
func items(class string, texts []string) g.Node {
	if len(texts) == 0 {
		return nil
	}
	return markup.El("ul", markup.Attr("class", class), each(texts, func(text string) g.Node { return markup.El("li", markup.Text(text)) }))
}

// toCopy returns a command to copy, below a heading; nil without one.
func toCopy(id, command string, heading ...g.Node) g.Node {
	if command == "" {
		return nil
	}
	return markup.El("div", markup.Attr("class", "command"), markup.El("p", heading...), markup.El("code", markup.Attr("id", id), markup.Text(command)), markup.Text(" "),
		markup.El("button", markup.Attr("type", "button"), markup.Attr("data-copies", id), markup.Attr("hidden"), markup.Text("Copy")))
}
