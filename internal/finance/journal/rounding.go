package journal

import (
	"slices"

	"github.com/shopspring/decimal"
)

// distribute rounds the sum of exact amounts half up to some decimals, and divides it among them:
// each gets its amount rounded down, and those with the largest remainders one unit more. Amounts
// with equal remainders get it in their order. The amounts are not negative.
func distribute(exact []decimal.Decimal, decimals int32) (parts []decimal.Decimal) {
	total, floors := decimal.Zero, decimal.Zero
	parts = make([]decimal.Decimal, len(exact))
	order := make([]int, len(exact))
	for i, amount := range exact {
		parts[i], order[i] = amount.Truncate(decimals), i
		total, floors = total.Add(amount), floors.Add(parts[i])
	}
	sum, unit := total.Round(decimals), decimal.New(1, -decimals)
	slices.SortStableFunc(order, func(a, b int) int {
		return exact[b].Sub(parts[b]).Cmp(exact[a].Sub(parts[a]))
	})
	for _, i := range order {
		if !floors.LessThan(sum) {
			break
		}
		parts[i], floors = parts[i].Add(unit), floors.Add(unit)
	}
	return parts
}
