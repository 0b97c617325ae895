package network

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// MultiplierAt says which block's stored multiplier prices a block.
type MultiplierAt string

// The specification reads the multiplier at the block itself (fee rule 6). The
// chain charges by the value stored at the block's parent, because each block
// stores the next one's multiplier when it ends.
const (
	AtBlock  MultiplierAt = "block"
	AtParent MultiplierAt = "parent"
)

// BaseFee is how a runtime finds its base fee per gas: a Static price, or
// floor(multiplier × Constant). The chain keeps the multiplier at MinMultiplier or
// above, except in the first block of a runtime that raised it, which is charged
// by what was stored.
type BaseFee struct {
	Static        chain.Optional[chain.GasPrice]
	Constant      chain.GasPrice
	MinMultiplier chain.Multiplier
}

// Rules is what prices the blocks of one runtime.
type Rules struct {
	Network string
	Symbol  string // of the token, such as GLMR
	// Runtime is the version of the runtime that executed the block, not known
	// where the specification's row is used.
	Runtime chain.Optional[uint32]
	// Name says what priced a block: "moonbeam/2100" or "spec/mainnet". It ends
	// in "?" where the runtime is newer than all that the table knows, or where the
	// table does not know whether its figures are the chain's.
	Name    string
	Certain bool // Name does not end in "?"
	// Source says which row of which table these are, and where its figures are from.
	Source string

	BaseFee     BaseFee
	MinGasPrice chain.GasPrice // a lower price is noted
	// WeightCorrection is added to an EVM transaction's ref time: some runtimes
	// reported it without the base weight of the extrinsic.
	WeightCorrection chain.RefTime
	WeightPerGas     WeightPerGas
	// PriceCapped says that the price of an eip1559 transaction is at most its
	// maxFeePerGas. Some runtimes charged base fee + priority fee.
	PriceCapped  bool
	MultiplierAt MultiplierAt
	// NoWithdrawEvent and NoFeeEvent say that the runtime is too old to have had
	// balances.Withdraw, and transactionPayment.TransactionFeePaid.
	NoWithdrawEvent bool
	NoFeeEvent      bool
	// InexactDigest says that the header's digest may name more EVM transactions than ran.
	InexactDigest bool
	// NoSetCode says that no account that signs can have code in this runtime.
	NoSetCode bool
	// HoldsMore says that the runtime withdrew more than gas limit × gas price before
	// an EVM transaction ran, or that this is not known. DeclaredPaysFee says that an
	// outcome's paysFee is what the call declared, and not what came of it, or that
	// this is not known.
	HoldsMore       bool
	DeclaredPaysFee bool
	Treasury        chain.Optional[chain.Address] // who gets the treasury's part of the fees
	LastBlock       chain.Optional[uint64]        // of a chain that has ended
	Notes           []string                      // what a reader of the report must know of these rules
	Faults          []Fault                       // of any runtime of any network that is known

	// What proves a fee against the chain's records, where the table knows it. The
	// specification knows none of it.
	Destinations chain.Optional[Destinations]
	// Proportion is where the parameter is that the destinations look at.
	Proportion chain.Optional[TreasuryProportion]
	Update     chain.Optional[MultiplierUpdate]
	NativeFee  chain.Optional[NativeFee]
	// ExistentialDeposit is what an account has at least.
	ExistentialDeposit chain.Optional[chain.Wei]
}

// NeedsBlockWeight tells whether only system.blockWeight shows what a block weighed, and so
// that no extrinsic is missing: its multiplier is constant, or follows from that weight.
func (r Rules) NeedsBlockWeight() bool {
	update, known := r.Update.Get()
	return known && update.BlockWeight == ""
}

// ErrUnknownRuntime says that a runtime is older than all that a table knows.
var ErrUnknownRuntime = errors.New("unknown runtime")

// ErrNoSpecification says that the specification has no row for a network.
var ErrNoSpecification = errors.New("not in the specification's table")

