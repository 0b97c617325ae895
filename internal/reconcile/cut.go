package reconcile

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Some products keep fewer decimals of a fee than the chain has. A fee that is the chain's with the
// rest cut off, or rounded half up, does not count as a difference.

// maxCutDecimals is one less than the decimals of most tokens.
const maxCutDecimals = console.TokenDecimals - 1

// maxCut is one less than the decimals of an amount in the network's token.
func (o *Options) maxCut() int { return o.Token().Places() - 1 }

// unitAfter returns the value of the last of some decimals of the token.
func (o *Options) unitAfter(decimals int) chain.Wei {
	unit, err := chain.ParseWei("1" + strings.Repeat("0", o.Token().Places()-decimals))
	if err != nil {
		panic(err) // a token has at most as many decimals as an amount has digits
	}
	return unit
}

// isCut reports whether a fee is an amount cut after some decimals of the token, or rounded to them.
func (o *Options) isCut(fee, amount chain.Wei, decimals int) bool {
	kept := len(amount.String()) - (o.Token().Places() - decimals) // digits
	return kept >= 0 && isKept(fee, amount, kept) || kept <= 0 && fee.IsZero()
}

// cuts counts the fees that a product has cut, and those that it may have.
type cuts struct {
	count       int // fees that are accepted as cut
	total       chain.SignedWei
	overflow    bool
	differ, fit int // fees that differ, and those of them that fit a cut
}

// add counts a fee that is accepted as cut.
func (c *cuts) add(difference chain.SignedWei) {
	total, err := c.total.Add(difference)
	c.count, c.total, c.overflow = c.count+1, total, c.overflow || err != nil
}

// notes says how much was cut, or proposes to accept what seems to be.
func (c *cuts) notes(o *Options) (list []string) {
	if c.count > 0 && !c.overflow {
		list = append(list, fmt.Sprintf("Cut after %d decimals: %s, in total %s %s.", o.CutDecimals,
			console.Counted(c.count, "fee"), console.Plain(o.Token().Tokens(c.total)), strings.TrimSpace(console.Printable(o.Symbol))))
	}
	if c.differ > 0 && c.fit == c.differ {
		list = append(list, fmt.Sprintf("Each fee that differs is the chain's, cut after %d decimals. To accept them, add --cut-decimals %d.", o.fileDecimals, o.fileDecimals))
	}
	return list
}
