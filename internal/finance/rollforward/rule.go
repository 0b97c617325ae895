package rollforward

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// The parts of a fee, and deposits.
const (
	partHeld      = "held"
	partPassed    = "passed"
	partUnmatched = "unmatched"
	partWithdrawn = "withdrawn"
	partRefund    = "refund"
	partAuthor    = "author"
)

// The roles of an account.
const (
	roleTreasury  = "treasury"
	rolePot       = "pot"
	roleSovereign = "sovereign"
)

const (
	anything = "*"
	nothing  = "-"
)

// callInherent is the call of an unsigned extrinsic.
const callInherent = "inherent"

// facts are the properties of a movement that rules match. Missing ones are "-".
type facts struct {
	event                          string
	direction                      Direction
	call, part                     string
	account, counterparty, besides string
}

// rule is a row of rules.txt or a line of a user's file.
type rule struct {
	event, direction, call, part, account, counterparty, besides alternatives
	class                                                        Class
}

// alternatives are the values that a column of a rule allows.
type alternatives []string

func parseAlternatives(text string) alternatives { return strings.Split(text, ",") }

// has reports whether a value is allowed.
func (a alternatives) has(value string) bool {
	return slices.ContainsFunc(a, func(one string) bool {
		if pallet, all := strings.CutSuffix(one, ".*"); all {
			of, _, isCall := strings.Cut(value, ".")
			return isCall && (pallet == anything || pallet == of)
		}
		return one == anything || one == value
	})
}

func (r *rule) fits(f *facts) bool {
	return r.part.has(f.part) && r.event.has(f.event) && r.direction.has(string(f.direction)) && r.call.has(f.call) &&
		r.account.has(f.account) && r.counterparty.has(f.counterparty) && r.besides.has(f.besides)
}

// asksBeside reports whether the rule depends on who else lost balance.
func (r *rule) asksBeside() bool { return r.besides[0] != anything }

//go:embed rules.txt
var rulesText string

// feeRules are the rules for parts of a fee, which come first; otherRules are the rest.
var feeRules, otherRules = func() (fees, others []rule) {
	for _, f := range tableRows(rulesText, 9) {
		r := rule{
			parseAlternatives(f[0]), parseAlternatives(f[1]), parseAlternatives(f[2]), parseAlternatives(f[3]),
			parseAlternatives(f[4]), parseAlternatives(f[5]), parseAlternatives(f[6]), Class(f[7]),
		}
		if _, known := r.class.find(); !known {
			panic(fmt.Sprintf("rules.txt: unknown class %q", r.class))
		}
		if r.part.has(nothing) {
			others = append(others, r)
		} else {
			fees = append(fees, r)
		}
	}
	return fees, others
}()

// isFixed reports whether only the chain's charges and holds assign the class.
func (c Class) isFixed() bool {
	return slices.ContainsFunc(feeRules, func(r rule) bool { return r.class == c })
}

// directionOf returns the direction of a movement, derived from its kind if the change is
// unknown.
func directionOf(m *movement.Movement, free, reserved chain.Optional[chain.SignedWei]) Direction {
	switch m.Kind {
	case movement.KindWithdrawal, movement.KindTransferOut, movement.KindDepositPassedOut, movement.KindDepositUnmatchedOut, movement.KindReserve, movement.KindBurn, movement.KindSuspension, movement.KindDust, movement.KindSlash:
		return Out
	case movement.KindFreeSet:
		if by, ok := free.Get(); ok && by.Sign() < 0 {
			return Out
		}
	case movement.KindReservedSet:
		if by, ok := reserved.Get(); ok && by.Sign() < 0 {
			return Out
		}
	}
	return In
}

// roleOf returns an account's role, "-" if none is known.
func (c *Classifier) roleOf(a chain.Address) string {
	switch {
	case chain.Some(a) == c.Treasury:
		return roleTreasury
	case chain.Some(a) == c.Pot:
		return rolePot
	case isSovereign(a):
		return roleSovereign
	}
	return nothing
}

// isSovereign reports whether an account belongs to another chain: "sibl" or "para" and a parachain's number in 4
// bytes, or "Parent", padded with zeros.
func isSovereign(account chain.Address) bool {
	a := account.Bytes()
	zeros := func(from int) bool { return !slices.ContainsFunc(a[from:], func(b byte) bool { return b != 0 }) }
	switch {
	case string(a[:6]) == "Parent":
		return zeros(6)
	case string(a[:4]) == "sibl", string(a[:4]) == "para":
		return zeros(8)
	}
	return false
}
