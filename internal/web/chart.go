package web

import (
	"fmt"
	"math"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// Heights of the chart in pixels. Widths are percentages of the page.
const (
	plotHeight = 200
	maxBars    = 366
	maxWidth   = 12   // of a bar, as a percentage of the plot
	maxLabels  = 16   // on a wide page; a phone shows every third
	maxSpread  = 0.25 // of the largest amount: a chart with a larger difference starts at 0
	minSpread  = 1e-4 // of the largest amount: ticks cannot show smaller differences
)

// chart plots amounts over time, such as the fees of a report: one bar per group, EVM below native. Only its lengths are
// floating point; each bar's title contains the exact figures.
type chart struct {
	Title string
	console.Token
	Layers   bool // the bars are of two layers
	Bars     []bar
	Ticks    []tick
	Compared string // the period that the lines show; "" for none
	From     string // where the scale starts; "" for 0
	Alone    bool   // no table of the page repeats the links of the bars
}

// bar plots one group. Horizontal positions are percentages of the plot, vertical ones are pixels.
type bar struct {
	X, W          string
	EVM, Native   int // heights
	EVMY, NativeY int // their upper edges
	Before        int // position of the line of the previous period, 0 for none
	Name, Exact   string
	Label, LabelX string
	OnPhone       bool   // the label is also shown on phones
	To            string // link target; "" for none
	Unknown       bool   // some of its fees are undetermined
}

// tick is a horizontal grid line.
type tick struct {
	Y    int
	Text string
}

// chartOf returns the chart of a report by block, hour, day or month, or nil if there is nothing to plot.
// Each bar links to the target returned by to.
func chartOf(made *report.Report, compared *report.Comparison, to func(name string) string) *chart {
	var now, before []*report.Group
	if compared != nil {
		for _, p := range compared.Pairs {
			now, before = append(now, p.Now), append(before, p.Before)
		}
	} else {
		now = made.Groups
	}
	if len(now) < 2 || len(now) > maxBars || (made.By != report.Hour && made.By != report.Day && made.By != report.Month && made.By != report.Block) {
		return nil
	}
	c := &chart{Title: "Fees by " + string(made.By), Token: made.Token, Layers: true}
	largest := 0.0
	for _, g := range append(now[:len(now):len(now)], before...) {
		largest = max(largest, tokens(c.Token, g.Fee))
	}
	if largest == 0 {
		return nil
	}
	_, top := c.scale(0, largest)
	height := func(w chain.Wei) int { return int(math.Round(tokens(c.Token, w) / top * plotHeight)) }
	for i, g := range now {
		name := g.Name(c.Token)
		b := bar{Name: name, EVM: height(g.EVMFee), To: to(name)}
		b.Native = height(g.Fee) - b.EVM
		b.Exact = fmt.Sprintf("%s: %s %s", name, c.Tokens(g.Fee), c.Symbol)
		if b.Name == notKnown && before != nil { // only the previous period is that long
			b.Name = before[i].Name(c.Token)
			b.Exact = b.Name + ": none"
		}
		if g.Undetermined > 0 {
			b.Unknown = true
			b.Exact += fmt.Sprintf(", and %s undetermined", console.Counted(g.Undetermined, "fee"))
		}
		if before != nil && before[i].EVM+before[i].Native > 0 { // the previous period may lack this day
			b.Before = plotHeight - height(before[i].Fee)
			b.Exact += fmt.Sprintf(", previously %s", c.Tokens(before[i].Fee))
			if n := before[i].Undetermined; n > 0 {
				b.Unknown = true
				b.Exact += fmt.Sprintf(", previously %s undetermined", console.Counted(n, "fee"))
			}
		}
		c.Bars = append(c.Bars, b)
	}
	c.place(made.By)
	if compared != nil {
		c.Compared = compared.Before.Name
	}
	return c
}

// plot draws a bar for each amount. It returns false if all are 0 or unknown. Levels, such as balances, that differ little
// are drawn from a value below them: from 0 they would look the same.
func (c *chart) plot(amounts []chain.Optional[chain.Wei], levels bool) bool {
	smallest, largest := math.Inf(1), 0.0
	for _, a := range amounts {
		if amount, known := a.Get(); known {
			length := tokens(c.Token, amount)
			smallest, largest = min(smallest, length), max(largest, length)
		}
	}
	if largest == 0 {
		return false
	}
	if spread := (largest - smallest) / largest; !levels || spread > maxSpread || spread < minSpread {
		smallest = 0
	}
	base, top := c.scale(smallest, largest)
	if base > 0 {
		c.From = tickText(base)
	}
	for i, a := range amounts {
		b := &c.Bars[i]
		amount, known := a.Get()
		if b.Unknown = !known; known {
			b.EVM = int(math.Round((tokens(c.Token, amount) - base) / (top - base) * plotHeight))
			b.Exact = fmt.Sprintf("%s: %s %s", b.Name, c.Tokens(amount), c.Symbol)
		} else {
			b.Exact = b.Name + ": " + notKnown
		}
	}
	c.place(report.Day)
	return true
}

// place places the bars and their labels side by side.
func (c *chart) place(by report.By) {
	each := (len(c.Bars) + maxLabels - 1) / maxLabels
	slot := 100 / float64(len(c.Bars))
	wide := min(slot*0.8, maxWidth)
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X, b.W, b.LabelX = percent(slot*(float64(i)+0.5)-wide/2), percent(wide), percent(slot*(float64(i)+0.5))
		b.EVMY = plotHeight - b.EVM
		b.NativeY = b.EVMY - b.Native
		if i%each == 0 {
			b.Label, b.OnPhone = short(by, b.Name), i%(3*each) == 0
		}
	}
}

// scale sets the ticks, at steps of 1, 2 or 5 times a power of ten, and returns the lowest and the highest. The lowest is
// 0 for a smallest amount of 0, otherwise at least half a step below it, so that each amount has a bar.
func (c *chart) scale(smallest, largest float64) (base, top float64) {
	step := math.Pow(10, math.Floor(math.Log10(largest-smallest)))
	for _, part := range []float64{5, 2, 1, 0.5, 0.2} {
		if (largest-smallest)/(step*part) >= 2.5 {
			step *= part
			break
		}
	}
	first := max(0, math.Floor(smallest/step-0.5))
	count := int(math.Ceil(largest/step-1e-9) - first)
	for i := range count + 1 {
		c.Ticks = append(c.Ticks, tick{plotHeight - i*plotHeight/count, tickText((first + float64(i)) * step)})
	}
	return step * first, step * (first + float64(count))
}

// tickText returns the text of a tick: without an exponent, and in millions from there on.
func tickText(v float64) string {
	unit := ""
	if v >= 1e6 {
		v, unit = v/1e6, "M"
	}
	text := strconv.FormatFloat(v, 'g', 6, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return text + unit
}

// short returns a group's label below its bar.
func short(by report.By, name string) string {
	switch {
	case by == report.Day && len(name) == len("2026-01-31"):
		return name[5:]
	case by == report.Hour && len(name) > len("2026-01-31T13:00"):
		return name[11:16]
	}
	return name
}

// tokens converts an amount to a length.
func tokens(t console.Token, w chain.Wei) float64 { return lengthOf(t, w).InexactFloat64() }

func percent(part float64) string { return strconv.FormatFloat(part, 'f', 3, 64) + "%" }
