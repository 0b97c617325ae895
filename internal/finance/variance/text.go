package variance

import (
	"io"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// shownCalls limits the calls of a step in the text for a terminal, unless [Report.Top] is known.
const shownCalls = 3

// writeText writes the variance for a terminal: missing data, words, steps and notes.
func (r *Report) writeText(w io.Writer, width int) error {
	page := console.NewPage(w, width)
	page.Line(r.Title(), 2)
	for _, note := range r.Partial {
		page.Line(note, 2)
	}
	page.WriteString("\n")
	for _, sentence := range r.Words() {
		page.Line(sentence, 0)
	}
	page.WriteString("\n")
	list, err := r.rows(shownCalls)
	if err != nil {
		return err
	}
	steps := console.NewTable(
		console.Column{Name: "step", Cut: true}, console.Column{Name: "fee " + r.Symbol, Right: true, Decimals: true}, console.Column{Name: "transactions", Right: true, Drop: 2},
		console.Column{Name: "before", Right: true, Drop: 2}, console.Column{Name: "failed", Right: true, Drop: 3}, console.Column{Name: "before", Right: true, Drop: 3},
	)
	add := func(name, amount string, now, before *Sums) {
		cells := []any{name, amount, "", "", "", ""}
		if now != nil {
			cells[2], cells[4] = strconv.FormatUint(now.Transactions, 10), strconv.FormatUint(now.Failed, 10)
		}
		if before != nil {
			cells[3], cells[5] = strconv.FormatUint(before.Transactions, 10), strconv.FormatUint(before.Failed, 10)
		}
		steps.Row(cells...)
	}
	add(r.Other.title()+" "+r.known(&r.Before), r.Tokens(r.Before.Fee), nil, &r.Before)
	var last *Line
	for i := range list {
		x := &list[i]
		if x.Line != last {
			last = x.Line
			if x.Step == NotKnown && r.IsKnown() {
				continue
			}
			add("  "+x.Step.Text(), r.change(x.Line.Amount), nil, nil)
		}
		switch {
		case x.call != nil:
			add("    "+r.CallName(x.call), r.change(x.amount), &x.now, &x.before)
		case x.others > 0:
			add("    "+console.Counted(x.others, "other"), r.change(x.amount), &x.now, &x.before)
		}
	}
	add(r.Period.title()+" "+r.known(&r.Now), r.Tokens(r.Now.Fee), &r.Now, nil)
	page.Table(steps)
	page.Notes(r.AllNotes()[len(r.Partial):])
	return page.Flush()
}

// known marks fees of which some are not known.
func (r *Report) known(of *Sums) string {
	if of.Undetermined > 0 {
		return "(known part)"
	}
	return ""
}

// change formats a change.
func (r *Report) change(amount chain.Optional[chain.SignedWei]) string {
	if wei, known := amount.Get(); known {
		return r.Signed(wei)
	}
	return "not known"
}
