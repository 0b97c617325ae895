package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// Only selects transactions. Empty fields select everything.
type Only struct {
	ledger.Kinds
	Failed bool // with failed checks
	Fee    FeeRange
}

// OnlyNames lists the names of the conditions, as used by [ParseOnly] and in a report's JSON.
func OnlyNames() []string {
	return []string{"layer", "status", "type", "call", "contract", "checks", "fee_from", "fee_to"}
}

// ParseOnly parses conditions such as layer=evm, each with a different name. Transactions must satisfy all of
// them.
func ParseOnly(conditions []string) (o Only, err error) {
	seen := map[string]bool{}
	for _, condition := range conditions {
		name, value, ok := strings.Cut(condition, "=")
		switch {
		case !ok || value == "":
			return o, fmt.Errorf("%q is not a condition; use NAME=VALUE, such as layer=evm, with one of the names %s", condition, strings.Join(OnlyNames(), ", "))
		case seen[name]:
			return o, fmt.Errorf("%s is repeated; use each name once", name)
		}
		seen[name] = true
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
	return o, nil
}

// OnlyWords lists the values of a name of [OnlyNames], or nil if its values are not a fixed list.
func OnlyWords(name string) []string {
	switch name {
	case "layer":
		return wordsOf(fee.EVM, fee.Native)
	case "status":
		return wordsOf(fee.Outcomes()...)
	case "type":
		return wordsOf(chain.Legacy, chain.EIP2930, chain.EIP1559, chain.EIP7702)
	case "checks":
		return []string{failedChecks}
	}
	return nil
}

// failedChecks is the value of the condition checks.
const failedChecks = "failed"

func wordsOf[T ~string](known ...T) (words []string) {
	for _, k := range known {
		words = append(words, string(k))
	}
	return words
}

func (o *Only) set(name, value string) (err error) {
	if words := OnlyWords(name); words != nil && !slices.Contains(words, value) {
		return fmt.Errorf("%s=%s is not valid; use one of %s", name, value, strings.Join(words, ", "))
	}
	switch name {
	case "layer":
		o.Layer = chain.Some(fee.Layer(value))
	case "status":
		o.Outcome = chain.Some(fee.Outcome(value))
	case "type":
		o.Type = chain.Some(chain.TransactionType(value))
	case "call":
		o.Call = chain.Some(value)
	case "contract":
		var a chain.Address
		if a, err = chain.ParseAddress(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		o.Contract = chain.Some(a)
	case "checks":
		o.Failed = true
	case "fee_from":
		o.Fee.From, err = parseTokens(name, value)
	case "fee_to":
		o.Fee.To, err = parseTokens(name, value)
	default:
		return fmt.Errorf("%s is not a condition; use one of %s", name, strings.Join(OnlyNames(), ", "))
	}
	return err
}

// Conditions returns the conditions in the form parsed by [ParseOnly], in the order of [OnlyNames]; nil if all
// transactions are selected.
func (o Only) Conditions() (list []string) {
	for name, value := range o.each {
		list = append(list, name+"="+value)
	}
	return list
}

func (o Only) each(yield func(name, value string) bool) {
	for _, c := range []struct {
		name  string
		value chain.Optional[string]
	}{{"layer", textOf(o.Layer)}, {"status", textOf(o.Outcome)}, {"type", textOf(o.Type)}, {"call", o.Call}, {"contract", textOf(o.Contract)}} {
		if value, ok := c.value.Get(); ok && !yield(c.name, value) {
			return
		}
	}
	if o.Failed && !yield("checks", failedChecks) {
		return
	}
	if from, ok := o.Fee.From.Get(); ok && !yield("fee_from", from) {
		return
	}
	if to, ok := o.Fee.To.Get(); ok {
		yield("fee_to", to)
	}
}

func textOf[T any](o chain.Optional[T]) (none chain.Optional[string]) {
	if value, ok := o.Get(); ok {
		return chain.Some(fmt.Sprint(value))
	}
	return none
}

// IsAll reports whether it selects all transactions.
func (o Only) IsAll() bool { return o == Only{} }

// MarshalJSON writes the conditions as an object, or null if there are none.
func (o Only) MarshalJSON() ([]byte, error) {
	if o.IsAll() {
		return []byte("null"), nil
	}
	return jsontext.Object(func(yield func(string, any) bool) {
		o.each(func(name, value string) bool { return yield(name, value) })
	})
}

// ofTotals reports whether the totals by contract can separate the selected transactions.
func (o *Only) ofTotals() bool {
	return !o.Outcome.Known() && !o.Type.Known() && !o.Failed && o.Fee == (FeeRange{})
}

// hasTotal reports whether a total by contract is selected.
func (o *Only) hasTotal(t *ledger.Total) bool {
	return o.Has(&ledger.Kind{Layer: t.Layer, Call: t.Call, Recipient: t.Contract})
}

// Query returns a query for the transactions of a span that are selected or untold.
func (o Only) Query(span chain.Heights) ledger.Query {
	return ledger.Query{Span: span, Failed: o.Failed, Kinds: o.Kinds}
}
