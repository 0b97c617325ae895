package report

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/feeledger/fees/internal/sys/plain"
)

// Node returns the chart as SVG; nil for none. It contains no style: the page's style sheet sets the colors by class.
func (c *Chart) Node() g.Node {
	if c == nil {
		return nil
	}
	bars := g.Group{h.Class("bars"), h.Width("100%"), h.Height("230"), h.Role("group"), h.Aria("label", fmt.Sprintf("%s: %d bars", c.Title, len(c.Bars)))}
	ticks := g.Group{h.Class("ticks"), h.Width("56"), h.Height("230"), h.Aria("hidden", "true")}
	plot := g.Group{g.Attr("y", "8"), g.Attr("overflow", "visible")}
	for _, t := range c.Ticks {
		ticks = append(ticks, svgText("", "50", t.Y, "end", t.Text, g.Attr("dy", "12")))
		plot = append(plot, g.El("rect", h.Class("grid"), g.Attr("y", strconv.Itoa(t.Y)), h.Width("100%"), h.Height("1")))
	}
	for i := range c.Bars {
		plot = append(plot, c.bar(&c.Bars[i]))
	}
	bars = append(bars, h.SVG(plot...))
	for _, b := range c.Bars {
		if b.Label != "" {
			bars = append(bars, svgText(map[bool]string{false: "wide"}[b.OnPhone], b.LabelX, 226, "middle", b.Label))
		}
	}
	return h.Figure(h.FigCaption(g.Text(c.caption()), c.legend()), h.Div(h.Class("plot"), h.SVG(ticks...), h.SVG(bars...)))
}

func (c *Chart) caption() string {
	text := c.Title
	if c.Unit != "" {
		text += ", " + c.Unit
	}
	if c.From != "" {
		text += "; the scale starts at " + c.From
	}
	return text
}

// legend names the layers; nil for a chart without them.
func (c *Chart) legend() g.Node {
	if !c.Layers {
		return nil
	}
	key := func(class, y, width, height, text string) g.Node {
		return g.Group{g.Text(" "), h.SVG(h.Width(width), h.Height("10"), h.Aria("hidden", "true"), g.El("rect", h.Class(class), attribute("y", y), h.Width(width), h.Height(height))), g.Text(" " + text)}
	}
	compared := g.If(c.Compared != "", key("before", "4", "14", "2", c.Compared))
	return g.Group{g.Text(" "), h.Span(h.Class("legend"), key("evm", "", "10", "10", "EVM"), key("native", "", "10", "10", "native"), compared)}
}

// bar draws a bar with its exact figures as its title.
func (c *Chart) bar(b *Bar) g.Node {
	rect := func(class string, y, height int) g.Node {
		return g.El("rect", h.Class(class), g.Attr("x", b.X), g.Attr("y", strconv.Itoa(y)), h.Width(b.W), h.Height(strconv.Itoa(height)))
	}
	parts := g.Group{g.El("title", g.Text(b.Exact)), rect("evm", b.EVMY, b.EVM)}
	if b.Native != 0 {
		parts = append(parts, rect("native", b.NativeY, b.Native))
	}
	if b.Before != 0 {
		parts = append(parts, rect("before", b.Before, 2))
	}
	if b.Unknown {
		parts = append(parts, svgText("unknown", b.LabelX, 10, "middle", "?"))
	}
	bar := g.El("g", parts...)
	if b.To == "" {
		return bar
	}
	reach := h.TabIndex("-1")
	if c.Alone {
		reach = h.Aria("label", b.Exact)
	}
	return h.A(h.Href(plain.URL(b.To)), reach, bar)
}

// svgText returns text of a class at a place.
func svgText(class, x string, y int, anchor, text string, more ...g.Node) g.Node {
	return g.El("text", attribute("class", class), g.Attr("x", x), g.Attr("y", strconv.Itoa(y)), g.Group(more), g.Attr("text-anchor", anchor), g.Text(text))
}

// attribute returns an attribute; nil without a value.
func attribute(name, value string) g.Node { return g.If(value != "", g.Attr(name, value)) }
