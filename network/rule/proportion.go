package rule

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

// Check returns an error if a field is missing or malformed; nil passes.
func (p *TreasuryProportion) Check() error {
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
