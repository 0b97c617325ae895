package network

import "github.com/feeledger/fees/network/rule"

// ParameterKey returns the key of FeesTreasuryProportion for a runtime of the network with that spec name. It
// returns "" if the runtime's fees do not depend on the parameter, or the tables do not contain the runtime.
func (t Tables) ParameterKey(specName string, runtime uint32) string {
	rules := t.rulesOf(specName, runtime)
	d, _ := rules.Destinations.Get()
	p, _ := rules.Proportion.Get()
	if !d.LooksAt(rule.TreasuryParameter) {
		return ""
	}
	return p.Key
}

// BaseFeeItem returns the storage item with the base fee, such as "BaseFee.BaseFeePerGas", for a runtime of the network
// with that spec name. It returns "" if the runtime does not store its base fee, or the tables do not contain the runtime.
func (t Tables) BaseFeeItem(specName string, runtime uint32) string {
	stored, known := t.rulesOf(specName, runtime).BaseFee.Stored.Get()
	if !known {
		return ""
	}
	return stored.Name()
}

// NeedsBlockWeight reports whether proving a block executed by that runtime requires system.blockWeight. It
// returns false if the tables do not contain the runtime. See [rule.Verification.NeedsBlockWeight].
func (t Tables) NeedsBlockWeight(specName string, runtime uint32) bool {
	return t.rulesOf(specName, runtime).NeedsBlockWeight()
}

// rulesOf returns the rules of a runtime of the network with that spec name, or empty rules if the tables do
// not contain it.
func (t Tables) rulesOf(specName string, runtime uint32) Rules {
	n := t.like(specName)
	if n == nil {
		return Rules{}
	}
	rules, err := n.Rules(runtime)
	if err != nil {
		return Rules{}
	}
	return rules
}
