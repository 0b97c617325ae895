package web

import (
	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// href returns the address of a link, and postTo that of a form that uses POST, which keep what the page is about. Action is
// the address of a form that states all in its fields. Every address that is not constant goes through them.
func href(address string) g.Node { return markup.Address{Name: "href", To: address} }
func postTo(address string) g.Node {
	return g.Group{markup.Address{Name: "action", To: address}, markup.Attr("method", "post")}
}
func action(address string) g.Node { return markup.Attr("action", plain.URL(address)) }

// link is a link.
type link struct{ Text, To string }

func (l link) node() g.Node { return markup.El("a", href(l.To), markup.Text(l.Text)) }

// download returns a link to a file.
func (l link) download(class string) g.Node {
	return markup.El("a", markup.Optional("class", class), href(l.To), markup.Attr("download"), markup.Text(l.Text))
}

// turn returns the link to the period before or after; nil without one.
func (l link) turn(rel, label, sign string) g.Node {
	if l.To == "" {
		return nil
	}
	return markup.El("a", markup.Attr("class", "turn"), href(l.To), markup.Attr("rel", rel), markup.Attr("aria-label", label+": "+l.Text), markup.Text(sign))
}

// linkLine returns links in a paragraph of a class; nil without any.
func linkLine(class string, links []link) g.Node {
	if len(links) == 0 {
		return nil
	}
	return markup.El("p", markup.Attr("class", class), g.Map(links, func(l link) g.Node { return g.Group{l.node(), markup.Text(" ")} }))
}

// navigation is a link that may lead to the page itself.
type navigation struct {
	link
	Key    string // opens it, after g; "" for none
	Here   bool   // the current page
	Within bool   // the section of the current page
}

func (n navigation) node() g.Node { return n.as("") }

// as returns the link in a class.
func (n navigation) as(class string) g.Node {
	return markup.El("a", markup.Optional("class", class), href(n.To), current(n.Here), markup.Text(n.Text))
}

// current marks the current one of several links.
func current(is bool) g.Node { return g.If(is, markup.Attr("aria-current", "true")) }
