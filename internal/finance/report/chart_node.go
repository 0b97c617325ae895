package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
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
	for _, gap := range c.Gaps {
		plot = append(plot, markup.El("rect", markup.Attr("class", "gap"), markup.Attr("x", gap.X), markup.Attr("width", gap.W), markup.Attr("height", strconv.Itoa(plotHeight))))
		if gap.Wide {
			plot = append(plot, svgText("wide", gap.Middle, plotHeight/2, "middle", NotInLedger))
		}
	}
	for i := range c.Bars {
		plot = append(plot, c.bar(&c.Bars[i]))
	}
	bars = append(bars, c.pattern("native"), c.pattern("part"), markup.El("svg", plot...))
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

// hatched are the classes of rectangles that are filled with a pattern, so that they differ without colour.
var hatched = []string{"native", "part"}

// fill fills a rectangle of some classes with a pattern.
func (c *Chart) fill(class string) g.Node {
	return g.If(slices.Contains(hatched, class), markup.Attr("fill", "url(#"+c.patternID(class)+")"))
}

func (c *Chart) patternID(class string) string {
	return class + "-" + strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, c.Title))
}

// pattern hatches a class.
func (c *Chart) pattern(class string) g.Node {
	return markup.El("defs", markup.El("pattern", markup.Attr("id", c.patternID(class)), markup.Attr("class", "hatch "+class+"s"), markup.Attr("width", "5"), markup.Attr("height", "5"), markup.Attr("patternUnits", "userSpaceOnUse"),
		markup.El("rect", markup.Attr("width", "5"), markup.Attr("height", "5")), markup.El("path", markup.Attr("d", "M-1 1L1 -1M0 5L5 0M4 6L6 4"))))
}

// legend names the layers, and what the ledger lacks; nil for a chart without them.
func (c *Chart) legend() g.Node {
	if !c.Layers {
		return nil
	}
	key := func(class, y, width, height, text string) g.Node {
		return g.Group{markup.Text(" "), markup.El("svg", markup.Attr("width", width), markup.Attr("height", "10"), markup.Attr("aria-hidden", "true"), markup.El("rect", markup.Attr("class", class), c.fill(class), markup.Optional("y", y), markup.Attr("width", width), markup.Attr("height", height))), markup.Text(" " + text)}
	}
	lacks := g.Group{g.If(len(c.Gaps) > 0, key("gap", "", "10", "10", NotInLedger)), g.If(len(c.Parts) > 0, key("part", "", "10", "10", strings.Join(c.Parts, ", ")))}
	compared := g.If(c.Compared != "", key("before", "4", "14", "2", c.Compared))
	return g.Group{markup.Text(" "), markup.El("span", markup.Attr("class", "legend"), key("evm", "", "10", "10", "EVM"), key("native", "", "10", "10", "native"), compared, lacks)}
}

// bar draws a bar with its exact figures as its title.
func (c *Chart) bar(b *Bar) g.Node {
	rect := func(class string, y, height int) g.Node {
		return markup.El("rect", markup.Attr("class", class), c.fill(class), markup.Attr("x", b.X), markup.Attr("y", strconv.Itoa(y)), markup.Attr("width", b.W), markup.Attr("height", strconv.Itoa(height)))
	}
	parts := g.Group{markup.El("title", markup.Text(b.Exact))}
	switch {
	case b.Lacking:
		parts = append(parts, rect("nothing", 0, plotHeight))
	case b.Part:
		parts = append(parts, rect("part", 0, plotHeight))
	}
	parts = append(parts, rect("evm", b.EVMY, b.EVM))
	if b.Native != 0 {
		parts = append(parts, rect("native", b.NativeY, b.Native))
	}
	if b.Before != 0 {
		parts = append(parts, rect("before", b.Before, 2))
	}
	if b.Value != "" {
		parts = append(parts, svgText("value", b.LabelX, b.NativeY-3, "middle", b.Value))
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
	return markup.El("a", markup.Address{Name: "href", To: b.To}, reach, bar)
}

// svgText returns text of a class at a place.
func svgText(class, x string, y int, anchor, text string, more ...g.Node) g.Node {
	return markup.El("text", markup.Optional("class", class), markup.Attr("x", x), markup.Attr("y", strconv.Itoa(y)), g.Group(more), markup.Attr("text-anchor", anchor), markup.Text(text))
}
