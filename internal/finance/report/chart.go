package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Compared string   // the period that the lines show; "" for none
	From     string   // where the scale starts; "" for 0
	Alone    bool     // no table of the page repeats the links of the bars
	Gaps     []Gap    // what the ledger lacks
	Parts    []string // names and parts of the bars that the ledger contains only a part of
}

// Gap is a stretch of time that the ledger lacks.
type Gap struct {
	X, W, Middle string
	Wide         bool // it has room for words
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
	Lacking       bool   // the ledger lacks its time
	Part          bool   // the ledger contains only a part of its time
	Value         string // written above it; "" for most bars
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
	if !r.By.OfTime() || len(groups) > MaxBars || r.apart {
		return nil
	}
	c := r.plot(r.fees(), groups, before)
	if c == nil {
		return nil
	}
	for i := range c.Bars {
		if !c.Bars[i].Lacking {
			c.Bars[i].To = to(groups[i].Name(r.Token))
		}
	}
	if compared != nil {
		c.Compared = console.PeriodName(compared.Before.Name)
	}
	return c
}

// charts returns the charts of the fees and of the number of transactions.
func (r *Report) charts() (list []*Chart) {
	groups, rest := r.Groups, []*Group(nil)
	if r.By.OfTime() && (len(groups) > MaxBars || r.apart) {
		return nil
	} else if !r.By.OfTime() {
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
		c.covered(&b, g)
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
	c.spikes(m, groups)
	c.place(r.By)
	return c
}

// covered marks a bar of a group of which the ledger lacks something.
func (c *Chart) covered(b *Bar, g *Group) {
	switch {
	case g.lacking():
		b.Lacking, b.Exact = true, b.Name+": "+NotInLedger
	case g.part():
		b.Part, b.Exact = true, b.Exact+", "+g.Slot.Words()
		c.Parts = append(c.Parts, dayText(b.Name)+" "+g.Slot.Words())
	}
}

// Bars of at least spike times the median have their value written above them, if there is room: at most one in each
// valueRoom percent of the plot.
const (
	spike     = 3
	valueRoom = 8
)

func (c *Chart) spikes(m measure, groups []*Group) {
	var sizes []float64
	for _, g := range groups {
		if size := m.all(g); size > 0 {
			sizes = append(sizes, size)
		}
	}
	if len(sizes) < 5 {
		return
	}
	slices.Sort(sizes)
	least, apart := spike*sizes[len(sizes)/2], valueRoom*len(c.Bars)/100
	var order []int
	for i, g := range groups {
		if m.all(g) >= least {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.all(groups[b]), m.all(groups[a])) })
	for k, i := range order {
		if !slices.ContainsFunc(order[:k], func(j int) bool { return c.Bars[j].Value != "" && max(i-j, j-i) <= apart }) {
			c.Bars[i].Value = strconv.FormatFloat(m.all(groups[i]), 'f', valueDecimals(m.all(groups[i])), 64)
		}
	}
}

// valueDecimals returns how many decimals a value above a bar has.
func valueDecimals(value float64) int {
	switch {
	case value >= 1000 || value == math.Trunc(value):
		return 0
	case value >= 10:
		return 1
	case value >= 0.1:
		return 3
	}
	return 6
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
	labelled := labels(by, c.Bars)
	slot := 100 / float64(len(c.Bars))
	wide := min(slot*0.8, maxWidth)
	percent := func(part float64) string { return strconv.FormatFloat(part, 'f', 3, 64) + "%" }
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X, b.W, b.LabelX = percent(slot*(float64(i)+0.5)-wide/2), percent(wide), percent(slot*(float64(i)+0.5))
		b.EVMY = plotHeight - b.EVM
		b.NativeY = b.EVMY - b.Native
		if l, ok := labelled[i]; ok {
			b.Label, b.OnPhone = l.text, l.onPhone
		}
		if !b.Lacking {
			continue
		}
		if i > 0 && c.Bars[i-1].Lacking {
			c.Gaps = c.Gaps[:len(c.Gaps)-1]
		}
		first := i
		for first > 0 && c.Bars[first-1].Lacking {
			first--
		}
		width := slot * float64(i-first+1)
		c.Gaps = append(c.Gaps, Gap{percent(slot * float64(first)), percent(width), percent(slot*float64(first) + width/2), width >= gapRoom})
	}
}

// gapRoom is the width of the words in a gap, as a percentage of the plot on a wide page.
const gapRoom = 12

// label is a text below a bar.
type label struct {
	text    string
	onPhone bool
}

// labels returns the texts below bars. Days are labelled by weekday: each of a fortnight, the Mondays of some months, and
// the months of a year.
func labels(by By, bars []Bar) map[int]label {
	list := map[int]label{}
	each := (len(bars) + maxLabels - 1) / maxLabels
	var days []time.Time
	for i := range bars {
		if at, err := time.Parse(time.DateOnly, bars[i].Name); err == nil && by == Day {
			days = append(days, at)
		}
	}
	if len(days) < len(bars) {
		for i := 0; i < len(bars); i += each {
			list[i] = label{short(by, bars[i].Name), i%(3*each) == 0}
		}
		return list
	}
	for i, day := range days {
		switch {
		case len(days) <= 14:
			list[i] = label{day.Format("Mon 2"), i%3 == 0}
		case len(days) <= 16*7 && day.Weekday() == time.Monday:
			step := 1 + len(days)/40
			if len(list)%step == 0 || len(days) <= 40 {
				list[i] = label{day.Format("Mon 2 Jan"), len(list)%(2*step) == 0}
			}
		case len(days) > 16*7 && day.Day() == 1:
			list[i] = label{day.Format("Jan"), len(list)%3 == 0}
		}
	}
	return list
}

// dayText returns the name of a day or an hour, without its year, for people; other names unchanged.
func dayText(name string) string {
	if at, err := time.Parse(time.DateOnly, name); err == nil {
		return at.Format("2 Jan")
	}
	if at, err := time.Parse(time.RFC3339, name); err == nil { // an hour
		return at.Format("2 Jan 15:04")
	}
	return name
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
	case by == Day:
		return dayText(name)
	case by == Hour && len(name) > len("2026-01-31T13:00"):
		return name[11:16]
	case by.OfTime():
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
