package web

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

func (n *notices) node() g.Node {
	parts := lines{}
	if warnings := items("warnings", n.Warnings); warnings != nil {
		parts = append(parts, h.Div(h.Role("status"), warnings))
	}
	if len(n.Ways) > 0 {
		parts = append(parts, h.Ul(h.Class("ways"), each(n.Ways, func(l link) g.Node { return h.Li(l.node()) })))
	}
	return append(parts, toCopy("remedy", n.Remedy, g.Text("Command")))
}

func (f *figures) node() g.Node { return lines{factList("main", f.Main), factList("facts", f.Facts)} }

// factList returns facts as a list of a class; nil without any.
func factList(class string, facts []fact) g.Node {
	if len(facts) == 0 {
		return nil
	}
	return h.Dl(h.Class(class), each(facts, func(f fact) g.Node {
		return h.Div(h.Dt(g.Text(f.Name)), h.Dd(attribute("class", f.Class), f.node()))
	}))
}

func (f *frame) related() g.Node   { return linkLine("links", f.Links) }
func (f *frame) notesList() g.Node { return items("notes", f.Notes) }

// groupings returns the links to other groupings of a list; nil without any.
func groupings(by []navigation) g.Node {
	if len(by) == 0 {
		return nil
	}
	return h.Nav(h.Class("by"), h.Aria("label", "Groupings"), g.Map(by, navigation.node))
}

// twoColumns returns parts with tables beside them in a wide window; without tables, the parts only.
func twoColumns(side []*tabular, parts ...g.Node) g.Node {
	if len(side) == 0 {
		return lines(parts)
	}
	return h.Div(h.Class("two"), h.Div(lines(parts)), h.Div(h.Class("side"), each(side, (*tabular).atSide)))
}
