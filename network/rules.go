package network

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network/rule"
)

// MultiplierAt selects the block whose stored multiplier prices a block.
type MultiplierAt string

// The specification reads the multiplier at the block itself (fee rule 6). The chain charges by the value
// stored at the block's parent, because each block ends by storing the multiplier for the next one.
const (
	AtBlock  MultiplierAt = "block"
	AtParent MultiplierAt = "parent"
)

// BaseFee defines a runtime's base fee per gas: a Static price, a Stored one, or floor(multiplier × Constant) × Scale. The
// chain keeps the multiplier at MinMultiplier or above, except in the first block of a runtime that raised the
// minimum: that block is charged by the stored multiplier.
type BaseFee struct {
	None          bool // the runtime has no EVM
	Static        chain.Optional[chain.GasPrice]
	Stored        chain.Optional[rule.StoredBaseFee]
	Constant      chain.GasPrice
	Scale         uint64 // 0 stands for 1
	MinMultiplier chain.Multiplier
}

// Of returns the base fee at a multiplier: floor(multiplier × Constant / 10^18) × Scale, in wei per gas.
func (b BaseFee) Of(m chain.Multiplier) (chain.GasPrice, error) {
	price, err := m.Of(b.Constant)
	if err == nil && b.Scale > 1 {
		price, err = price.Scale(b.Scale)
	}
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("multiplier × base constant: %w", err)
	}
	return price, nil
}

// Rules contains everything that prices the blocks of one runtime.
type Rules struct {
	Network string
	Token
	// Runtime is the version of the runtime that executed the block; unknown if the specification's row is used.
	Runtime chain.Optional[uint32]
	// Name identifies the row that priced a block: "moonbeam/2100" or "spec/mainnet". It ends in "?" if the
	// runtime is newer than the table, or if the table marks its figures as uncertain.
	Name    string
	Certain bool // Name does not end in "?"
	// Source names the row and its table, and the source of its figures.
	Source string

	EVM         rule.EVM // what runs the runtime's Ethereum transactions
	BaseFee     BaseFee
	MinGasPrice chain.GasPrice // lower prices are noted
	// WeightCorrection is added to an EVM transaction's ref time, in picoseconds: some runtimes reported it
	// without the base weight of the extrinsic.
	WeightCorrection chain.RefTime
	WeightPerGas     WeightPerGas
	// ChargesLimit reports that an EVM transaction pays for its whole gas limit.
	ChargesLimit bool
	// EVMUnit is the number of the EVM's wei in one of the token's smallest units, in which fees are charged; 0 stands
	// for 1.
	EVMUnit uint64
	// PriceCapped reports that the price of an eip1559 transaction is at most its maxFeePerGas. Some runtimes
	// charged base fee + priority fee even above it.
	PriceCapped  bool
	MultiplierAt MultiplierAt
	// NoWithdrawEvent and NoFeeEvent report that the runtime predates balances.Withdraw and
	// transactionPayment.TransactionFeePaid.
	NoWithdrawEvent bool
	NoFeeEvent      bool
	// InexactDigest reports that the header's digest may list more EVM transactions than were executed.
	InexactDigest bool
	// NoSetCode reports that no signing account can have code in this runtime.
	NoSetCode bool
	// EqualTimes reports that a block may have its parent's time.
	EqualTimes bool
	// HoldsMore reports that the runtime withdrew more than gas limit × gas price before an EVM transaction ran,
	// or that this is unknown. DeclaredPaysFee reports that an outcome's paysFee is the call's declaration rather
	// than the final result, or that this is unknown.
	HoldsMore       bool
	DeclaredPaysFee bool
	Treasury        chain.Optional[chain.Address] // receives the treasury's part of the fees
	AccountMapping  AccountMapping
	TreasuryName    string                 // of that account, if it is another pot
	LastBlock       chain.Optional[uint64] // of a chain that has ended
	Notes           []string               // caveats for readers of a report that uses these rules
	Faults          []Fault                // of any runtime of any known network

	// The rules that verify a fee against the chain's records. The specification contains none.
	rule.Verification
}

// usualDecimals are the decimals of a token whose table does not state them.
const usualDecimals = 18

