package network

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/feeledger/fees/chain"
)

// TreasuryProportion locates FeesTreasuryProportion, a governance parameter, in a chain's storage.
type TreasuryProportion struct {
	// Key is its key in the storage item parameters.parameters, SCALE in hex: the index of its parameter group,
	// RuntimeConfig, and its index in the group.
	Key string `json:"key"`
	// Default applies until governance sets a value.
	Default *chain.Perbill `json:"default"`
	Source  string         `json:"source"`
}

var keyForm = regexp.MustCompile(`^0x([0-9a-f]{2}){1,64}$`)

func (p *TreasuryProportion) check() error {
	var err error
	switch {
	case p == nil:
	case !keyForm.MatchString(p.Key):
		err = fmt.Errorf("key %q: want the SCALE key in hex, in lower case, such as 0x0000", p.Key)
	case p.Default == nil:
		err = errors.New("default: missing; want parts per billion, such as 200000000 for 20 %")
	case p.Source == "":
		err = errNoSource
	}
	if err != nil {
		return fmt.Errorf("fees_treasury_proportion: %w", err)
	}
	return nil
}

// ParameterKey returns the key of FeesTreasuryProportion for a runtime of the network with that spec name. It
// returns "" if the runtime's fees do not depend on the parameter, or the tables do not contain the runtime.
func (t Tables) ParameterKey(specName string, runtime uint32) string {
	rules := t.rulesOf(specName, runtime)
	d, _ := rules.Destinations.Get()
	p, _ := rules.Proportion.Get()
	if !d.LooksAt(TreasuryParameter) {
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
// returns false if the tables do not contain the runtime. See [Rules.NeedsBlockWeight].
func (t Tables) NeedsBlockWeight(specName string, runtime uint32) bool {
	return t.rulesOf(specName, runtime).NeedsBlockWeight()
}

// rulesOf returns the rules of a runtime of the network with that spec name, or empty rules if the tables do
// not contain it.
func (t Tables) rulesOf(specName string, runtime uint32) Rules {
	n, _, err := t.Find(Identity{SpecName: specName}, "")
	if err != nil {
		return Rules{}
	}
	rules, err := n.Rules(runtime)
	if err != nil {
		return Rules{}
	}
	return rules
}
