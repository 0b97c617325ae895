package rule

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// EVM names what runs a runtime's Ethereum transactions, and thereby how they pay.
type EVM string

const (
	// Frontier is pallet ethereum: the extrinsic ethereum.transact pays for its gas at the price that its sender offers.
	Frontier EVM = ""
	// Revive is pallet revive: the extrinsic revive.ethTransact pays the fee that a native one of the same weight and
	// length pays, without a tip. Its price per gas is always the base fee.
	Revive EVM = "revive"
	// NoEVM means that the runtime has no Ethereum transactions.
	NoEVM EVM = "none"
)

// Carries reports whether an extrinsic with this call carries an Ethereum transaction.
func (e EVM) Carries(pallet, call string) bool {
	switch e {
	case Frontier:
		return call == "transact" && pallet == "ethereum"
	case Revive:
		return call == "ethTransact" && pallet == "revive"
	}
	return false
}

func (e EVM) valid() bool { return e == Frontier || e == Revive || e == NoEVM }

// PriceRow prices the blocks from its runtime to the next row. It has either StaticBaseFee, or BaseFeeStored, or
// BaseFeeConstant and MinMultiplier. Pallet revive stores no base fee, and a runtime without an EVM has none of them.
// Prices are in wei per gas, multipliers are stored integers (10^18 for 1).
type PriceRow struct {
	FromRuntime     uint32            `json:"from_runtime"`
	EVM             EVM               `json:"evm,omitempty"`
	StaticBaseFee   *chain.GasPrice   `json:"static_base_fee,omitempty"`
	BaseFeeConstant *chain.GasPrice   `json:"base_fee_constant,omitempty"`
	MinMultiplier   *chain.Multiplier `json:"minimum_multiplier,omitempty"`
	BaseFeeStored   *StoredBaseFee    `json:"base_fee_stored,omitempty"`
	// GasScale multiplies the base fee of BaseFeeConstant after it was rounded down; 0 stands for 1.
	GasScale         uint64        `json:"gas_scale,omitzero"`
	WeightPerGas     uint64        `json:"weight_per_gas,omitzero"` // in picoseconds of ref time; the specification's if 0
	WeightCorrection chain.RefTime `json:"weight_correction,omitzero"`
	PriceUncapped    bool          `json:"price_uncapped,omitempty"`
	ChargedGas       ChargedGas    `json:"charged_gas,omitempty"`
	// Uncertain reports that the sources do not confirm these figures. Note gives the reason.
	Uncertain bool   `json:"uncertain,omitempty"`
	Source    string `json:"source"`
	Note      string `json:"note,omitempty"`
}

// MinGasPrice returns the lowest price that the row's runtimes accept, in wei per gas: the static base fee, or
// floor(minimum multiplier × constant) × gas scale. It is 0 for a stored base fee, whose minimum is in [BaseFeeUpdate], and
// without an EVM.
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
	case !r.EVM.valid():
		return fmt.Errorf("evm %q: want %s or %s, or nothing for pallet ethereum", string(r.EVM), Revive, NoEVM)
	case r.Uncertain && r.Note == "":
		return errors.New("uncertain: want a note with the reason")
	case r.EVM == NoEVM:
		r.FromRuntime, r.EVM, r.Uncertain, r.Source, r.Note = 0, "", false, "", ""
		if r != (PriceRow{}) {
			return fmt.Errorf("evm %s: want no prices in the same row", NoEVM)
		}
		return nil
	case static && dynamic, stored && (static || dynamic), !static && !dynamic && !stored:
		return errors.New("want either static_base_fee, or base_fee_stored, or base_fee_constant with minimum_multiplier")
	case dynamic && (r.BaseFeeConstant == nil || r.MinMultiplier == nil):
		return errors.New("want both base_fee_constant and minimum_multiplier")
	case r.GasScale != 0 && !dynamic:
		return errors.New("gas_scale: want base_fee_constant and minimum_multiplier")
	case r.EVM == Revive && stored:
		return fmt.Errorf("evm %s: want static_base_fee, or base_fee_constant with minimum_multiplier", Revive)
	case r.EVM == Revive && (r.WeightPerGas != 0 || !r.WeightCorrection.IsZero() || r.ChargedGas != "" || r.PriceUncapped):
		return fmt.Errorf("evm %s: its fees do not depend on gas; want no weight_per_gas, weight_correction, charged_gas or price_uncapped", Revive)
	case stored:
		if err := r.BaseFeeStored.check(); err != nil {
			return err
		}
	}
	if !r.ChargedGas.valid() {
		return fmt.Errorf("charged_gas %q: want %s or %s", string(r.ChargedGas), GasUsed, GasLimit)
	}
	_, err := r.minGasPrice()
	return err
}

// minGasPrice returns the row's static base fee, 0 for a stored one and without an EVM, or that of the minimum multiplier.
func (r PriceRow) minGasPrice() (chain.GasPrice, error) {
	if r.StaticBaseFee != nil {
		return *r.StaticBaseFee, nil
	}
	if r.BaseFeeStored != nil || r.EVM == NoEVM {
		return chain.GasPrice{}, nil
	}
	lowest, err := r.MinMultiplier.Of(*r.BaseFeeConstant)
	if err == nil {
		lowest, err = lowest.Scale(max(r.GasScale, 1))
	}
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("minimum_multiplier × base_fee_constant: %w", err)
	}
	return lowest, nil
}
