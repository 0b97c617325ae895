// Package markup builds HTML. Its functions are those of gomponents, which escapes all text, but the compiler does not
// inline them: it would repeat the code that writes an element at each element, 0.7 MB in all.
package markup

import (
	"io"
	"strings"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"

	"github.com/feeledger/fees/internal/sys/plain"
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

// Linker is a writer that completes the addresses of the links written to it.
type Linker interface{ Link(address string) string }

// Address is the attribute of a link's address, or of a form's. A browser follows no address to another host, see
// [plain.URL].
type Address struct{ Name, To string }

// Type makes it an attribute.
func (a Address) Type() g.NodeType { return g.AttributeType }

// Render writes the attribute. A [Linker] completes the address.
func (a Address) Render(w io.Writer) error {
	to := a.To
	if l, ok := w.(Linker); ok {
		to = l.Link(to)
	}
	_, err := io.WriteString(w, " "+a.Name+`="`+strings.ReplaceAll(plain.URL(to), "&", "&amp;")+`"`) // it has no other character to escape
	return err
}

// Document returns a page: its doctype and its element html.
func Document(page g.Node) g.Node { return html.Doctype(page) }
