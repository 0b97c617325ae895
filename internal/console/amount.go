// Package console is how figures and text look to people: amounts in the token, tables
// without a frame, lines that fit. No amount is rounded.
package console

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// The decimals of a token and of a Gwei, in wei.
const (
	TokenDecimals = 18
	GweiDecimals  = 9
)

// Tokens is an amount of wei in the token, with all of its 18 decimals.
func Tokens[Amount chain.Wei | chain.SignedWei](wei Amount) string {
	return Scaled(any(wei).(fmt.Stringer), TokenDecimals)
}

// Gwei is a gas price in Gwei, with all of its 9 decimals.
func Gwei(price chain.GasPrice) string { return Scaled(price, GweiDecimals) }

// Scaled is a decimal integer divided by 10^decimals.
func Scaled(integer fmt.Stringer, decimals int) string {
	digits, negative := strings.CutPrefix(integer.String(), "-")
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	digits = digits[:point] + "." + digits[point:]
	if negative {
		return "-" + digits
	}
	return digits
}

// Plain is a decimal number without the zeros at the end of its fraction.
func Plain(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

// SameDecimals takes off the zeros that all the numbers have at their ends, so that
// their points stay below each other. What has no point stays as it is.
func SameDecimals(numbers []string) []string {
	most := 0
	for _, n := range numbers {
		most = max(most, Decimals(n))
	}
	cut := make([]string, len(numbers))
	for k, n := range numbers {
		cut[k] = WithDecimals(n, most)
	}
	return cut
}

// Decimals is how many decimals a number has, without the zeros at their end.
func Decimals(number string) int {
	i := strings.IndexByte(number, '.')
	if i < 0 {
		return 0
	}
	return max(0, len(Plain(number))-i-1)
}

// WithDecimals is a number with so many of its decimals. What has no point stays as it
// is.
func WithDecimals(number string, decimals int) string {
	i := strings.IndexByte(number, '.')
	if i < 0 {
		return number
	}
	return strings.TrimSuffix(number[:min(len(number), i+1+decimals)], ".")
}

// PointsBelow puts spaces before numbers of the same decimals, so that their points
// stand below each other.
func PointsBelow(numbers []string) []string {
	most := 0
	for _, n := range numbers {
		most = max(most, len(n))
	}
	for i, n := range numbers {
		numbers[i] = strings.Repeat(" ", most-len(n)) + n
	}
	return numbers
}
