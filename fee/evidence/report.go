package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// Report is a block's fees with the chain's record of each. Its JSON is that of [fee.Report] with more keys.
type Report struct {
	*fee.Report
	Notes        []string      `json:"notes"`        // notes on the fees, and on splits that were not checked
	Evidence     Evidence      `json:"evidence"`     // level of evidence for the block
	Transactions []Transaction `json:"transactions"` // by index
	Totals       Totals        `json:"totals"`
	Findings     []Finding     `json:"findings"`  // the failed checks, in the order of [Checks]
	Diagnosis    *Diagnosis    `json:"diagnosis"` // a change that would explain the drifts, null if none is known
	// Unanswered are the questions that failed and can be retried: the checks that depend on them were not made.
	// The key is omitted if there are none.
	Unanswered []FailedRequest `json:"unanswered,omitempty"`
	Tallies    Tallies         `json:"-"`
	// FeesTreasuryProportion is the proportion that the split of the fees was checked with, if the split depends
	// on it: see [Options].
	FeesTreasuryProportion chain.Optional[chain.Perbill] `json:"-"`

	rules  *network.Rules               // the rules that priced the block
	normal chain.Optional[chain.Weight] // of the transactions of class Normal
	steps  []nonceStep                  // what the block reveals about nonces
	// refTime is that of the whole block, if the stored base fee follows from it.
	refTime chain.Optional[chain.RefTime]
	// limit names the limit that the base fee it stored is at, "" if neither.
	limit string
	bound bool // the multiplier that it stored is the lowest or the highest
}

// Transaction is a fee and the chain's own record of it.
type Transaction struct {
	*fee.Transaction
	Proof
	// Level is the block's level; unknown if no rule gives the fee, or if the chain recorded nothing to compare it
	// with; null for an inherent.
	Level chain.Optional[Level] `json:"level"`
	// FailedChecks are the IDs of the failed checks of this transaction, in the order of [Checks]: see [Standing].
	FailedChecks []string `json:"failed_checks"`
	// GasSpent is the gas that a native transaction took from another account; the key is omitted if there is none.
	GasSpent chain.Optional[GasSpent] `json:"gas_spent,omitzero"`
	// ProofSize is the size in bytes of the proof that explains the fee, if the runtime charged for more of it than the weight
	// in the events has; the key is omitted otherwise.
	ProofSize chain.Optional[uint64] `json:"proof_size,omitzero"`
	// WeightProof is what proves the weight that the fee is charged for; the key is omitted unless the runtime reclaims proof
	// size and the fee follows from the formula.
	WeightProof WeightProof `json:"weight_proof,omitempty"`
	// Receipt is the Ethereum receipt of a transaction of pallet revive; the key is omitted if it is not known.
	Receipt *Receipt `json:"receipt,omitempty"`
}

// Proof is the chain's record of one fee, in wei.
type Proof struct {
	// Charged is the amount the payer was charged: balances.Withdraw less the refund.
	Charged chain.Optional[chain.Wei]       `json:"charged"`
	Verdict chain.Optional[Verdict]         `json:"verdict"` // null for an inherent
	Drift   chain.Optional[chain.SignedWei] `json:"drift"`   // charged less fee, unless that is 0
	Class   chain.Optional[Class]           `json:"class"`   // of the drift
	// Where the money went: Treasury and Author as credited in the extrinsic, Burned the rest of Charged.
	Burned   chain.Optional[chain.Wei] `json:"burned"`
	Treasury chain.Optional[chain.Wei] `json:"treasury"`
	Author   chain.Optional[chain.Wei] `json:"author"`
}

// accounted reports whether all parts of the charge are known.
func (p *Proof) accounted() bool { return p.Burned.Known() && p.Treasury.Known() && p.Author.Known() }

// Verdict is the result of comparing a fee with the chain's record.
type Verdict string

