// Package markup builds HTML. Its functions are those of gomponents, which escapes all text, but the compiler does not
// inline them: it would repeat the code that writes an element at each element, 0.7 MB in all.
package markup

import (
	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// El returns an element with its attributes and children.
//
//go:noinline
func El(name string, children ...g.Node) g.Node { return g.El(name, children...) }

// Attr returns an attribute, without a value if none is given.
//
//go:noinline
func Attr(name string, value ...string) g.Node { return g.Attr(name, value...) }

// Text returns a text.
//
//go:noinline
func Text(text string) g.Node { return g.Text(text) }

// Optional returns an attribute, nil without a value.
func Optional(name, value string) g.Node {
	if value == "" {
		return nil
	}
	return Attr(name, value)
}

// Document returns a page: its doctype and its element html.
func Document(page g.Node) g.Node { return html.Doctype(page) }
