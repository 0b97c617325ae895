package web

import (
	"cmp"
	"slices"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// node returns the tables one below the other, each with the whole width.
func (t *tables) node() g.Node { return each(t.Tables, (*tabular).whole) }

// beside returns the tables beside the side column.
func (t *tables) beside() g.Node { return each(t.Tables, (*tabular).besideSide) }

func (t *tabular) node() g.Node {
	parts := lines{}
	if t.Title != "" {
		parts = append(parts, markup.El("h2", markup.Optional("class", t.Tone), markup.Text(t.Title)))
	}
	if t.None != "" && len(t.Rows) == 0 {
		parts = append(parts, markup.El("p", markup.Attr("class", "none"), markup.Text(t.None)))
	} else {
		parts = append(parts, t.box())
	}
	if t.Columns != nil {
		parts = append(parts, markup.El("details", markup.Attr("class", "menu columns"), markup.El("summary", markup.Text("Columns")), markup.El("div", markup.Attr("class", "pop"), t.Columns.node())))
	}
	if t.More != "" || len(t.Links) > 0 {
		parts = append(parts, markup.El("p", markup.Attr("class", "more"), markup.Text(t.More), g.Map(t.Links, func(l link) g.Node { return g.Group{markup.Text(" "), l.node()} })))
	}
	return parts
}

// box returns the headings, rows and totals. Roles keep them a table where a style sheet makes cards of them.
func (t *tabular) box() g.Node {
	box := g.Group{markup.Attr("class", "box "+cmp.Or(t.Layout, "scroll"))}
	if t.Layout == "" || !t.hasLinks() { // a keyboard scrolls it by its links
		box = append(box, markup.Attr("tabindex", "0"), markup.Attr("role", "region"), markup.Attr("aria-label", cmp.Or(t.Title, "Table")))
	}
	return markup.El("div", box, markup.El("table", markup.Attr("role", "table"), markup.Optional("aria-label", t.Title), lines{
		markup.El("thead", markup.Attr("role", "rowgroup"), markup.El("tr", markup.Attr("role", "row"), g.Map(t.Heads, func(c cell) g.Node {
			return markup.El("th", markup.Attr("role", "columnheader"), markup.Attr("scope", "col"), markup.Optional("class", c.Class), markup.Optional("aria-sort", c.Sorted), c.node())
		}))),
		markup.El("tbody", markup.Attr("role", "rowgroup"), each(t.Rows, t.row)),
		g.If(len(t.Totals) > 0, markup.El("tfoot", markup.Attr("role", "rowgroup"), t.row(t.Totals))),
	}))
}

// hasLinks reports whether a row has a link.
func (t *tabular) hasLinks() bool {
	return slices.ContainsFunc(t.Rows, func(row []cell) bool {
		return slices.ContainsFunc(row, func(c cell) bool { return c.To != "" || c.Tick != "" })
	})
}

// row returns a row. As a card, it shows each heading beside its value.
func (t *tabular) row(cells []cell) g.Node {
	row := g.Group{markup.Attr("role", "row"), g.If(isLacking(cells), markup.Attr("class", "lacking"))}
	for i, c := range cells {
		role := "rowheader"
		if i > 0 || c.Text == "" && c.Field == nil {
			role = "cell"
		}
		row = append(row, markup.El("td", markup.Attr("role", role), markup.Optional("class", c.Class), g.If(i > 0 && (c.Text != "" || c.Field != nil), markup.Attr("data-head", t.Heads[i].label())), c.node()))
	}
	return markup.El("tr", row)
}
