package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// Only says of which transactions a report is. What holds nothing asks for nothing.
type Only struct {
	Layer    chain.Optional[fee.Layer]
	Outcome  chain.Optional[fee.Outcome]
	Type     chain.Optional[evm.Type]
	Call     chain.Optional[string]        // such as Balances.transfer_keep_alive, in any case
	Contract chain.Optional[chain.Address] // that an EVM transaction called
}

// OnlyNames are what a report can be of, each as [ParseOnly] and a report's JSON name it.
func OnlyNames() []string { return []string{"layer", "status", "type", "call", "contract"} }

// ParseOnly reads conditions such as layer=evm, each of another name: all of them hold for the
// transactions that are meant.
func ParseOnly(conditions []string) (o Only, err error) {
	seen := map[string]bool{}
	for _, condition := range conditions {
		name, value, ok := strings.Cut(condition, "=")
		switch {
		case !ok || value == "":
			return o, fmt.Errorf("%q: want a name and a value, such as layer=evm; the names are %s", condition, strings.Join(OnlyNames(), ", "))
		case seen[name]:
			return o, fmt.Errorf("%s: it comes twice", name)
		}
		seen[name] = true
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
	return o, nil
}

// OnlyWords are what can stand for a name of [OnlyNames]; nil where it is no choice of words.
func OnlyWords(name string) []string {
	switch name {
	case "layer":
		return wordsOf(fee.EVM, fee.Native)
	case "status":
		return wordsOf(fee.Outcomes()...)
	case "type":
		return wordsOf(evm.Legacy, evm.EIP2930, evm.EIP1559, evm.EIP7702)
	}
	return nil
}

func wordsOf[T ~string](known ...T) (words []string) {
	for _, k := range known {
		words = append(words, string(k))
	}
	return words
}

func (o *Only) set(name, value string) (err error) {
	if words := OnlyWords(name); words != nil && !slices.Contains(words, value) {
		return fmt.Errorf("%s=%s: there are %s", name, value, strings.Join(words, ", "))
	}
	switch name {
	case "layer":
		o.Layer = chain.Some(fee.Layer(value))
	case "status":
		o.Outcome = chain.Some(fee.Outcome(value))
	case "type":
		o.Type = chain.Some(evm.Type(value))
	case "call":
		o.Call = chain.Some(value)
	case "contract":
		var a chain.Address
		if a, err = chain.ParseAddress(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		o.Contract = chain.Some(a)
	default:
		return fmt.Errorf("%s: there are %s", name, strings.Join(OnlyNames(), ", "))
	}
	return err
}

// Conditions are what it asks for, as [ParseOnly] reads them, in the order of [OnlyNames]; nil of
// all transactions.
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
}

func textOf[T any](o chain.Optional[T]) (none chain.Optional[string]) {
	if value, ok := o.Get(); ok {
		return chain.Some(fmt.Sprint(value))
	}
	return none
}

// IsAll tells whether it asks for nothing.
func (o Only) IsAll() bool { return o == Only{} }

// MarshalJSON writes the conditions as an object, null where there is none.
func (o Only) MarshalJSON() ([]byte, error) {
	if o.IsAll() {
		return []byte("null"), nil
	}
	return jsontext.Object(func(yield func(string, any) bool) {
		o.each(func(name, value string) bool { return yield(name, value) })
	})
}

// ofTotals tells whether the totals by contract tell the transactions apart that are meant.
func (o *Only) ofTotals() bool { return !o.Outcome.Known() && !o.Type.Known() }

// hasTotal tells whether a total by contract is of them.
func (o *Only) hasTotal(t *ledger.Total) bool {
	return is(o.Layer, t.Layer) && o.calls(t.Call) && sameAddress(o.Contract, t.Contract)
}

// Has tells whether a transaction is one of them.
func (o *Only) Has(c *ledger.Cost) bool {
	return is(o.Layer, c.Layer) && is(o.Outcome, c.Outcome) && is(o.Type, evm.Type(c.Type)) && o.calls(c.Call) && (!o.Contract.Known() || isEVM(c) && sameAddress(o.Contract, c.Recipient))
}

func is[T comparable](wanted chain.Optional[T], it T) bool {
	value, asked := wanted.Get()
	return !asked || value == it
}

func (o *Only) calls(call string) bool {
	name, asked := o.Call.Get()
	return !asked || strings.EqualFold(name, call)
}

func sameAddress(wanted, it chain.Optional[chain.Address]) bool {
	return !wanted.Known() || wanted == it
}
