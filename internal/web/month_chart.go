package web

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// monthChart plots an account's fees by month. Each bar links to the month's fees by day. It returns nil for fewer than two
// months or more than maxBars.
func monthChart(months []app.MonthFee, account string, token console.Token) *chart {
	if len(months) == 0 {
		return nil
	}
	c := &chart{Title: "Fees by month, UTC", Token: token, Alone: true}
	var fees []chain.Optional[chain.Wei]
	for at := months[0].Month; len(months) > 0 && len(fees) <= maxBars; at = at.AddDate(0, 1, 0) {
		name, fee := at.Format("2006-01"), chain.Some(chain.Wei{})
		b := bar{Name: name}
		if months[0].Month.Equal(at) {
			fee, months = months[0].Fee, months[1:]
			b.To = "fees" + (&scope{Period: name, Accounts: account, Partial: true}).query(nil)
		}
		c.Bars, fees = append(c.Bars, b), append(fees, fee)
	}
	if len(fees) < 2 || len(fees) > maxBars || !c.plot(fees, false) {
		return nil
	}
	return c
}
