package web

import (
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// balanceChart plots an account's free balance at the end of each day, from the rows of its statement and the opening
// balance. It returns nil if the balance is not known, or if there are less than two days or too many.
func balanceChart(movements *rows, opening chain.Optional[chain.Balance], token console.Token, zone *time.Location) (*report.Chart, error) {
	start, known := opening.Get()
	at, of := columnOf(movements, "time"), columnOf(movements, "free_balance")
	if !known || at < 0 || of < 0 {
		return nil, nil
	}
	if zone == nil {
		zone = time.UTC
	}
	days := map[string]string{} // the last balance, in wei; "" if it is not known
	var first, last time.Time
	err := movements.each(0, func(row []table.Cell) bool {
		moment, err := time.Parse(time.RFC3339, row[at].Exact)
		if err != nil { // block 1 of a chain can have no time
			return true
		}
		moment = moment.In(zone)
		if last = moment; first.IsZero() {
			first = moment
		}
		days[moment.Format(time.DateOnly)] = row[of].Exact
		return true
	})
	if err != nil || first.IsZero() {
		return nil, err
	}
	c := &report.Chart{Title: "Free balance at the end of each day"}
	var balances []chain.Optional[chain.Wei]
	now := chain.Some(start.Free)
	for day := first; len(balances) <= report.MaxBars; day = day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		if text, moved := days[name]; moved {
			amount, err := chain.ParseWei(text)
			if now = chain.Some(amount); err != nil {
				now = chain.Optional[chain.Wei]{}
			}
		}
		balances = append(balances, now)
		c.Bars = append(c.Bars, report.Bar{Name: name})
		if name >= last.Format(time.DateOnly) {
			break
		}
	}
	if len(balances) < 2 || len(balances) > report.MaxBars || !c.Plot(token, balances, true) {
		return nil, nil
	}
	return c, nil
}

// columnOf returns the index of a column, or -1.
func columnOf(r *rows, name string) int {
	return slices.IndexFunc(r.columns, func(c table.Column) bool { return c.Name == name })
}
