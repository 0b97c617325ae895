package rollforward

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// The parts of a fee that a movement can be.
const (
	partWithdrawn = "withdrawn"
	partRefund    = "refund"
	partAuthor    = "author"
)

// The roles of an account.
const (
	roleTreasury  = "treasury"
	roleSovereign = "sovereign"
)

const (
	anything = "*"
	nothing  = "-"
)

// callInherent is the call of an extrinsic that no transaction made.
const callInherent = "inherent"

// facts are what a rule asks of a movement. What there is none of is "-".
type facts struct {
	event                          string
	direction                      Direction
	call, part                     string
	account, counterparty, besides string
}

// rule is a row of rules.txt, or a line of a user's file.
type rule struct {
	event, direction, call, part, account, counterparty, besides alternatives
	class                                                        Class
}

// alternatives are what one column of a rule allows.
type alternatives []string

func parseAlternatives(text string) alternatives { return strings.Split(text, ",") }

// has tells whether a value is allowed.
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

// asksBeside tells whether the rule must know who else lost balance.
func (r *rule) asksBeside() bool { return r.besides[0] != anything }

//go:embed rules.txt
var rulesText string

// feeRules are those of the parts of a fee, which come first, and otherRules the others.
var feeRules, otherRules = func() (fees, others []rule) {
	for _, f := range tableRows(rulesText, 9) {
		r := rule{
			parseAlternatives(f[0]), parseAlternatives(f[1]), parseAlternatives(f[2]), parseAlternatives(f[3]),
			parseAlternatives(f[4]), parseAlternatives(f[5]), parseAlternatives(f[6]), Class(f[7]),
		}
		if _, known := r.class.find(); !known {
			panic(fmt.Sprintf("rules.txt: there is no class %q", r.class))
		}
		if r.part.has(nothing) {
			others = append(others, r)
		} else {
			fees = append(fees, r)
		}
	}
	return fees, others
}()

// isOfFee tells whether movements become a class as parts of fees alone.
func (c Class) isOfFee() bool {
	return slices.ContainsFunc(feeRules, func(r rule) bool { return r.class == c })
}

// directionOf is that of a movement. Of one whose change is not known it is what its kind
// says.
func directionOf(m *movement.Movement, free, reserved chain.Optional[chain.SignedWei]) Direction {
	switch m.Kind {
	case movement.KindWithdrawal, movement.KindTransferOut, movement.KindReserve, movement.KindBurn, movement.KindSuspension, movement.KindDust, movement.KindSlash:
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

// roleOf is an account's role, "-" where it has none that is known.
func roleOf(a chain.Address, treasury chain.Optional[chain.Address]) string {
	if its, ok := treasury.Get(); ok && its == a {
		return roleTreasury
	}
	if isSovereign(a) {
		return roleSovereign
	}
	return nothing
}

// isSovereign tells whether an account is that of another chain: "sibl" or "para" and the
// number of a parachain in 4 bytes, or "Parent", and zeros.
func isSovereign(a chain.Address) bool {
	zeros := func(from int) bool { return !slices.ContainsFunc(a[from:], func(b byte) bool { return b != 0 }) }
	switch {
	case string(a[:6]) == "Parent":
		return zeros(6)
	case string(a[:4]) == "sibl", string(a[:4]) == "para":
		return zeros(8)
	}
	return false
}
