package web

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// monthChart plots an account's fees by month. Each bar links to the month's fees by day. It returns nil for fewer than two
// months or more than report.MaxBars.
func monthChart(months []app.MonthFee, account string, token console.Token) *report.Chart {
	if len(months) == 0 {
		return nil
	}
	c := &report.Chart{Title: "Fees by month, UTC", Alone: true}
	var fees []chain.Optional[chain.Wei]
	for at := months[0].Month; len(months) > 0 && len(fees) <= report.MaxBars; at = at.AddDate(0, 1, 0) {
		name, fee := at.Format("2006-01"), chain.Some(chain.Wei{})
		b := report.Bar{Name: at.Format("Jan 2006")}
		if months[0].Month.Equal(at) {
			fee, months = months[0].Fee, months[1:]
			b.To = "fees" + (&scope{Period: name, Accounts: account, Partial: true}).query(nil)
		}
		c.Bars, fees = append(c.Bars, b), append(fees, fee)
	}
	if len(fees) < 2 || len(fees) > report.MaxBars || !c.Plot(token, fees, false) {
		return nil
	}
	return c
}