// Token is a network's token, in which amounts are shown, the form of the network's accounts, and where fees go.
type Token struct {
	Symbol     string                 // such as GLMR
	Decimals   int                    // 0 stands for 18
	ShortName  string                 // of the network, before addresses (EIP-3770); "" if unknown
	SS58Prefix chain.Optional[uint16] // of accounts of 32 bytes, if the network's table states one
	Pot        string                 // what receives the treasury's part of fees, if it is not the treasury
}

// TokenDecimals returns the number of decimals of the token.
func (t Token) TokenDecimals() int { return cmp.Or(t.Decimals, usualDecimals) }

// Token returns the network's token.
func (n *Network) Token() Token {
	return Token{Symbol: n.Symbol, Decimals: int(n.Decimals), ShortName: n.ShortName, SS58Prefix: optional(n.SS58Prefix), Pot: n.pot()}
}

// pot returns the name of the pot that receives fees instead of the treasury: "pots" if it depends on the runtime, "" if
// there is none.
func (n *Network) pot() string {
	name := n.TreasuryName
	for _, d := range n.Destinations {
		if d.AccountName != "" && d.AccountName != name {
			return "pots"
		}
	}
	return name
}

// TreasuryLabel returns the name of the account Treasury: "treasury", or that of another pot.
func (r *Rules) TreasuryLabel() string { return cmp.Or(r.TreasuryName, "treasury") }

// ErrUnknownRuntime means that a runtime is older than the first row of a table.
var ErrUnknownRuntime = errors.New("unknown runtime")

// ErrNoSpecification means that the specification has no row for a network.
var ErrNoSpecification = errors.New("not in the specification's table")

// Rules returns the rules of the row for the runtime that executed a block. A runtime newer than the table is
// priced by the last row. Those rules, and those of an uncertain row, are not Certain. For a runtime older
// than the first row, it returns [ErrUnknownRuntime].
func (n *Network) Rules(runtime uint32) (Rules, error) {
	row, ok := rule.PriceOf(&n.Lists, runtime)
	if !ok {
		return Rules{}, fmt.Errorf("%w: the table of %s starts with runtime %d, but runtime %d executed this block",
			ErrUnknownRuntime, n.Name, n.Rows[0].FromRuntime, runtime)
	}
	r := Rules{
		Network:          n.Name,
		Token:            n.Token(),
		Runtime:          chain.Some(runtime),
		Name:             fmt.Sprintf("%s/%d", n.Name, runtime),
		Certain:          true,
		Source:           fmt.Sprintf("%s, row from runtime %d: %s", n.table(), row.FromRuntime, row.Source),
		EVM:              row.EVM,
		BaseFee:          baseFeeOf(row),
		MinGasPrice:      row.MinGasPrice(),
		WeightCorrection: row.WeightCorrection,
		WeightPerGas:     WeightPerGas(row.WeightPerGas),
		ChargesLimit:     row.ChargedGas == rule.GasLimit,
		EVMUnit:          n.EVMUnit,
		PriceCapped:      !row.PriceUncapped,
		MultiplierAt:     AtParent,
		NoWithdrawEvent:  runtime < n.FirstWithdrawEvent,
		NoFeeEvent:       runtime < n.FirstFeeEvent,
		InexactDigest:    runtime < n.FirstExactDigest,
		HoldsMore:        runtime < n.FirstExactHold,
		DeclaredPaysFee:  runtime < n.FirstActualPaysFee,
		NoSetCode:        runtime < n.FirstSetCode,
		EqualTimes:       n.EqualTimesFrom != nil && runtime >= *n.EqualTimesFrom,
		Treasury:         optional(n.Treasury),
		AccountMapping:   n.AccountMapping,
		TreasuryName:     n.TreasuryName,
		LastBlock:        optional(n.LastBlock),
		Notes:            n.notes(row.Note),
		Faults:           n.faults,
		Verification:     rule.VerificationOf(&n.Lists, runtime),
	}
	if d, _ := r.Destinations.Get(); d.Account != nil {
		r.Treasury, r.TreasuryName = chain.Some(*d.Account), d.AccountName
	}
	r.Proportion = optional(n.FeesTreasuryProportion)
	if update, known := r.BaseFeeUpdate.Get(); known && row.BaseFeeStored != nil {
		r.MinGasPrice = update.Minimum
	}
	if row.Uncertain || n.Unverified != "" || runtime > n.LastRuntime {
		r.Name += "?"
		r.Certain = false
	}
	if runtime > n.LastRuntime {
		r.Notes = append(r.Notes, fmt.Sprintf(
			"runtime %d is newer than the table of %s, which was checked up to %d. The last row was used; verify the fees against the chain.",
			runtime, n.Name, n.LastRuntime))
	}
	return r, nil
}

