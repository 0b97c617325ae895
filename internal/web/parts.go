package web

import (
	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

func (n *notices) node() g.Node {
	parts := lines{}
	if warnings := items("warnings", readableList(n.Warnings)); warnings != nil {
		parts = append(parts, markup.El("div", markup.Attr("role", "status"), warnings))
	}
	if len(n.Ways) > 0 {
		parts = append(parts, markup.El("ul", markup.Attr("class", "ways"), each(n.Ways, func(l link) g.Node { return markup.El("li", l.node()) })))
	}
	return append(parts, toCopy("remedy", n.Remedy, markup.Text("Command")))
}

func (f *figures) node() g.Node { return lines{factList("main", f.Main), factList("facts", f.Facts)} }

// factList returns facts as a list of a class; nil without any.
func factList(class string, facts []fact) g.Node {
	if len(facts) == 0 {
		return nil
	}
	return markup.El("dl", markup.Attr("class", class), each(facts, func(f fact) g.Node {
		return markup.El("div", markup.El("dt", markup.Text(f.Name)), markup.El("dd", markup.Optional("class", f.Class), f.node()))
	}))
}

func (f *frame) related() g.Node   { return linkLine("links", f.Links) }
func (f *frame) notesList() g.Node { return items("notes", readableList(f.Notes)) }

// groupings returns the links to other groupings of a list; nil without any.
func groupings(by []navigation) g.Node {
	if len(by) == 0 {
		return nil
	}
	return markup.El("nav", markup.Attr("class", "by"), markup.Attr("aria-label", "Groupings"), g.Map(by, navigation.node))
}

// twoColumns returns parts with tables beside them in a wide window; without tables, the parts only.
func twoColumns(side []*tabular, parts ...g.Node) g.Node {
	if len(side) == 0 {
		return lines(parts)
	}
	return markup.El("div", markup.Attr("class", "two"), markup.El("div", lines(parts)), markup.El("div", markup.Attr("class", "side"), each(side, (*tabular).atSide)))
}
