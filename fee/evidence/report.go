package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// Report is a block's fees with what the chain recorded of each. Its JSON is that
// of the [fee.Report] with more keys.
type Report struct {
	*fee.Report
	Notes        []string      `json:"notes"`        // those of the fees, and what of their split was not checked
	Evidence     Evidence      `json:"evidence"`     // how well the block is known
	Transactions []Transaction `json:"transactions"` // by index
	Totals       Totals        `json:"totals"`
	Findings     []Finding     `json:"findings"`  // what does not hold, in the order of the checks
	Diagnosis    *Diagnosis    `json:"diagnosis"` // what would explain the drifts, null where nothing is known to
	// Unanswered are the questions that were not answered and can be asked again: what
	// depends on them was not checked. There are none where the key is not there.
	Unanswered []Question `json:"unanswered,omitempty"`
	Tallies    Tallies    `json:"-"`
	// FeesTreasuryProportion is what the split of the fees was checked by, where it depends
	// on that: see [Options].
	FeesTreasuryProportion chain.Optional[chain.Perbill] `json:"-"`

	rules  *network.Rules               // that it was made by
	normal chain.Optional[chain.Weight] // of the transactions of class Normal
	steps  []nonceStep                  // what it tells of accounts' nonces
	bound  bool                         // the multiplier that it stored is the least or the highest
}

// Transaction is a fee beside the chain's own record of it.
type Transaction struct {
	*fee.Transaction
	Proof
	// Level is the block's; unknown where no rule gives the fee, or where the chain recorded
	// nothing to compare it with; null for an inherent.
	Level chain.Optional[Level] `json:"level"`
}

// Proof is what the chain recorded of one fee, in wei.
type Proof struct {
	// Charged is what the payer paid: balances.Withdraw less the refund.
	Charged chain.Optional[chain.Wei]       `json:"charged"`
	Verdict chain.Optional[Verdict]         `json:"verdict"` // null for an inherent
	Drift   chain.Optional[chain.SignedWei] `json:"drift"`   // charged less fee, where that is not 0
	Class   chain.Optional[Class]           `json:"class"`   // of the drift
	// Where the money went: Treasury and Author as they were credited in the
	// extrinsic, Burned the rest of Charged.
	Burned   chain.Optional[chain.Wei] `json:"burned"`
	Treasury chain.Optional[chain.Wei] `json:"treasury"`
	Author   chain.Optional[chain.Wei] `json:"author"`
}

// accounted tells whether it is known where the money went.
func (p *Proof) accounted() bool { return p.Burned.Known() && p.Treasury.Known() && p.Author.Known() }

// Verdict is how a fee stands beside the chain's record.
type Verdict string

// The verdicts.
const (
	Match      Verdict = "match"       // the chain charged exactly the fee
	Drift      Verdict = "drift"       // it charged something else
	CashOnly   Verdict = "cash_only"   // it charged, and there is no independent rule
	NoEvidence Verdict = "no_evidence" // it recorded nothing to compare with
)

// Class is what a drift comes from.
type Class string

// The classes. All but ZeroedPayer and Unknown are found by a [Diagnosis].
const (
	ZeroedPayer      Class = "zeroed_payer"      // a native payer was left without any balance, and got no refund
	UpgradeBoundary  Class = "upgrade_boundary"  // the neighbouring runtime's rules fit
	BaseConstant     Class = "base_constant"     // another base constant fits
	MultiplierHeight Class = "multiplier_height" // the multiplier of another height fits
	HistoricBug      Class = "historic_bug"      // what a known fault of a runtime did fits
	Unknown          Class = "unknown"
)

// Classes lists the classes in the order of their declaration.
func Classes() []Class {
	return []Class{ZeroedPayer, UpgradeBoundary, BaseConstant, MultiplierHeight, HistoricBug, Unknown}
}

// Totals are those of the fees, and of what the chain recorded. A sum is not known
// where a part of it is not, or where it is more than any balance can be.
type Totals struct {
	fee.Totals
	Charged    chain.Optional[chain.Wei] `json:"charged"`
	Burned     chain.Optional[chain.Wei] `json:"burned"`
	Treasury   chain.Optional[chain.Wei] `json:"treasury"`
	Author     chain.Optional[chain.Wei] `json:"author"`
	Match      int                       `json:"match"` // transactions, by verdict
	Drift      int                       `json:"drift"`
	CashOnly   int                       `json:"cash_only"`
	NoEvidence int                       `json:"no_evidence"`
	// Unaccounted is of how many transactions it is known what they were charged, and
	// not where that went.
	Unaccounted int `json:"unaccounted"`
}

// Finding is a check that did not hold.
type Finding struct {
	Check     string              `json:"check"` // its ID
	Block     uint64              `json:"block"`
	Extrinsic chain.Optional[int] `json:"extrinsic"` // null where it concerns the block
	Message   string              `json:"message"`
}

func (f Finding) String() string {
	if i, ok := f.Extrinsic.Get(); ok {
		return fmt.Sprintf("block %d, extrinsic %d: %s: %s", f.Block, i, f.Check, f.Message)
	}
	return fmt.Sprintf("block %d: %s: %s", f.Block, f.Check, f.Message)
}

// Holds tells whether every fee is determined, nothing was found, and it is known
// where all went that was charged. Rules that are not known to be the chain's hold
// where every fee matches.
func (r *Report) Holds() bool {
	return r.Totals.Complete && len(r.Findings) == 0 && r.Totals.Unaccounted == 0 && r.Proved()
}

// Proved tells whether the rules are known to be the chain's, or every fee matches
// what it charged.
func (r *Report) Proved() bool {
	return r.rules != nil && r.rules.Certain || r.Totals.Match == r.Totals.EVM+r.Totals.Native
}
