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

// condition is a column that selects transactions.
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

// conditions are the columns: their names, which values a row may have there, and which ones a transaction has: several
// of an ID, because each of its hashes identifies it, and of the tokens that it moved.
var conditions = [conditionCount]struct {
	name   string
	check  func(value string) error
	values func(*Facts) []string
}{
	condPayer:    {"payer", isAccount, (*Facts).payers},
	condLabel:    {"label", nil, func(f *Facts) []string { return []string{f.Label} }},
	condGroup:    {"group", nil, func(f *Facts) []string { return []string{f.Group} }},
	condLayer:    {"layer", oneOf(fee.EVM, fee.Native), func(f *Facts) []string { return []string{string(f.Layer)} }},
	condKind:     {"kind", isKind, func(f *Facts) []string { return []string{f.Kind} }},
	condContract: {"contract", isContract, (*Facts).contracts},
	condCall:     {"call", isCall, func(f *Facts) []string { return []string{f.Call} }},
	condOutcome:  {"outcome", oneOf(fee.Outcomes()...), func(f *Facts) []string { return []string{string(f.Outcome)} }},
	condTag:      {"tag", nil, func(f *Facts) []string { return []string{f.Tag} }},
	condID:       {"id", isID, (*Facts).ids},
	condToken:    {"token", isAddress, (*Facts).tokens},
}

// rule is a row of the chart.
type rule struct {
	line       int
	conditions [conditionCount]alternatives
	targets    map[Target]string
}

// alternatives are the values that a condition accepts, in lower case. None accept anything.
type alternatives []string

func (a alternatives) given() bool { return len(a) > 0 }

// accept reports whether a value is one of the alternatives. A trailing * stands for any rest.
func (a alternatives) accept(value string) bool {
	if !a.given() {
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
		if a := r.conditions[c]; a.given() && !a.acceptAny(conditions[c].values(f)...) {
			return false
		}
	}
	return true
}

func (f *Facts) payers() []string {
	if f.signer.Size() != f.Payer.Size() && f.signer.Is(f.Payer) {
		return []string{f.Payer.String(), f.signer.String()}
	}
	return []string{f.Payer.String()}
}

func (f *Facts) contracts() (names []string) {
	if address, ok := f.Contract.Get(); ok {
		names = append(names, address.String())
		if f.ContractLabel != "" {
			names = append(names, f.ContractLabel)
		}
	}
	return names
}

func (f *Facts) ids() []string {
	ids := []string{f.ID, f.Hash.String()}
	if hash, ok := f.EVMHash.Get(); ok {
		ids = append(ids, hash.String())
	}
	return ids
}

func (f *Facts) tokens() (list []string) {
	for _, token := range f.Tokens {
		list = append(list, token.String())
	}
	return list
}

func oneOf[W ~string](words ...W) func(string) error {
	return func(value string) error {
		if slices.Contains(words, W(value)) {
			return nil
		}
		names := make([]string, len(words))
		for i, w := range words {
			names[i] = string(w)
		}
		return fmt.Errorf("want %s", strings.Join(names, ", "))
	}
}

func isKind(value string) error {
	var names []rollforward.Class
	for _, c := range rollforward.Classes() {
		names = append(names, c.Class)
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
