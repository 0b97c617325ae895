// Package console formats figures and text for a terminal: amounts in the token, tables without borders,
// and wrapped lines. Amounts are never rounded.
package console

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
)

// The usual decimals of a token, and those of a Gwei, in wei.
const (
	TokenDecimals = 18
	GweiDecimals  = 9
)

// Token is a network's token, in which amounts are shown, and the form of the network's accounts.
type Token struct {
	Symbol     string                 // such as GLMR; "" if unknown
	Decimals   int                    // 0 stands for 18
	ShortName  string                 // of the network, before addresses (EIP-3770); "" if unknown
	SS58Prefix chain.Optional[uint16] // of accounts of 32 bytes; if unknown, they have the prefix of all chains, 42
}

// Account returns the text of an account: SS58 with the network's prefix if it has 32 bytes.
func (t Token) Account(a chain.Address) string {
	if prefix, known := t.SS58Prefix.Get(); known {
		return a.SS58(prefix)
	}
	return a.String()
}

// commonAccount matches accounts of 32 bytes with the prefix of all chains.
var commonAccount = regexp.MustCompile(`\b5[1-9A-HJ-NP-Za-km-z]{47}\b`)

// weiAmount matches amounts in wei, with what shows that one is a price of gas: those are in wei on every chain.
var weiAmount = regexp.MustCompile(`(gas price of )?(-?[0-9]+) wei\b( per gas)?`)

// Unit returns the name of the token's smallest unit.
func (t Token) Unit() string {
	if t.Places() == TokenDecimals {
		return "wei"
	}
	return "planck"
}

// Own returns a text in the network's form: accounts that have the prefix of all chains, and amounts in wei where the token's
// smallest unit has another name. Findings and errors state both without knowing the network.
func (t Token) Own(text string) string {
	if t.Unit() != "wei" {
		text = weiAmount.ReplaceAllStringFunc(text, func(amount string) string {
			if m := weiAmount.FindStringSubmatch(amount); m[1] == "" && m[3] == "" {
				return m[2] + " " + t.Unit()
			}
			return amount
		})
	}
	if !t.SS58Prefix.Known() {
		return text
	}
	return commonAccount.ReplaceAllStringFunc(text, func(common string) string {
		if a, err := chain.ParseAccount(common); err == nil && a.String() == common {
			return t.Account(a)
		}
		return common
	})
}

// AccountOf returns the text of an account if it is known.
func (t Token) AccountOf(o chain.Optional[chain.Address]) (none chain.Optional[string]) {
	if a, known := o.Get(); known {
		return chain.Some(t.Account(a))
	}
	return none
}

// Places returns the number of decimals of the token's smallest unit.
func (t Token) Places() int { return cmp.Or(t.Decimals, TokenDecimals) }

// Tokens formats an amount of the smallest unit as tokens, with all decimals.
func (t Token) Tokens(amount fmt.Stringer) string { return Scaled(amount, t.Places()) }

// Amount formats an amount of the smallest unit with the token's symbol.
func (t Token) Amount(amount chain.Wei) string { return Plain(t.Tokens(amount)) + " " + t.Symbol }

// Gwei formats a gas price in Gwei, with all 9 decimals.
func Gwei(price chain.GasPrice) string { return Scaled(price, GweiDecimals) }

// Scaled returns a decimal integer divided by 10^decimals.
func Scaled(integer fmt.Stringer, decimals int) string {
	return string(AppendScaled(nil, integer.String(), decimals))
}

// AppendScaled appends a decimal integer divided by 10^decimals.
func AppendScaled(out []byte, integer string, decimals int) []byte {
	digits, negative := strings.CutPrefix(integer, "-")
	if negative {
		out = append(out, '-')
	}
	point := len(digits) - decimals
	if point <= 0 {
		out = append(out, '0')
	}
	out = append(append(out, digits[:max(0, point)]...), '.')
	for ; point < 0; point++ {
		out = append(out, '0')
	}
	return append(out, digits[len(digits)-min(decimals, len(digits)):]...)
}

// Plain returns a decimal number without trailing zeros in its fraction.
func Plain(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

// SameDecimals removes the trailing zeros that all numbers share, so that their points stay aligned.
// Numbers without a point are unchanged.
func SameDecimals(numbers []string) []string {
	decimals := 0
	for _, n := range numbers {
		decimals = max(decimals, Decimals(n))
	}
	cut := make([]string, len(numbers))
	for k, n := range numbers {
		cut[k] = WithDecimals(n, decimals)
	}
	return cut
}

// Decimals returns the number of decimals of a number, without trailing zeros.
func Decimals(number string) int {
	i := strings.IndexByte(number, '.')
	if i < 0 {
		return 0
	}
	return len(strings.TrimRight(number[i+1:], "0"))
}

// WithDecimals truncates a number to some decimals. A number without a point is unchanged.
func WithDecimals(number string, decimals int) string {
	i := strings.IndexByte(number, '.')
	if i < 0 {
		return number
	}
	return strings.TrimSuffix(number[:min(len(number), i+1+decimals)], ".")
}

// PointsBelow pads numbers with the same decimals with spaces, so that their points are aligned.
func PointsBelow(numbers []string) []string {
	width := 0
	for _, n := range numbers {
		width = max(width, len(n))
	}
	for i, n := range numbers {
		numbers[i] = strings.Repeat(" ", width-len(n)) + n
	}
	return numbers
}
