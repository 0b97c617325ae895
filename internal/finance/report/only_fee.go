package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// FeeRange selects transactions by their fee: amounts in the token as decimal numbers, both inclusive.
type FeeRange struct {
	From, To chain.Optional[string]
}

// aTokenAmount matches an amount in a token of any decimals.
var aTokenAmount = regexp.MustCompile(`^[0-9]{1,40}(\.[0-9]{1,40})?$`)

func parseTokens(name, text string) (none chain.Optional[string], err error) {
	if !aTokenAmount.MatchString(text) {
		return none, fmt.Errorf("%s=%s is not an amount; use a number in the token, such as 0.25", name, text)
	}
	return chain.Some(text), nil
}

// Fees selects transactions by their fee in wei.
type Fees struct {
	from, to chain.Optional[chain.Wei]
	asked    bool // a range was stated
	never    bool // the lowest fee is more than any
}

// In converts the amounts to those of a token. More decimals than the token has select what lies within.
func (r FeeRange) In(token console.Token) (f Fees) {
	f.asked = r != FeeRange{}
	if text, ok := r.From.Get(); ok {
		from, exact, err := wei(text, token.Places())
		if err == nil && !exact {
			from, err = from.Add(chain.NewWei(1))
		}
		f.from, f.never = chain.Some(from), err != nil
	}
	if text, ok := r.To.Get(); ok {
		if to, _, err := wei(text, token.Places()); err == nil { // otherwise every fee is lower
			f.to = chain.Some(to)
		}
	}
	return f
}

// wei converts an amount in a token. It is exact unless the amount has more decimals.
func wei(text string, places int) (w chain.Wei, exact bool, err error) {
	whole, decimals, _ := strings.Cut(text, ".")
	rest := ""
	if len(decimals) > places {
		decimals, rest = decimals[:places], decimals[places:]
	}
	digits := strings.TrimLeft(whole+decimals+strings.Repeat("0", places-len(decimals)), "0")
	if digits == "" {
		digits = "0"
	}
	w, err = chain.ParseWei(digits)
	return w, strings.Trim(rest, "0") == "", err
}

// All reports whether every fee is selected, also an unknown one.
func (f *Fees) All() bool { return !f.asked }

// Has reports whether a transaction's fee is selected; an unknown one is neither selected nor not: see [Fees.Untold].
func (f *Fees) Has(c *ledger.Cost) bool {
	fee, known := c.Fee.Get()
	return f.All() || known && f.Includes(fee)
}

// Includes reports whether an amount is in the range.
func (f *Fees) Includes(fee chain.Wei) bool {
	from, above := f.from.Get()
	to, below := f.to.Get()
	return !f.never && (!above || fee.Cmp(from) >= 0) && (!below || fee.Cmp(to) <= 0)
}

// Untold reports whether only a transaction's unknown fee leaves it out.
func (f *Fees) Untold(c *ledger.Cost) bool { return !f.All() && !c.Fee.Known() }
