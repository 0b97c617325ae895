package rule

import "github.com/feeledger/fees/chain"

// Verification contains the rules that verify the fees of a runtime against the chain's records, if its table contains
// them.
type Verification struct {
	Destinations chain.Optional[Destinations]
	Update       chain.Optional[MultiplierUpdate]
	// BaseFeeUpdate is the rule for a stored base fee.
	BaseFeeUpdate chain.Optional[BaseFeeUpdate]
	NativeFee     chain.Optional[NativeFee]
	// ExistentialDeposit is the minimum balance of an account.
	ExistentialDeposit chain.Optional[chain.Wei]
	// Proportion locates the parameter that the destinations use.
	Proportion chain.Optional[TreasuryProportion]
}

// VerificationOf returns the rules of a runtime. The lists do not contain its Proportion.
func VerificationOf(l *Lists, runtime uint32) Verification {
	return Verification{
		Destinations:       known(l.Destinations, runtime, func(r DestinationsRow) Destinations { return r.Destinations }),
		Update:             known(l.MultiplierUpdates, runtime, func(r MultiplierUpdateRow) MultiplierUpdate { return r.MultiplierUpdate }),
		BaseFeeUpdate:      known(l.BaseFeeUpdates, runtime, func(r BaseFeeUpdateRow) BaseFeeUpdate { return r.BaseFeeUpdate }),
		NativeFee:          known(l.NativeFees, runtime, func(r NativeFeeRow) NativeFee { return r.NativeFee }),
		ExistentialDeposit: known(l.ExistentialDeposits, runtime, func(r ExistentialDepositRow) chain.Wei { return *r.Deposit }),
	}
}

// NeedsBlockWeight reports whether only system.blockWeight shows the block's weight, and thereby that no
// extrinsic is missing: the multiplier is constant, or is computed from that weight, or the stored base fee is computed
// from it.
func (v Verification) NeedsBlockWeight() bool {
	update, known := v.Update.Get()
	baseFee, moves := v.BaseFeeUpdate.Get()
	return known && update.BlockWeight == "" || moves && !baseFee.FollowsMultiplier()
}
