package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"github.com/wcharczuk/go-chart/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// bar is a bar of a chart. Its length is floating-point geometry; exact figures are in the
// table.
type bar struct {
	label  string
	length float64
}

// frame is the size of a chart in pixels, and its capacity.
type frame struct {
	width, height int
	timeBars      int // maximum number of groups of time
	ranked        int // maximum number of other groups
	label         int // maximum characters of a word in a label
	bottom        int // for the labels
}

// The frames of a wide and of a narrow page, with the same font size.
var (
	wideFrame   = frame{width: 1080, height: 260, timeBars: 62, ranked: 10, label: 14}
	narrowFrame = frame{width: 360, height: 220, timeBars: 24, ranked: 4, label: 9}
)

// Drawing is a chart on a page, for wide and for narrow windows. It contains no script and no
// style.
type Drawing struct {
	Title        string
	Wide, Narrow template.HTML
}

// Charts returns the charts of the fee and of the number of transactions, or none if there is nothing to
// show.
func (r *Report) Charts() (list []Drawing, err error) {
	for _, c := range []struct {
		title string
		shift int32 // decimals of the unit on the axis
		value func(*Group) float64
	}{
		{"Fee in " + r.Symbol, int32(r.Places()), func(g *Group) float64 { return length(g.Fee) }},
		{"Transactions", 0, func(g *Group) float64 { return float64(g.EVM + g.Native) }},
	} {
		d := Drawing{Title: c.title + " by " + string(r.By)}
		for _, part := range []struct {
			frame frame
			to    *template.HTML
		}{{wideFrame, &d.Wide}, {narrowFrame, &d.Narrow}} {
			bars, each := r.bars(part.frame, c.value)
			if *part.to, err = part.frame.draw(bars, c.shift); err != nil {
				return nil, err
			}
			if each > 1 && part.frame == wideFrame {
				d.Title += fmt.Sprintf(", %d per bar", each)
			}
		}
		if d.Wide != "" {
			list = append(list, d)
		}
	}
	return list, nil
}

// length converts an amount to a bar's length.
func length(amount chain.Wei) float64 {
	n, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil {
		panic(err) // at most 39 digits
	}
	return n
}

// bars returns the bars of the groups. For groups of time, each bar combines as many consecutive groups as
// needed to fit; for others, the last bar combines all groups that do not fit.
func (r *Report) bars(f frame, value func(*Group) float64) (bars []bar, each int) {
	if r.By.ofTime() && r.Top == 0 {
		each = (len(r.Groups) + f.timeBars - 1) / f.timeBars
		for i, g := range r.Groups {
			if i%each == 0 {
				bars = append(bars, bar{label: chartLabel(g, f.label, r.Token)})
			}
			bars[len(bars)-1].length += value(g)
		}
		return bars, each
	}
	for i, g := range r.Groups {
		switch {
		case i < f.ranked:
			bars = append(bars, bar{label: chartLabel(g, f.label, r.Token)})
		case i == f.ranked:
			bars = append(bars, bar{label: fmt.Sprintf("%d\nothers", len(r.Groups)-f.ranked)})
		}
		bars[len(bars)-1].length += value(g)
	}
	return bars, 1
}

// chartLabel returns a short name of a group without characters that are special in SVG: the chart library
// writes text unescaped.
func chartLabel(g *Group, limit int, token console.Token) string {
	if n, ok := g.Others.Get(); ok {
		return fmt.Sprintf("%d\nothers", n)
	}
	name := g.Name(token)
	for _, address := range []chain.Optional[chain.Address]{g.Account, g.Contract} {
		if label, ok := g.Label.Get(); ok {
			name = label
			break
		}
		if a, ok := address.Get(); ok {
			text := token.Account(a)
			name = text[2:6] + "…" + text[len(text)-4:]
			if g.Account.Known() {
				return name
			}
			return "contract\n" + name
		}
	}
	if hour, ok := g.Hour.Get(); ok {
		return hour[5:10] + " " + hour[11:16]
	}
	var words []string
	for word := range strings.FieldsFuncSeq(strings.Map(plainRune, name), func(r rune) bool { return r == ' ' || r == '.' }) {
		if runes := []rune(word); len(runes) > limit {
			word = string(runes[:limit-1]) + "…"
		}
		words = append(words, word)
	}
	if g.Call.Known() && len(words) > 2 {
		words = words[len(words)-2:] // without the layer
	}
	return strings.Join(words, "\n")
}

