package rule

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// PriceRow prices the blocks from its runtime to the next row. It has either StaticBaseFee, or BaseFeeStored, or
// BaseFeeConstant and MinMultiplier. Prices are in wei per gas, multipliers are stored integers (10^18 for 1).
type PriceRow struct {
	FromRuntime      uint32            `json:"from_runtime"`
	StaticBaseFee    *chain.GasPrice   `json:"static_base_fee,omitempty"`
	BaseFeeConstant  *chain.GasPrice   `json:"base_fee_constant,omitempty"`
	MinMultiplier    *chain.Multiplier `json:"minimum_multiplier,omitempty"`
	BaseFeeStored    *StoredBaseFee    `json:"base_fee_stored,omitempty"`
	WeightPerGas     uint64            `json:"weight_per_gas,omitzero"` // in picoseconds of ref time; the specification's if 0
	WeightCorrection chain.RefTime     `json:"weight_correction,omitzero"`
	PriceUncapped    bool              `json:"price_uncapped,omitempty"`
	ChargedGas       ChargedGas        `json:"charged_gas,omitempty"`
	// Uncertain reports that the sources do not confirm these figures. Note gives the reason.
	Uncertain bool   `json:"uncertain,omitempty"`
	Source    string `json:"source"`
	Note      string `json:"note,omitempty"`
}

// MinGasPrice returns the lowest price that the row's runtimes accept, in wei per gas: the static base fee, or
// floor(minimum multiplier × constant). It is 0 for a stored base fee, whose minimum is in [BaseFeeUpdate].
func (r PriceRow) MinGasPrice() chain.GasPrice {
	lowest, _ := r.minGasPrice() // checked when the table was parsed
	return lowest
}

// ChargedGas selects the gas that an EVM transaction pays for. The zero value is [GasUsed].
type ChargedGas string

const (
	GasUsed  ChargedGas = "used"  // the gas that the transaction used, by its weight
	GasLimit ChargedGas = "limit" // its whole gas limit: the excess is not refunded
)

func (g ChargedGas) valid() bool { return g == "" || g == GasUsed || g == GasLimit }

func (r PriceRow) head() rowHead { return rowHead{from: r.FromRuntime, source: r.Source} }

func (r PriceRow) check() error {
	static, dynamic, stored := r.StaticBaseFee != nil, r.BaseFeeConstant != nil || r.MinMultiplier != nil, r.BaseFeeStored != nil
	switch {
	case static && dynamic, stored && (static || dynamic), !static && !dynamic && !stored:
		return errors.New("want either static_base_fee, or base_fee_stored, or base_fee_constant with minimum_multiplier")
	case stored:
		if err := r.BaseFeeStored.check(); err != nil {
			return err
		}
	case dynamic && (r.BaseFeeConstant == nil || r.MinMultiplier == nil):
		return errors.New("want both base_fee_constant and minimum_multiplier")
	}
	if !r.ChargedGas.valid() {
		return fmt.Errorf("charged_gas %q: want %s or %s", string(r.ChargedGas), GasUsed, GasLimit)
	}
	if r.Uncertain && r.Note == "" {
		return errors.New("uncertain: want a note with the reason")
	}
	_, err := r.minGasPrice()
	return err
}

// minGasPrice returns the row's static base fee, 0 for a stored one, or floor(minimum multiplier × constant).
func (r PriceRow) minGasPrice() (chain.GasPrice, error) {
	if r.StaticBaseFee != nil {
		return *r.StaticBaseFee, nil
	}
	if r.BaseFeeStored != nil {
		return chain.GasPrice{}, nil
	}
	lowest, err := r.MinMultiplier.Of(*r.BaseFeeConstant)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("minimum_multiplier × base_fee_constant: %w", err)
	}
	return lowest, nil
}
