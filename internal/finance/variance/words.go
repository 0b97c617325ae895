package variance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Words returns the variance as sentences, for a note on the accounts. Amounts are cut, never rounded, and the cut shows.
func (r *Report) Words() []string {
	list := []string{r.summary()}
	if now, known := r.Period.Worth.Get(); known {
		if before, known := r.Other.Worth.Get(); known {
			list = append(list, fmt.Sprintf("In %s they were %v after %v, each fee at the price of its own day or hour.", r.Prices.Currency, now, before))
		}
	}
	var reasons []string
	for _, l := range r.ranked() {
		reasons = append(reasons, r.reason(l))
	}
	if len(reasons) > 0 {
		list = append(list, "Of the difference: "+strings.Join(reasons, "; ")+".")
	}
	if r.Now.Failed+r.Before.Failed > 0 {
		list = append(list, fmt.Sprintf("Failed transactions paid %s in %s (%d) and %s in %s (%d).", r.Short(r.Now.FailedFee.Signed()), r.Period.title(), r.Now.Failed, r.Short(r.Before.FailedFee.Signed()), r.Other.title(), r.Before.Failed))
	}
	return list
}

// summary returns the first sentence.
func (r *Report) summary() string {
	ends := fmt.Sprintf("from %s in %s to %s in %s", r.Short(r.Before.Fee.Signed()), r.Other.title(), r.Short(r.Now.Fee.Signed()), r.Period.title())
	change := r.Known()
	text := "Fees did not change: they were " + r.Short(r.Now.Fee.Signed()) + " in both periods."
	if change.Sign() != 0 {
		text = "Fees " + chosen(change, "rose", "fell") + " by " + r.Short(change.Size().Signed())
		if percent, known := r.Percent().Get(); known {
			text += " (" + signed(percent) + " %)"
		}
		text += ", " + ends + "."
	}
	if r.Part != "" {
		text = "Of the part known of both (" + r.Part + "), f" + text[1:]
	}
	if !r.IsKnown() {
		text = fmt.Sprintf("The difference is not known, because fees are undetermined: %d in %s and %d in %s. As far as they are known: ", r.Now.Undetermined, r.Period.title(), r.Before.Undetermined, r.Other.title()) + text
	}
	return text
}

// ranked returns the steps with an amount other than 0, the largest first.
func (r *Report) ranked() (list []*Line) {
	for _, l := range r.Steps {
		if amount, known := l.Amount.Get(); known && amount.Sign() != 0 {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(x, y *Line) int {
		a, _ := x.Amount.Get()
		b, _ := y.Amount.Get()
		return b.Size().Cmp(a.Size())
	})
	return list
}

// reason describes a step with its largest call.
func (r *Report) reason(l *Line) string {
	amount, _ := l.Amount.Get()
	text := r.Short(amount.Size().Signed()) + chosen(amount, " more", " less") + " from "
	switch l.Step {
	case NewCalls:
		text += "new calls"
	case GoneCalls:
		text += "calls that are gone"
	case Transactions:
		text += chosen(amount, "more", "fewer") + " transactions"
	case Gas:
		text += chosen(amount, "more", "less") + " gas per transaction"
	case BaseFee:
		text += chosen(amount, "a higher", "a lower") + " base fee"
	case FeeEach:
		text += chosen(amount, "a higher", "a lower") + " fee per transaction"
	case Apart:
		text += chosen(amount, "higher", "lower") + " priority fees and tips"
	}
	largest := &l.Shares[0]
	share, _ := largest.Amount.Get()
	switch {
	case len(l.Shares) == 1:
		return text + ", only " + r.shortName(&largest.Call)
	case share.Sign() == amount.Sign() && isHalf(share, amount):
		return text + ", mostly " + r.shortName(&largest.Call)
	}
	return text + ", of " + console.Counted(len(l.Shares), "call")
}

// shortName is the name of a call with the label of its contract, if it has one, in place of the address.
func (r *Report) shortName(c *Call) string {
	if contract, known := c.Contract.Get(); known {
		if label, labelled := r.Labels.Label(contract); labelled {
			return c.Name + " of " + label
		}
		return c.Name + " of " + r.Account(contract)
	}
	return c.Name
}

// isHalf reports whether a share is at least half of an amount with the same sign.
func isHalf(share, amount chain.SignedWei) bool {
	return minus(times(whole(2), share.Size().Big()), amount.Size().Big()).Sign() >= 0
}

// chosen returns the word for a rise or a fall.
func chosen(amount chain.SignedWei, rise, fall string) string {
	if amount.Sign() > 0 {
		return rise
	}
	return fall
}

// signed writes a number's sign.
func signed(number string) string {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		return "−" + rest
	}
	return "+" + number
}

// Decimals of amounts in words: of more than one token, and of less.
const (
	fewDecimals  = 2
	moreDecimals = 6
)

// Short returns an amount in words. What is too small for its decimals is in wei.
func (r *Report) Short(amount chain.SignedWei) string {
	exact := console.Plain(r.Tokens(amount))
	decimals := fewDecimals
	if strings.HasPrefix(strings.TrimPrefix(exact, "-"), "0.") {
		decimals = moreDecimals
	}
	text := exact
	if console.Decimals(exact) > decimals {
		text = console.WithDecimals(exact, decimals) + "…"
	}
	if amount.Sign() != 0 && strings.Trim(text, "-0.…") == "" {
		return amount.String() + " " + r.Unit()
	}
	return text + " " + r.Symbol
}
