package chart

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// condition is a column that asks something of a transaction.
type condition int

const (
	condPayer condition = iota
	condLabel
	condGroup
	condLayer
	condKind
	condContract
	condCall
	condOutcome
	condTag
	condID
	condToken
	conditionCount
)

// conditionNames are the names of their columns, and which values the column may have.
var conditionNames = [conditionCount]struct {
	name  string
	check func(value string) error
}{
	condPayer:    {"payer", isAccount},
	condLabel:    {"label", nil},
	condGroup:    {"group", nil},
	condLayer:    {"layer", oneOf(string(fee.EVM), string(fee.Native))},
	condKind:     {"kind", isKind},
	condContract: {"contract", isContract},
	condCall:     {"call", isCall},
	condOutcome:  {"outcome", isOutcome},
	condTag:      {"tag", nil},
	condID:       {"id", isID},
	condToken:    {"token", isAddress},
}

// rule is a row of the chart.
type rule struct {
	line       int
	conditions [conditionCount]alternatives
	targets    map[Target]string
}

// alternatives are the values that a condition accepts, in lower case. None accept anything.
type alternatives []string

func (a alternatives) asks() bool { return len(a) > 0 }

// accept reports whether a value is one of the alternatives. A trailing * stands for any rest.
func (a alternatives) accept(value string) bool {
	if !a.asks() {
		return true
	}
	value = strings.ToLower(value)
	return slices.ContainsFunc(a, func(one string) bool {
		start, isStart := strings.CutSuffix(one, "*")
		switch {
		case one == none:
			return value == ""
		case isStart:
			return value != "" && strings.HasPrefix(value, start)
		}
		return one == value
	})
}

// acceptAny reports whether one of several values is accepted.
func (a alternatives) acceptAny(values ...string) bool {
	if len(values) == 0 {
		return a.accept("")
	}
	return slices.ContainsFunc(values, a.accept)
}

// fits reports whether all conditions hold.
func (r *rule) fits(f *Facts) bool {
	for c := range conditionCount {
		if a := r.conditions[c]; a.asks() && !a.acceptAny(f.values(c)...) {
			return false
		}
	}
	return true
}

// values are what a transaction has of a condition: several of an ID, for each of its hashes
// names it, and of the tokens that it moved.
func (f *Facts) values(c condition) []string {
	switch c {
	case condPayer:
		if f.signer.Size() != f.Payer.Size() && f.signer.Is(f.Payer) {
			return []string{f.Payer.String(), f.signer.String()}
		}
		return []string{f.Payer.String()}
	case condLabel:
		return []string{f.Label}
	case condGroup:
		return []string{f.Group}
	case condLayer:
		return []string{string(f.Layer)}
	case condKind:
		return []string{f.Kind}
	case condContract:
		address, ok := f.Contract.Get()
		if !ok {
			return nil
		}
		if f.ContractLabel == "" {
			return []string{address.String()}
		}
		return []string{address.String(), f.ContractLabel}
	case condCall:
		return []string{f.Call}
	case condOutcome:
		return []string{string(f.Outcome)}
	case condTag:
		return []string{f.Tag}
	case condID:
		ids := []string{f.ID, f.Hash.String()}
		if hash, ok := f.EVMHash.Get(); ok {
			ids = append(ids, hash.String())
		}
		return ids
	}
	tokens := make([]string, len(f.Tokens))
	for i, token := range f.Tokens {
		tokens[i] = token.String()
	}
	return tokens
}

func oneOf(words ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(words, value) {
			return nil
		}
		return fmt.Errorf("want %s", strings.Join(words, ", "))
	}
}

func isKind(value string) error {
	var names []string
	for _, c := range rollforward.Classes() {
		names = append(names, string(c.Class))
	}
	return oneOf(names...)(value)
}

func isOutcome(value string) error {
	var names []string
	for _, o := range fee.Outcomes() {
		names = append(names, string(o))
	}
	return oneOf(names...)(value)
}

func isAccount(value string) error {
	_, err := chain.ParseAccount(value)
	return err
}

func isAddress(value string) error {
	_, err := chain.ParseAddress(value)
	return err
}

// isContract accepts an address or a label. What begins with 0x has to be an address.
func isContract(value string) error {
	if strings.HasPrefix(value, "0x") {
		return isAddress(value)
	}
	return nil
}

var (
	callForm = regexp.MustCompile(`^[a-z][a-z0-9_]*\.([a-z0-9_]+\*?|\*)$`)
	idForm   = regexp.MustCompile(`^([0-9]+-[0-9]+|0x[0-9a-f]{64})$`)
)

func isCall(value string) error {
	if callForm.MatchString(value) {
		return nil
	}
	return errors.New("want a pallet and a call such as balances.transfer, or balances.*")
}

func isID(value string) error {
	if idForm.MatchString(value) {
		return nil
	}
	return errors.New("want a transaction such as 25-4, or its hash")
}
