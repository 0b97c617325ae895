package web

import (
	"cmp"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// node returns the tables one below the other, each with the whole width.
func (t *tables) node() g.Node { return each(t.Tables, (*tabular).whole) }

// beside returns the tables beside the side column.
func (t *tables) beside() g.Node { return each(t.Tables, (*tabular).besideSide) }

func (t *tabular) node() g.Node {
	parts := lines{}
	if t.Title != "" {
		parts = append(parts, h.H2(attribute("class", t.Tone), g.Text(t.Title)))
	}
	if t.None != "" && len(t.Rows) == 0 {
		parts = append(parts, h.P(h.Class("none"), g.Text(t.None)))
	} else {
		parts = append(parts, t.box())
	}
	if t.Columns != nil {
		parts = append(parts, h.Details(h.Class("menu columns"), h.Summary(g.Text("Columns")), h.Div(h.Class("pop"), t.Columns.node())))
	}
	if t.More != "" || len(t.Links) > 0 {
		parts = append(parts, h.P(h.Class("more"), g.Text(t.More), g.Map(t.Links, func(l link) g.Node { return g.Group{g.Text(" "), l.node()} })))
	}
	return parts
}

// box returns the headings, rows and totals. Roles keep them a table where a style sheet makes cards of them.
func (t *tabular) box() g.Node {
	box := g.Group{h.Class("box " + cmp.Or(t.Layout, "scroll"))}
	if t.Layout == "" {
		box = append(box, h.TabIndex("0"), h.Role("region"), h.Aria("label", cmp.Or(t.Title, "Table")))
	}
	return h.Div(box, h.Table(h.Role("table"), attribute("aria-label", t.Title), lines{
		h.THead(h.Role("rowgroup"), h.Tr(h.Role("row"), g.Map(t.Heads, func(c cell) g.Node {
			return h.Th(h.Role("columnheader"), h.Scope("col"), attribute("class", c.Class), attribute("aria-sort", c.Sorted), c.node())
		}))),
		h.TBody(h.Role("rowgroup"), each(t.Rows, t.row)),
		g.If(len(t.Totals) > 0, h.TFoot(h.Role("rowgroup"), t.row(t.Totals))),
	}))
}

// row returns a row. As a card, it shows each heading beside its value.
func (t *tabular) row(cells []cell) g.Node {
	row := g.Group{h.Role("row")}
	for i, c := range cells {
		role := "rowheader"
		if i > 0 {
			role = "cell"
		}
		row = append(row, h.Td(h.Role(role), attribute("class", c.Class), g.If(i > 0 && c.Text != "", h.Data("head", t.Heads[i].label())), c.node()))
	}
	return h.Tr(row)
}
