package web

import (
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// balanceDays are an account's free balances at the end of each day, from the rows of its statement.
type balanceDays struct {
	time, balance int // columns; -1 for none
	zone          *time.Location
	first, last   time.Time
	days          map[string]chain.Optional[chain.Wei] // the last balance; unknown if the row does not state it
}

func newBalanceDays(columns []table.Column, zone *time.Location) *balanceDays {
	if zone == nil {
		zone = time.UTC
	}
	return &balanceDays{time: columnOf(columns, "time"), balance: columnOf(columns, "free_balance"), zone: zone, days: map[string]chain.Optional[chain.Wei]{}}
}

// add adds a row.
func (d *balanceDays) add(row []table.Cell) {
	if d.time < 0 || d.balance < 0 {
		return
	}
	at, known := row[d.time].Time()
	if !known { // block 1 of a chain can have no time
		return
	}
	if d.last = at.Std().In(d.zone); d.first.IsZero() {
		d.first = d.last
	}
	var now chain.Optional[chain.Wei]
	if balance, known := row[d.balance].Wei(); known && balance.Sign() >= 0 {
		now = chain.Some(balance.Size())
	}
	d.days[d.last.Format(time.DateOnly)] = now
}

// chart plots the balances after the opening one. It returns nil if that is not known, or if there are less than two days
// or too many.
func (d *balanceDays) chart(opening chain.Optional[chain.Balance], token console.Token) *report.Chart {
	start, known := opening.Get()
	if !known || d.first.IsZero() {
		return nil
	}
	c := &report.Chart{Title: "Free balance at the end of each day"}
	var balances []chain.Optional[chain.Wei]
	now := chain.Some(start.Free)
	for day := d.first; len(balances) <= report.MaxBars; day = day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		if moved, ok := d.days[name]; ok {
			now = moved
		}
		balances = append(balances, now)
		c.Bars = append(c.Bars, report.Bar{Name: name})
		if name >= d.last.Format(time.DateOnly) {
			break
		}
	}
	if len(balances) < 2 || len(balances) > report.MaxBars || !c.Plot(token, balances, true) {
		return nil
	}
	return c
}
