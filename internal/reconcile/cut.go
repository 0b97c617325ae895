package reconcile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
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

// cuts counts the fees that are accepted as cut.
type cuts struct {
	count    int
	total    chain.SignedWei
	overflow bool
}

// add counts a fee.
func (c *cuts) add(difference chain.SignedWei) {
	total, err := c.total.Add(difference)
	c.count, c.total, c.overflow = c.count+1, total, c.overflow || err != nil
}

// notes says how much was cut.
func (c *cuts) notes(o *Options) (list []string) {
	if c.count > 0 && !c.overflow {
		list = append(list, fmt.Sprintf("Cut after %d decimals: %s, in total %s %s.", o.CutDecimals,
			console.Counted(c.count, "fee"), console.Plain(o.Token().Tokens(c.total)), strings.TrimSpace(plain.Line(o.Symbol))))
	}
	return list
}

// onlyCut returns how many fees differ only because they are cut after the file's decimals; 0 if that may be by chance.
func (r *Result) onlyCut() int {
	if r.Options.fileDecimals < minCut && 2*r.cut <= r.count(AmountDiffers) {
		return 0
	}
	return r.cut
}

// apartText says how many rows and transactions do not match, apart from those that are only cut.
func (r *Result) apartText(apart, count int) string {
	cut, after := r.onlyCut(), r.Options.fileDecimals
	switch cut {
	case 0:
		return fmt.Sprintf("%d of %d do not match", apart, count)
	case apart:
		return fmt.Sprintf("%d of %d are cut after %d decimals", cut, count, after)
	}
	return fmt.Sprintf("%d of %d do not match; %d more are cut after %d decimals", apart-cut, count, cut, after)
}

// isOnlyCut reports whether an item's fee is the chain's, cut after the decimals of most fees of the file.
func (i *Item) isOnlyCut(o *Options) bool {
	return i.Outcome == AmountDiffers && i.cut > 0 && i.cut == o.fileDecimals && (i.cut >= minCut || !i.Row.Fee.IsZero())
}

// tryCut proposes to accept the fees that are only cut.
func (r *Result) tryCut() {
	count, after := r.onlyCut(), r.Options.fileDecimals
	if count == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the differing fees %s the chain's, cut after %d decimals. To accept %s, add --cut-decimals %[3]d.",
		count, console.Verb(count, "is", "are"), after, console.Verb(count, "it", "them")))
	r.Try = append(r.Try, Way{fmt.Sprintf("%d decimals are enough", after), []Setting{{"cut-decimals", strconv.Itoa(after)}}})
}

// decimalsOf returns how many decimals of the token a fee has, without zeros at the end.
func (o *Options) decimalsOf(fee chain.Wei) int {
	text := fee.String()
	return max(0, o.Token().Places()-(len(text)-len(strings.TrimRight(text, "0"))))
}

// decimals counts the fees of a file by their number of decimals.
type decimals map[int]int

// most returns the highest number of decimals.
func (d decimals) most() (highest int) {
	for n := range d {
		highest = max(highest, n)
	}
	return highest
}

// usual returns the most frequent number of decimals, the highest of several.
func (d decimals) usual() (best int) {
	for n, count := range d {
		if count > d[best] || count == d[best] && n > best {
			best = n
		}
	}
	return best
}
