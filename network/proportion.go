package network

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/feeledger/fees/chain"
)

// TreasuryProportion is where a chain keeps FeesTreasuryProportion, a parameter of
// governance.
type TreasuryProportion struct {
	// Key is its key in the storage item parameters.parameters, SCALE in hex: the number
	// of its group of parameters, RuntimeConfig, and its own number in that.
	Key string `json:"key"`
	// Default is what holds as long as governance has set none.
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
		err = errors.New("default: none; want parts per billion, such as 200000000 for 20 %")
	case p.Source == "":
		err = errNoSource
	}
	if err != nil {
		return fmt.Errorf("fees_treasury_proportion: %w", err)
	}
	return nil
}

// ParameterKey is the key by which FeesTreasuryProportion is asked for on a runtime of the
// network that names itself so; "" where its fees do not depend on it, or the tables do
// not know.
func (t Tables) ParameterKey(specName string, runtime uint32) string {
	rules := t.rulesOf(specName, runtime)
	d, _ := rules.Destinations.Get()
	p, _ := rules.Proportion.Get()
	if !d.LooksAt(TreasuryParameter) {
		return ""
	}
	return p.Key
}

// NeedsBlockWeight tells whether the proof of a block wants system.blockWeight where a
// runtime of the network that names itself so executed it; false where the tables do not
// know. See [Rules.NeedsBlockWeight].
func (t Tables) NeedsBlockWeight(specName string, runtime uint32) bool {
	return t.rulesOf(specName, runtime).NeedsBlockWeight()
}

// rulesOf are those of a runtime of the network that names itself so; none where the tables
// do not know it.
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
