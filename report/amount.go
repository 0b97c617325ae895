package report

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
)

// The decimals of a token and of a Gwei, in wei.
const (
	tokenDecimals = 18
	gweiDecimals  = 9
)

// tokens is an amount in the token, with all of its 18 decimals.
func tokens(w chain.Wei) string { return scaled(w, tokenDecimals) }

// gwei is a gas price in Gwei, with all of its 9 decimals.
func gwei(p chain.GasPrice) string { return scaled(p, gweiDecimals) }

// scaled is an integer divided by 10^decimals, exactly.
func scaled(n fmt.Stringer, decimals int32) string {
	return decimal.RequireFromString(n.String()).Shift(-decimals).StringFixed(decimals)
}

// plain is a decimal number without the zeros at the end of its fraction.
func plain(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

// sameDecimals takes off the zeros that all the numbers have at their ends. Nothing is
// rounded.
func sameDecimals(numbers []string) []string {
	most := 0
	for _, n := range numbers {
		if i := strings.IndexByte(n, '.'); i >= 0 {
			most = max(most, len(plain(n))-i-1)
		}
	}
	cut := make([]string, len(numbers))
	for k, n := range numbers {
		cut[k] = n
		if i := strings.IndexByte(n, '.'); i >= 0 {
			cut[k] = strings.TrimSuffix(n[:min(len(n), i+1+most)], ".")
		}
	}
	return cut
}

// pointsBelow puts spaces before numbers of the same decimals, so that their points
// stand below each other.
func pointsBelow(numbers []string) []string {
	most := 0
	for _, n := range numbers {
		most = max(most, len(n))
	}
	for i, n := range numbers {
		numbers[i] = strings.Repeat(" ", most-len(n)) + n
	}
	return numbers
}

// named is a figure with its name for people.
type named[T any] struct {
	name  string
	value T
}

func (f *Figures) counts() []named[uint64] {
	return []named[uint64]{
		{"EVM transactions", f.EVM}, {"native transactions", f.Native}, {"failed", f.Failed}, {"undetermined", f.Undetermined},
		{"gas", f.Gas.Uint64()},
	}
}

func (f *Figures) amounts() []named[chain.Wei] {
	return []named[chain.Wei]{
		{"fee", f.Fee}, {"EVM fee", f.EVMFee}, {"native fee", f.NativeFee}, {"priority fee", f.PriorityFee}, {"tip", f.Tip},
		{"charged", f.Charged}, {"burned", f.Burned}, {"treasury", f.Treasury}, {"author", f.Author},
	}
}

func (f *Figures) prices() []named[chain.Optional[chain.GasPrice]] {
	return []named[chain.Optional[chain.GasPrice]]{
		{"gas price, average", f.AveragePrice}, {"gas price, 10 %", f.Price10}, {"gas price, median", f.Price50}, {"gas price, 90 %", f.Price90},
	}
}