// Rules selects the network as [Tables.Find] does, and returns its rules for the runtime that executed a block, or those of
// the specification if that is unknown. The note is that of Find.
func (t Tables) Rules(gateway Identity, wanted string, runtime chain.Optional[uint32]) (rules Rules, note string, err error) {
	n, note, err := t.Find(gateway, wanted)
	if err != nil {
		return Rules{}, "", err
	}
	rules, err = n.RulesOf(runtime)
	return rules, note, err
}

// RulesOf returns the rules for the runtime that executed a block, or those of the specification if that is unknown.
func (n *Network) RulesOf(runtime chain.Optional[uint32]) (Rules, error) {
	if version, known := runtime.Get(); known {
		return n.Rules(version)
	}
	return n.SpecificationRules()
}

// SpecificationRules returns the rules of the specification's own table (fee rule 6), with its reading of the
// multiplier: at the block itself.
func (n *Network) SpecificationRules() (Rules, error) {
	s := n.Specification
	if s == nil {
		return Rules{}, fmt.Errorf("%w: it has no row for %s", ErrNoSpecification, n.Name)
	}
	return Rules{
		Network:         n.Name,
		Token:           n.Token(),
		Name:            "spec/" + s.Name,
		Certain:         true,
		Source:          s.Source,
		BaseFee:         BaseFee{Constant: *s.BaseFeeConstant},
		MinGasPrice:     *s.MinGasPrice,
		EVMUnit:         n.EVMUnit,
		PriceCapped:     true,
		MultiplierAt:    AtBlock,
		HoldsMore:       true,
		DeclaredPaysFee: true,
		Treasury:        optional(n.Treasury),
		AccountMapping:  n.AccountMapping,
		TreasuryName:    n.TreasuryName,
		LastBlock:       optional(n.LastBlock),
		Notes:           n.notes(""),
		Faults:          n.faults,
	}, nil
}

// optional returns the value of a figure that a table may omit.
func optional[V any](v *V) (none chain.Optional[V]) {
	if v == nil {
		return none
	}
	return chain.Some(*v)
}

// Ends reports whether the chain ends at or before the block at a height.
func (r *Rules) Ends(height uint64) bool {
	last, ended := r.LastBlock.Get()
	return ended && height >= last
}

// table names the table and the user's file that contains it.
func (n *Network) table() string {
	if n.File == "" {
		return "table of " + n.Name
	}
	return fmt.Sprintf("table of %s in %s", n.Name, n.File)
}

func (n *Network) notes(ofRow string) []string {
	notes := []string{}
	if n.Unverified != "" {
		notes = append(notes, "unverified: the "+n.table()+" was not compared with the chain's blocks; "+n.Unverified)
	}
	if n.File != "" {
		notes = append(notes, "priced by the "+n.table())
	}
	if ofRow != "" {
		notes = append(notes, ofRow)
	}
	return notes
}

func baseFeeOf(r rule.PriceRow) BaseFee {
	if r.EVM == rule.NoEVM {
		return BaseFee{None: true}
	}
	if r.StaticBaseFee != nil {
		return BaseFee{Static: chain.Some(*r.StaticBaseFee)}
	}
	if r.BaseFeeStored != nil {
		return BaseFee{Stored: chain.Some(*r.BaseFeeStored)}
	}
	return BaseFee{Constant: *r.BaseFeeConstant, Scale: r.GasScale, MinMultiplier: *r.MinMultiplier}
}