func plainRune(r rune) rune {
	switch {
	case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)), strings.ContainsRune(" .:-_", r):
		return r
	}
	return '?'
}

// draw renders the chart as SVG without a fixed size, or nothing if all bars are empty. The page's style sheet
// sets the colors by class.
func (f frame) draw(bars []bar, shift int32) (template.HTML, error) {
	longest := 0.0
	for _, b := range bars {
		longest = max(longest, b.length)
	}
	if longest == 0 {
		return "", nil
	}
	ticks := axis(longest, shift)
	end := ticks[len(ticks)-1].Value
	f.bottom = oneLine
	if !f.crowded(bars) {
		f.bottom = twoLines
	}
	room := f.room(ticks, bars)
	space := max(1, room/4)
	text := chart.Style{ClassName: "axis", FontSize: 11, StrokeWidth: 1}
	c := chart.BarChart{
		Width: f.width, Height: f.height, DPI: 72, BarWidth: max(1, room-space), BarSpacing: space,
		Background: chart.Style{ClassName: "back", Padding: chart.Box{Top: margin, Left: margin, Right: margin, Bottom: f.bottom}},
		Canvas:     chart.Style{ClassName: "back"},
		XAxis:      text,
		YAxis: chart.YAxis{
			AxisType: chart.YAxisSecondary, // on the left
			Style:    text, TickStyle: text, GridMajorStyle: chart.Hidden(), GridMinorStyle: chart.Hidden(), Zero: chart.GridLine{Style: chart.Hidden()},
			Ticks: ticks, Range: &chart.ContinuousRange{Min: 0, Max: end},
		},
		Elements: []chart.Renderable{func(r chart.Renderer, box chart.Box, _ chart.Style) {
			r.SetClassName("grid")
			for _, t := range ticks[1:] {
				y := box.Bottom - int(t.Value/end*float64(box.Height()))
				r.MoveTo(box.Left, y)
				r.LineTo(box.Right, y)
				r.Stroke()
			}
		}},
	}
	every := 1
	if f.crowded(bars) {
		c.XAxis.TextWrap = chart.TextWrapNone
		every = labelEvery(bars, room)
	}
	for i, b := range bars {
		v := chart.Value{Value: b.length, Style: chart.Style{ClassName: "bar", StrokeWidth: 0}}
		if i%every == 0 {
			v.Label = b.label
		}
		c.Bars = append(c.Bars, v)
	}
	var out bytes.Buffer
	if err := c.Render(chart.SVG, &out); err != nil {
		return "", err
	}
	return template.HTML(strings.Replace(out.String(), svgStart, `<svg viewBox=`, 1)), nil
}

// svgStart is the library's opening tag with namespaces that inline SVG does not need: the page must not
// contain any address.
const svgStart = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox=`

// Margins around the bars, in pixels; the library doubles the bottom margin.
const (
	letter   = 7 // width of the widest letter
	margin   = 10
	oneLine  = 16
	twoLines = 24
)

// room returns the width available for a bar and its spacing.
func (f frame) room(ticks []chart.Tick, bars []bar) int {
	longest := 0
	for _, t := range ticks {
		longest = max(longest, len(t.Label))
	}
	return max(2, (f.width-3*margin-longest*letter)/len(bars))
}

// crowded reports whether there are too many bars to label each one.
func (f frame) crowded(bars []bar) bool { return len(bars) > f.ranked+1 }

// labelEvery returns the interval between labelled bars at which labels do not overlap.
func labelEvery(bars []bar, room int) int {
	longest := 0
	for _, b := range bars {
		longest = max(longest, len([]rune(b.label)))
	}
	return (longest*letter + room) / room
}

// axis returns at most 6 ticks from 0 to the first that reaches the longest bar, 1, 2 or 5 times a power of 10
// apart. Their text is exact.
func axis(longest float64, shift int32) (ticks []chart.Tick) {
	power := max(int32(math.Floor(math.Log10(longest)))-1, 0) // wei and transactions are integers
	for {
		for _, mantissa := range []int64{1, 2, 5} {
			step := float64(mantissa) * math.Pow10(int(power))
			if n := int64(math.Ceil(longest / step)); n <= 5 {
				for i := range n + 1 {
					ticks = append(ticks, chart.Tick{Value: float64(i) * step, Label: decimal.New(i*mantissa, power).Shift(-shift).String()})
				}
				return ticks
			}
		}
		power++
	}
}