// The verdicts.
const (
	Match      Verdict = "match"       // the chain charged exactly the fee
	Drift      Verdict = "drift"       // it charged a different amount
	CashOnly   Verdict = "cash_only"   // it charged, but no independent rule gives the fee
	NoEvidence Verdict = "no_evidence" // it recorded nothing to compare with
)

// Class is the cause of a drift.
type Class string

// The classes. All except ZeroedPayer and Unknown are set by a [Diagnosis].
const (
	ZeroedPayer      Class = "zeroed_payer"      // a native payer was left with no balance and received no refund
	UpgradeBoundary  Class = "upgrade_boundary"  // the neighbouring runtime's rules match
	BaseConstant     Class = "base_constant"     // a different base constant matches
	MultiplierHeight Class = "multiplier_height" // the multiplier of a different height matches
	HistoricBug      Class = "historic_bug"      // a known fault of a runtime matches
	Unknown          Class = "unknown"
)

// Classes returns the classes in the order of their declaration.
func Classes() []Class {
	return []Class{ZeroedPayer, UpgradeBoundary, BaseConstant, MultiplierHeight, HistoricBug, Unknown}
}

// Totals contains the sums of the fees and of the chain's records. A sum is unknown if any part of it is
// unknown, or if it exceeds the highest balance.
type Totals struct {
	fee.Totals
	Charged    chain.Optional[chain.Wei] `json:"charged"`
	Burned     chain.Optional[chain.Wei] `json:"burned"`
	Treasury   chain.Optional[chain.Wei] `json:"treasury"`
	Author     chain.Optional[chain.Wei] `json:"author"`
	Match      int                       `json:"match"` // number of transactions, by verdict
	Drift      int                       `json:"drift"`
	CashOnly   int                       `json:"cash_only"`
	NoEvidence int                       `json:"no_evidence"`
	// Unaccounted is the number of transactions whose charge is known but whose destinations are not.
	Unaccounted int `json:"unaccounted"`
	// FailedChecks is the number of transactions with failed checks, whatever their verdict.
	FailedChecks int `json:"failed_checks"`
}

// Finding is a failed check.
type Finding struct {
	Check     string              `json:"check"` // the ID of the check
	Block     uint64              `json:"block"`
	Extrinsic chain.Optional[int] `json:"index"` // null if it concerns the block
	Message   string              `json:"message"`
}

func (f Finding) String() string {
	if i, ok := f.Extrinsic.Get(); ok {
		return fmt.Sprintf("block %d, extrinsic %d: %s: %s", f.Block, i, f.Check, f.Message)
	}
	return fmt.Sprintf("block %d: %s: %s", f.Block, f.Check, f.Message)
}

// TokenDecimals returns the number of decimals of the network's token.
func (r *Report) TokenDecimals() int {
	if r.rules == nil {
		return new(network.Rules).TokenDecimals()
	}
	return r.rules.TokenDecimals()
}

// SS58Prefix returns the network's own prefix of accounts of 32 bytes, if its table states one. The report's JSON has
// the prefix of all chains, 42.
func (r *Report) SS58Prefix() (none chain.Optional[uint16]) {
	if r.rules == nil {
		return none
	}
	return r.rules.SS58Prefix
}

// AccountSize returns the number of bytes of the network's accounts.
func (r *Report) AccountSize() int {
	if r.rules == nil {
		return chain.AddressSize
	}
	return r.rules.AccountMapping.Size()
}

// Holds reports whether every fee is determined, no check failed, and the destinations of every charge are
// known. Rules that are not certain to be the chain's are accepted if every fee matches.
func (r *Report) Holds() bool {
	return r.Totals.Complete && len(r.Findings) == 0 && r.Totals.Unaccounted == 0 && r.Proved()
}

// Proved reports whether the rules are certain to be the chain's, or every fee matches the charge.
func (r *Report) Proved() bool {
	return r.rules != nil && r.rules.Certain || r.Totals.Match == r.Totals.EVM+r.Totals.Native
}
