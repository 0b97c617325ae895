package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Heights of a chart in pixels. Widths are percentages of the page.
const (
	plotHeight = 200
	maxRanked  = 10   // groups that are not periods of time, besides the sum of the others
	maxWidth   = 12   // of a bar, as a percentage of the plot
	maxLabels  = 16   // on a wide page; a phone shows every third
	maxLabel   = 14   // characters
	maxSpread  = 0.25 // of the largest amount: a chart with a larger difference starts at 0
	minSpread  = 1e-4 // of the largest amount: ticks cannot show smaller differences

	// MaxBars limits the bars of a chart.
	MaxBars = 366
)

// Chart plots amounts side by side, such as the fees of a report: one bar per group, EVM below native. Only its lengths are
// floating point; each bar's title contains the exact figures.
type Chart struct {
	Title    string
	Unit     string // of the amounts
	Layers   bool   // the bars are of two layers
	Bars     []Bar
	Ticks    []Tick
	Compared string // the period that the lines show; "" for none
	From     string // where the scale starts; "" for 0
	Alone    bool   // no table of the page repeats the links of the bars
}

// Bar plots one group. Horizontal positions are percentages of the plot, vertical ones are pixels.
type Bar struct {
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

// Tick is a horizontal grid line.
type Tick struct {
	Y    int
	Text string
}

// measure is what the bars of a report show.
type measure struct {
	title, unit string
	evm, all    func(*Group) float64
	exact       func(*Group) string
}

// fees measures fees, in tokens.
func (r *Report) fees() measure {
	return measure{
		"Fees", r.Symbol,
		func(g *Group) float64 { return tokens(r.Token, g.EVMFee) }, func(g *Group) float64 { return tokens(r.Token, g.Fee) },
		func(g *Group) string { return r.Tokens(g.Fee) + " " + r.Symbol },
	}
}

// transactions measures numbers of transactions.
func (r *Report) transactions() measure {
	return measure{
		"Transactions", "",
		func(g *Group) float64 { return float64(g.EVM) }, func(g *Group) float64 { return float64(g.EVM + g.Native) },
		func(g *Group) string { return console.Counted(g.EVM+g.Native, "transaction") },
	}
}

// Chart returns the chart of the fees by block, hour, day or month, or nil if there is nothing to plot. A comparison, if
// not nil, adds the fees of the previous period. Each bar links to the target returned by to.
func (r *Report) Chart(compared *Comparison, to func(name string) string) *Chart {
	groups, before := r.Groups, []*Group(nil)
	if compared != nil {
		groups = nil
		for _, p := range compared.Pairs {
			groups, before = append(groups, p.Now), append(before, p.Before)
		}
	}
	if !r.By.ofTime() || len(groups) > MaxBars {
		return nil
	}
	c := r.plot(r.fees(), groups, before)
	if c == nil {
		return nil
	}
	for i := range c.Bars {
		c.Bars[i].To = to(groups[i].Name(r.Token))
	}
	if compared != nil {
		c.Compared = compared.Before.Name
	}
	return c
}

// charts returns the charts of the fees and of the number of transactions.
func (r *Report) charts() (list []*Chart) {
	groups, rest := r.Groups, []*Group(nil)
	if r.By.ofTime() && len(groups) > MaxBars {
		return nil
	} else if !r.By.ofTime() {
		top := min(len(groups), maxRanked)
		groups, rest = groups[:top:top], groups[top:]
	}
	for _, m := range []measure{r.fees(), r.transactions()} {
		if c := r.plot(m, groups, nil, rest...); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// plot draws a bar for each group, and one for the rest together. It returns nil if there are fewer than two, or if all are
// empty.
func (r *Report) plot(m measure, groups, before []*Group, rest ...*Group) *Chart {
	sum := func(of func(*Group) float64) (all float64) {
		for _, g := range rest {
			all += of(g)
		}
		return all
	}
	largest := sum(m.all)
	for _, g := range append(groups[:len(groups):len(groups)], before...) {
		largest = max(largest, m.all(g))
	}
	if len(groups) < 2 || largest == 0 {
		return nil
	}
	c := &Chart{Title: m.title + " by " + string(r.By), Unit: m.unit, Layers: true}
	_, top := c.scale(0, largest)
	height := func(length float64) int { return int(math.Round(length / top * plotHeight)) }
	for i, g := range groups {
		b := Bar{Name: plain.Line(g.Name(r.Token)), EVM: height(m.evm(g))}
		b.Native = height(m.all(g)) - b.EVM
		b.Exact = b.Name + ": " + m.exact(g)
		if b.Name == notKnown && before != nil { // only the previous period is that long
			b.Name = before[i].Name(r.Token)
			b.Exact = b.Name + ": none"
		}
		b.undetermined(g, ", and ")
		if before != nil && before[i].EVM+before[i].Native > 0 { // the previous period may lack this day
			b.Before = plotHeight - height(m.all(before[i]))
			b.Exact += ", previously " + r.Tokens(before[i].Fee)
			b.undetermined(before[i], ", previously ")
		}
		c.Bars = append(c.Bars, b)
	}
	if len(rest) > 0 {
		name := fmt.Sprintf("%d others", len(rest))
		b := Bar{Name: name, EVM: height(sum(m.evm)), Exact: name}
		b.Native = height(sum(m.all)) - b.EVM
		c.Bars = append(c.Bars, b)
	}
	c.place(r.By)
	return c
}

// undetermined marks a bar of a group some of whose fees are unknown.
func (b *Bar) undetermined(g *Group, before string) {
	if g.Undetermined > 0 {
		b.Unknown = true
		b.Exact += before + console.Counted(g.Undetermined, "fee") + " undetermined"
	}
}

// Plot draws a bar for each amount of a token, by day. It returns false if all are 0 or unknown. Levels, such as balances,
// that differ little are drawn from a value below them: from 0 they would look the same.
func (c *Chart) Plot(token console.Token, amounts []chain.Optional[chain.Wei], levels bool) bool {
	c.Unit = token.Symbol
	smallest, largest := math.Inf(1), 0.0
	for _, a := range amounts {
		if amount, known := a.Get(); known {
			length := tokens(token, amount)
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
		c.From = TickText(base)
	}
	for i, a := range amounts {
		b := &c.Bars[i]
		amount, known := a.Get()
		if b.Unknown = !known; known {
			b.EVM = int(math.Round((tokens(token, amount) - base) / (top - base) * plotHeight))
			b.Exact = fmt.Sprintf("%s: %s %s", b.Name, token.Tokens(amount), token.Symbol)
		} else {
			b.Exact = b.Name + ": " + notKnown
		}
	}
	c.place(Day)
	return true
}

// place places the bars and their labels side by side.
func (c *Chart) place(by By) {
	each := (len(c.Bars) + maxLabels - 1) / maxLabels
	slot := 100 / float64(len(c.Bars))
	wide := min(slot*0.8, maxWidth)
	percent := func(part float64) string { return strconv.FormatFloat(part, 'f', 3, 64) + "%" }
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
func (c *Chart) scale(smallest, largest float64) (base, top float64) {
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
		c.Ticks = append(c.Ticks, Tick{plotHeight - i*plotHeight/count, TickText((first + float64(i)) * step)})
	}
	return step * first, step * (first + float64(count))
}

// TickText returns the text of a tick: without an exponent, and in millions from there on.
func TickText(v float64) string {
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
func short(by By, name string) string {
	switch {
	case by == Day && len(name) == len("2026-01-31"):
		return name[5:]
	case by == Hour && len(name) > len("2026-01-31T13:00"):
		return name[11:16]
	case by.ofTime():
		return name
	}
	name = name[strings.LastIndex(name, ".")+1:] // a call without its pallet
	if letters := []rune(name); len(letters) > maxLabel {
		return string(letters[:maxLabel-1]) + "…"
	}
	return name
}

// tokens converts an amount to a length.
func tokens(t console.Token, w chain.Wei) float64 {
	length, err := strconv.ParseFloat(t.Tokens(w), 64)
	if err != nil {
		panic(err) // a decimal number of at most 40 digits
	}
	return length
}
