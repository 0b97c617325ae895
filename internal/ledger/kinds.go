package ledger

import (
	"crypto/sha256"
	"strings"
	"unicode"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Kind contains what queries select transactions by: layer, type, what a transaction called, and its outcome.
type Kind struct {
	Layer     fee.Layer
	Type      string // of an EVM transaction, otherwise ""
	Call      string
	Recipient chain.Optional[chain.Address]
	Outcome   fee.Outcome // "" if unknown
}

// contract returns what an EVM transaction called.
func (k *Kind) contract() (none chain.Optional[chain.Address]) {
	if k.Layer != fee.EVM {
		return none
	}
	return k.Recipient
}

// Kinds selects transactions by their kind. Empty fields select everything.
type Kinds struct {
	Layer    chain.Optional[fee.Layer]
	Outcome  chain.Optional[fee.Outcome]
	Type     chain.Optional[chain.TransactionType]
	Call     chain.Optional[string]        // such as Balances.transfer_keep_alive, case-insensitive
	Contract chain.Optional[chain.Address] // called by an EVM transaction
}

// Has reports whether a transaction of a kind is selected.
func (k *Kinds) Has(x *Kind) bool { return is(k.Outcome, x.Outcome) && k.hasOthers(x) }

// Untold reports whether only a transaction's unknown outcome leaves it out: it satisfies the other conditions.
func (k *Kinds) Untold(x *Kind) bool { return k.Outcome.Known() && x.Outcome == "" && k.hasOthers(x) }

// mayHave reports whether a transaction is selected or untold.
func (k *Kinds) mayHave(x *Kind) bool {
	return (x.Outcome == "" || is(k.Outcome, x.Outcome)) && k.hasOthers(x)
}

// hasOthers reports whether a transaction satisfies the conditions other than the outcome.
func (k *Kinds) hasOthers(x *Kind) bool {
	call, named := k.Call.Get()
	return is(k.Layer, x.Layer) && is(k.Type, chain.TransactionType(x.Type)) && (!named || strings.EqualFold(call, x.Call)) && (!k.Contract.Known() || k.Contract == x.contract())
}

func is[T comparable](wanted chain.Optional[T], it T) bool {
	value, asked := wanted.Get()
	return !asked || value == it
}

// trait is a property of transactions that has an entry in the index of blocks.
type trait struct{ name, value string }

const (
	layerTrait   = "layer"
	outcomeTrait = "outcome"
	typeTrait    = "type"
	callTrait    = "call"
)

// traits returns the traits of a transaction; what is unknown is "".
func (k *Kind) traits() [4]trait {
	return [...]trait{{layerTrait, string(k.Layer)}, {outcomeTrait, string(k.Outcome)}, {typeTrait, k.Type}, {callTrait, k.Call}}
}

// keys returns the keys of each condition in the index of blocks. A transaction that may be selected has a key of each.
func (k *Kinds) keys() (list [][]runKey) {
	if layer, known := k.Layer.Get(); known {
		list = append(list, []runKey{trait{layerTrait, string(layer)}.key()})
	}
	if of, known := k.Type.Get(); known {
		list = append(list, []runKey{trait{typeTrait, string(of)}.key()})
	}
	if call, known := k.Call.Get(); known {
		list = append(list, []runKey{trait{callTrait, call}.key()})
	}
	if outcome, known := k.Outcome.Get(); known {
		list = append(list, []runKey{trait{outcomeTrait, string(outcome)}.key(), trait{outcomeTrait, ""}.key()})
	}
	if contract, known := k.Contract.Get(); known {
		list = append(list, []runKey{runKeyOf(contract)})
	}
	return list
}

// key returns the trait's key in the index of blocks. If traits have the same key, the blocks of all of them are found.
func (x trait) key() runKey {
	if x.name == callTrait {
		x.value = folded(x.value)
	}
	sum := sha256.Sum256([]byte(x.name + "=" + x.value))
	return runKey(sum[:])
}

// folded returns the same text for all texts that are equal by [strings.EqualFold].
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
