package web

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/sys/markup"
)

// waterfall draws how the fees of one period become those of another, a row for each step. Only its lengths are floating
// point.
type waterfall struct {
	Unit string
	From string // where the scale starts; "" for 0
	Rows []fall
}

// fall is a row of a waterfall: a total, or a step from where the row above ends.
type fall struct {
	Name   link
	Class  string // total, rise or drop
	Amount cell
	X, W   string // of the bar; "" for none
	Remark string
}

// waterfallOf returns the waterfall of a variance. Each step links to the page that to returns.
func waterfallOf(r *variance.Report, to func(variance.Step) string) *waterfall {
	w := &waterfall{Unit: r.Symbol}
	end := r.Before.Fee.Signed()
	ends := []chain.SignedWei{end}
	w.Rows = append(w.Rows, totalFall(r, console.PeriodName(r.Other.Name), &r.Before))
	for _, l := range r.Steps {
		amount, known := l.Amount.Get()
		if !known {
			w.Rows = append(w.Rows, fall{Name: link{l.Text(), to(l.Step)}, Class: "unknown", Amount: cell{Text: notKnown, Class: "warn"}, Remark: unknownRemark(l)})
		}
		if amount.Sign() == 0 {
			continue
		}
		f := fall{Name: link{l.Text(), to(l.Step)}, Class: "rise", Amount: cell{Text: r.Signed(amount), Exact: amount.String()}, Remark: remark(r, l)}
		if amount.Sign() < 0 {
			f.Class = "drop"
		}
		end, _ = end.Add(amount) // the sums of the variance did not overflow
		ends = append(ends, end)
		w.Rows = append(w.Rows, f)
	}
	w.Rows = append(w.Rows, totalFall(r, console.PeriodName(r.Period.Name), &r.Now))
	w.draw(r.Token, append(ends, r.Now.Fee.Signed()))
	return w
}

func totalFall(r *variance.Report, name string, of *variance.Sums) fall {
	f := fall{Name: link{Text: name}, Class: "total", Amount: cell{Text: r.Tokens(of.Fee), Exact: of.Fee.String()}, Remark: console.Counted(of.Transactions, "transaction")}
	if of.Undetermined > 0 {
		f.Remark += "; known part, " + console.Counted(of.Undetermined, "fee") + " undetermined"
	}
	return f
}

// remark counts the calls of a step, and says what their failed transactions paid.
func remark(r *variance.Report, l *variance.Line) string {
	text := console.Counted(len(l.Shares), "call")
	if l.Now.Failed+l.Before.Failed > 0 {
		text += "; failed transactions paid " + r.Short(l.Now.FailedFee.Signed()) + ", before " + r.Short(l.Before.FailedFee.Signed())
	}
	return text
}

func unknownRemark(l *variance.Line) string {
	return strconv.FormatUint(l.Now.Undetermined, 10) + " undetermined, before " + strconv.FormatUint(l.Before.Undetermined, 10)
}

// The scale starts at 0 unless the changes are smaller than this share of the largest amount; it then starts below the
// smallest by a part of their range.
const (
	smallChange = 4 // 1/4
	belowRange  = 3 // 1/3
)

// draw places the bars. Rows without a bar have no end.
func (w *waterfall) draw(token console.Token, ends []chain.SignedWei) {
	lengths := make([]decimal.Decimal, len(ends))
	lowest, highest := decimal.Zero, decimal.Zero
	for i, end := range ends {
		lengths[i] = lengthOf(token, end.Size())
		if end.Sign() < 0 {
			lengths[i] = lengths[i].Neg()
		}
		if i == 0 {
			lowest, highest = lengths[i], lengths[i]
		}
		lowest, highest = decimal.Min(lowest, lengths[i]), decimal.Max(highest, lengths[i])
	}
	from, spread := decimal.Min(lowest, decimal.Zero), highest.Sub(lowest)
	if spread.IsPositive() && spread.Mul(decimal.NewFromInt(smallChange)).LessThan(highest) {
		from = lowest.Sub(spread.Div(decimal.NewFromInt(belowRange)))
		w.From = report.TickText(from.InexactFloat64())
	}
	whole := highest.Sub(from).InexactFloat64()
	if whole == 0 {
		return
	}
	percent := func(length decimal.Decimal) string {
		return strconv.FormatFloat(length.InexactFloat64()/whole*100, 'f', 3, 64) + "%"
	}
	at := 0
	for i := range w.Rows {
		f := &w.Rows[i]
		if f.Class == "unknown" {
			continue
		}
		start, end := from, lengths[at]
		if f.Class != "total" {
			start = lengths[at-1]
		}
		if start.GreaterThan(end) {
			start, end = end, start
		}
		f.X, f.W = percent(start.Sub(from)), percent(end.Sub(start))
		at++
	}
}

func (w *waterfall) node() g.Node {
	caption := "Steps"
	if w.Unit != "" {
		caption += ", " + w.Unit
	}
	if w.From != "" {
		caption += "; the scale starts at " + w.From
	}
	return markup.El("figure", markup.Attr("class", "fall"), markup.El("figcaption", markup.Text(caption)), markup.El("ol", each(w.Rows, fall.node)))
}

func (f fall) node() g.Node {
	name := markup.Text(f.Name.Text)
	if f.Name.To != "" {
		name = f.Name.node()
	}
	bar := lines{}
	if f.W != "" {
		bar = append(bar, markup.El("rect", markup.Attr("x", f.X), markup.Attr("y", "2"), markup.Attr("width", f.W), markup.Attr("height", "16")))
	}
	return markup.El("li", markup.Attr("class", f.Class), lines{
		markup.El("span", markup.Attr("class", "name"), name),
		markup.El("svg", markup.Attr("width", "100%"), markup.Attr("height", "20"), markup.Attr("aria-hidden", "true"), bar),
		markup.El("span", markup.Attr("class", strings.TrimSpace("amount "+f.Amount.Class)), f.Amount.node()),
		markup.El("small", markup.Text(f.Remark)),
	})
}
