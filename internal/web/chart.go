package web

import (
	"fmt"
	"math"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// The chart's heights, in pixels: its widths are parts of the page's.
const (
	plotHeight = 200
	mostBars   = 366
	mostLabels = 16 // on a wide page; a phone has each third
)

// chart are the fees of a report by time: bars of both layers, EVM below native. Its lengths alone
// are floating point; the figures are those of the table, each in the title of its bar.
type chart struct {
	Title, Unit string
	Bars        []bar
	Ticks       []tick
	Compared    string // the period that the lines are of; "" is none
}

// bar is a group's. Places across are in percent of the plot, and those upwards in pixels.
type bar struct {
	X, W          string
	EVM, Native   int // heights
	EVMY, NativeY int // their upper ends
	Before        int // where the line of the period before is, 0 for none
	Name, Exact   string
	Label, LabelX string
	OnPhone       bool   // a phone has the label, too
	To            string // where it leads; "" is nowhere
	Unknown       bool   // some of its fees are in no sum
}

// tick is a line across.
type tick struct {
	Y    int
	Text string
}

// chartOf is the chart of a report by blocks, hours, days or months; nil where there is none to draw.
// A bar leads where to says.
func chartOf(made *report.Report, compared *report.Comparison, to func(name string) string) *chart {
	var now, before []*report.Group
	if compared != nil {
		for _, p := range compared.Pairs {
			now, before = append(now, p.Now), append(before, p.Before)
		}
	} else {
		now = made.Groups
	}
	if len(now) < 2 || len(now) > mostBars || (made.By != report.Hour && made.By != report.Day && made.By != report.Month && made.By != report.Block) {
		return nil
	}
	c := &chart{Title: "Fees by " + string(made.By), Unit: made.Symbol}
	most := 0.0
	for _, g := range append(now[:len(now):len(now)], before...) {
		most = max(most, tokens(g.Fee))
	}
	if most == 0 {
		return nil
	}
	top := c.scale(most)
	height := func(w chain.Wei) int { return int(math.Round(tokens(w) / top * plotHeight)) }
	each := (len(now) + mostLabels - 1) / mostLabels
	slot := 100 / float64(len(now))
	for i, g := range now {
		b := bar{X: percent(slot * (float64(i) + 0.1)), W: percent(slot * 0.8), LabelX: percent(slot * (float64(i) + 0.5)), EVM: height(g.EVMFee), Name: g.Name()}
		b.To = to(g.Name())
		b.Native = height(g.Fee) - b.EVM
		b.EVMY = plotHeight - b.EVM
		b.NativeY = b.EVMY - b.Native
		b.Exact = fmt.Sprintf("%s: %s %s", g.Name(), console.Tokens(g.Fee), made.Symbol)
		if g.Undetermined > 0 {
			b.Unknown = true
			b.Exact += fmt.Sprintf(", and %s undetermined", console.Counted(g.Undetermined, "fee"))
		}
		if before != nil && before[i].EVM+before[i].Native > 0 { // else there may be no such day
			b.Before = plotHeight - height(before[i].Fee)
			b.Exact += fmt.Sprintf(", before %s", console.Tokens(before[i].Fee))
			if n := before[i].Undetermined; n > 0 {
				b.Unknown = true
				b.Exact += fmt.Sprintf(", and then %s undetermined", console.Counted(n, "fee"))
			}
		}
		if i%each == 0 {
			b.Label, b.OnPhone = short(made.By, g.Name()), i%(3*each) == 0
		}
		c.Bars = append(c.Bars, b)
	}
	if compared != nil {
		c.Compared = compared.Before.Name
	}
	return c
}

// scale sets the ticks, at steps of 1, 2 or 5 times a power of ten, and gives the highest.
func (c *chart) scale(most float64) (top float64) {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{5, 2, 1, 0.5, 0.2} {
		if most/(step*part) >= 2.5 {
			step *= part
			break
		}
	}
	count := int(math.Ceil(most/step - 1e-9))
	for i := range count + 1 {
		c.Ticks = append(c.Ticks, tick{plotHeight - i*plotHeight/count, strconv.FormatFloat(float64(i)*step, 'g', 6, 64)})
	}
	return step * float64(count)
}

// short is a group's name for its place below a bar.
func short(by report.By, name string) string {
	switch {
	case by == report.Day && len(name) == len("2026-01-31"):
		return name[5:]
	case by == report.Hour && len(name) > len("2026-01-31T13:00"):
		return name[11:16]
	}
	return name
}

// tokens is an amount as a length.
func tokens(w chain.Wei) float64 { return lengthOf(w).InexactFloat64() }

func percent(part float64) string { return strconv.FormatFloat(part, 'f', 3, 64) + "%" }
