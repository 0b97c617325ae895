package report

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Node returns the chart as SVG; nil for none. It contains no style: the page's style sheet sets the colors by class.
func (c *Chart) Node() g.Node {
	if c == nil {
		return nil
	}
	bars := g.Group{markup.Attr("class", "bars"), markup.Attr("width", "100%"), markup.Attr("height", "230"), markup.Attr("role", "group"), markup.Attr("aria-label", fmt.Sprintf("%s: %d bars", c.Title, len(c.Bars)))}
	ticks := g.Group{markup.Attr("class", "ticks"), markup.Attr("width", "56"), markup.Attr("height", "230"), markup.Attr("aria-hidden", "true")}
	plot := g.Group{markup.Attr("y", "8"), markup.Attr("overflow", "visible")}
	for _, t := range c.Ticks {
		ticks = append(ticks, svgText("", "50", t.Y, "end", t.Text, markup.Attr("dy", "12")))
		plot = append(plot, markup.El("rect", markup.Attr("class", "grid"), markup.Attr("y", strconv.Itoa(t.Y)), markup.Attr("width", "100%"), markup.Attr("height", "1")))
	}
	for i := range c.Bars {
		plot = append(plot, c.bar(&c.Bars[i]))
	}
	bars = append(bars, markup.El("svg", plot...))
	for _, b := range c.Bars {
		if b.Label != "" {
			bars = append(bars, svgText(map[bool]string{false: "wide"}[b.OnPhone], b.LabelX, 226, "middle", b.Label))
		}
	}
	return markup.El("figure", markup.El("figcaption", markup.Text(c.caption()), c.legend()), markup.El("div", markup.Attr("class", "plot"), markup.El("svg", ticks...), markup.El("svg", bars...)))
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
		return g.Group{markup.Text(" "), markup.El("svg", markup.Attr("width", width), markup.Attr("height", "10"), markup.Attr("aria-hidden", "true"), markup.El("rect", markup.Attr("class", class), markup.Optional("y", y), markup.Attr("width", width), markup.Attr("height", height))), markup.Text(" " + text)}
	}
	compared := g.If(c.Compared != "", key("before", "4", "14", "2", c.Compared))
	return g.Group{markup.Text(" "), markup.El("span", markup.Attr("class", "legend"), key("evm", "", "10", "10", "EVM"), key("native", "", "10", "10", "native"), compared)}
}

// bar draws a bar with its exact figures as its title.
func (c *Chart) bar(b *Bar) g.Node {
	rect := func(class string, y, height int) g.Node {
		return markup.El("rect", markup.Attr("class", class), markup.Attr("x", b.X), markup.Attr("y", strconv.Itoa(y)), markup.Attr("width", b.W), markup.Attr("height", strconv.Itoa(height)))
	}
	parts := g.Group{markup.El("title", markup.Text(b.Exact)), rect("evm", b.EVMY, b.EVM)}
	if b.Native != 0 {
		parts = append(parts, rect("native", b.NativeY, b.Native))
	}
	if b.Before != 0 {
		parts = append(parts, rect("before", b.Before, 2))
	}
	if b.Unknown {
		parts = append(parts, svgText("unknown", b.LabelX, 10, "middle", "?"))
	}
	bar := markup.El("g", parts...)
	if b.To == "" {
		return bar
	}
	reach := markup.Attr("tabindex", "-1")
	if c.Alone {
		reach = markup.Attr("aria-label", b.Exact)
	}
	return markup.El("a", markup.Attr("href", plain.URL(b.To)), reach, bar)
}

// svgText returns text of a class at a place.
func svgText(class, x string, y int, anchor, text string, more ...g.Node) g.Node {
	return markup.El("text", markup.Optional("class", class), markup.Attr("x", x), markup.Attr("y", strconv.Itoa(y)), g.Group(more), markup.Attr("text-anchor", anchor), markup.Text(text))
}