// Rules are those of the row for the runtime that executed a block. A runtime
// newer than the table is priced by the last row. These rules and those of an
// uncertain row are not Certain. A runtime older than the first row is
// [ErrUnknownRuntime].
func (n *Network) Rules(runtime uint32) (Rules, error) {
	row, ok := rowFor(n.Rows, runtime)
	if !ok {
		return Rules{}, fmt.Errorf("%w: the table of %s begins with runtime %d, this block was executed by %d",
			ErrUnknownRuntime, n.Name, n.Rows[0].FromRuntime, runtime)
	}
	r := Rules{
		Network:            n.Name,
		Symbol:             n.Symbol,
		Runtime:            chain.Some(runtime),
		Name:               fmt.Sprintf("%s/%d", n.Name, runtime),
		Certain:            true,
		Source:             fmt.Sprintf("%s, row from runtime %d: %s", n.table(), row.FromRuntime, row.Source),
		BaseFee:            row.baseFee(),
		MinGasPrice:        row.MinGasPrice(),
		WeightCorrection:   row.WeightCorrection,
		WeightPerGas:       row.WeightPerGas,
		PriceCapped:        !row.PriceUncapped,
		MultiplierAt:       AtParent,
		NoWithdrawEvent:    runtime < n.FirstWithdrawEvent,
		NoFeeEvent:         runtime < n.FirstFeeEvent,
		InexactDigest:      runtime < n.FirstExactDigest,
		HoldsMore:          runtime < n.FirstExactHold,
		DeclaredPaysFee:    runtime < n.FirstActualPaysFee,
		NoSetCode:          runtime < n.FirstSetCode,
		Treasury:           told(n.Treasury),
		LastBlock:          told(n.LastBlock),
		Notes:              n.notes(row.Note),
		Faults:             n.faults,
		Proportion:         told(n.FeesTreasuryProportion),
		Destinations:       known(n.Destinations, runtime, func(r DestinationsRow) Destinations { return r.Destinations }),
		Update:             known(n.MultiplierUpdates, runtime, func(r MultiplierUpdateRow) MultiplierUpdate { return r.MultiplierUpdate }),
		NativeFee:          known(n.NativeFees, runtime, func(r NativeFeeRow) NativeFee { return r.NativeFee }),
		ExistentialDeposit: known(n.ExistentialDeposits, runtime, func(r ExistentialDepositRow) chain.Wei { return *r.Deposit }),
	}
	if row.Uncertain || runtime > n.LastRuntime {
		r.Name += "?"
		r.Certain = false
	}
	if runtime > n.LastRuntime {
		r.Notes = append(r.Notes, fmt.Sprintf(
			"runtime %d is newer than the table of %s, which was checked up to %d: priced by its last row; check it against the chain",
			runtime, n.Name, n.LastRuntime))
	}
	return r, nil
}

// SpecificationRules are those of the specification's own table (fee rule 6),
// with its reading of the multiplier: at the block being evaluated.
func (n *Network) SpecificationRules() (Rules, error) {
	s := n.Specification
	if s == nil {
		return Rules{}, fmt.Errorf("%w: it has no row for %s", ErrNoSpecification, n.Name)
	}
	return Rules{
		Network:         n.Name,
		Symbol:          n.Symbol,
		Name:            "spec/" + s.Name,
		Certain:         true,
		Source:          s.Source,
		BaseFee:         BaseFee{Constant: *s.BaseFeeConstant},
		MinGasPrice:     *s.MinGasPrice,
		PriceCapped:     true,
		MultiplierAt:    AtBlock,
		HoldsMore:       true,
		DeclaredPaysFee: true,
		Treasury:        told(n.Treasury),
		LastBlock:       told(n.LastBlock),
		Notes:           n.notes(""),
		Faults:          n.faults,
	}, nil
}

// told is a figure that a table may leave out.
func told[V any](v *V) (none chain.Optional[V]) {
	if v == nil {
		return none
	}
	return chain.Some(*v)
}

// Ends tells whether the chain ends with the block at a height, or has before.
func (r *Rules) Ends(height uint64) bool {
	last, ended := r.LastBlock.Get()
	return ended && height >= last
}

// table names the table and the user's file that it is in.
func (n *Network) table() string {
	if n.File == "" {
		return "table of " + n.Name
	}
	return fmt.Sprintf("table of %s in %s", n.Name, n.File)
}

func (n *Network) notes(ofRow string) []string {
	notes := []string{}
	if n.File != "" {
		notes = append(notes, "priced by the "+n.table())
	}
	if ofRow != "" {
		notes = append(notes, ofRow)
	}
	return notes
}

func (r Row) baseFee() BaseFee {
	if r.StaticBaseFee != nil {
		return BaseFee{Static: chain.Some(*r.StaticBaseFee)}
	}
	return BaseFee{Constant: *r.BaseFeeConstant, MinMultiplier: *r.MinMultiplier}
}
