package evidence

import (
	"cmp"
	"slices"

	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Check is one property of a block that can be verified.
type Check struct {
	ID     string
	Holds  string // the property
	Source string

	on occasion
	// applies returns why the rules exclude the check, or "". It is nil if no rules do. The check itself reports
	// other reasons for not being made.
	applies condition
	make    func(*subject)
}

// occasion is the point at which a check is made, and its subject.
type occasion int

const (
	ofBlock       occasion = iota // a block by itself
	ofContents                    // a block by itself: whether extrinsics are missing
	ofEVM                         // an EVM transaction
	ofNative                      // a native transaction
	besideParent                  // a block and its parent
	besideEarlier                 // a block and all earlier ones
	besideStored                  // a block and the multiplier that it stored
	besideOther                   // a block and another gateway's response for it
	ofAccount                     // an account's balances before and after a block
)

// Checks returns all checks, in the order in which findings are reported.
func Checks() []Check { return append([]Check(nil), checks[:]...) }

// ListedFor reports whether reports on a network list the check: always, unless it is about something that no runtime of
// the network has, such as a stored base fee.
func (c *Check) ListedFor(n *network.Network) bool {
	return n.Where(func(r *network.Rules) bool { return !slices.Contains(unlisted, c.whyNot(r)) }) != "none"
}

// Runtimes describes the runtimes of a network for which the check is made.
func (c *Check) Runtimes(n *network.Network) string {
	return n.Where(func(r *network.Rules) bool { return c.whyNot(r) == "" })
}

// whyNot returns why rules exclude the check, or "". The check itself reports other reasons for not being
// made.
func (c *Check) whyNot(r *network.Rules) string {
	if c.applies == nil {
		return ""
	}
	return c.applies(r)
}

// checks is the table of checks. A check is a row and the function that it names.
var checks = [...]Check{
	{"block.parent", "the block's parent is the previous block", "header chain", besideParent, nil, (*subject).parent},
	{"block.final", "the block is final", "GRANDPA finality, as reported by the gateway", ofBlock, nil, (*subject).final},
	{"block.inherents", "a block above block 0 contains inherents, and exactly one of them sets its time", "pallet timestamp: on_finalize rejects a block without it, set rejects a second one", ofContents, nil, (*subject).inherents},
	{"block.time", "the block's time is later than the previous block's", "pallet timestamp: set rejects a time earlier than the previous one plus MinimumPeriod; where that is 0, times may be equal", besideParent, nil, (*subject).time},
	{"block.totals", "the fees add up to the totals, and every extrinsic is counted once", "specification, fee rule 8", ofBlock, nil, (*subject).totals},
	{"block.outcome", "every extrinsic has one ExtrinsicSuccess or ExtrinsicFailed", "frame system, note_applied_extrinsic", ofBlock, nil, (*subject).outcomes},
	{"block.base_fee", "the base fee is within the multiplier's bounds", "runtime/*/src/lib.rs, TransactionPaymentAsGasPrice", ofBlock, dynamicBaseFee, (*subject).baseFee},
	{"block.multiplier", "the multiplier that the block stored follows exactly from its parent's multiplier and the block's weight", "pallet transaction-payment, TargetedFeeAdjustment", besideStored, multiplierRule, (*subject).multiplier},
	{"block.base_fee_update", "the base fee that the block stored follows exactly from the one in force at its end and the block's weight", "frontier, frame/base-fee, on_finalize", besideStored, baseFeeRule, (*subject).baseFeeUpdate},
	{"block.weight", "the extrinsics of class Normal stay within the block's weight limit", "runtime/*/src/lib.rs, RuntimeBlockWeights", ofBlock, blockSize, (*subject).weight},
	{"block.weighed", "the extrinsics weigh what the chain counted for them, or less if extensions give weight back or the events lack the base weight", "frame system, CheckWeight, note_applied_extrinsic", ofContents, askedWeight, (*subject).classWeights},
	{"block.dust", "the dust that an account lost is less than the existential deposit", "pallet balances, DustLost", ofBlock, existentialDeposit, (*subject).dust},
	{"block.digest", "the header's digest lists the block's EVM transactions in order", "frontier, pallet ethereum, store_block; primitives/consensus, PostLog", ofContents, both(frontier, exactDigest), (*subject).digest},
	{"block.nonce", "the first nonce of each account follows from earlier blocks, or is higher if accounts can have code", "frame system, CheckNonce; frontier, validate_transaction_in_block", besideEarlier, nil, (*subject).nextNonces},
	{"block.treasury", "the treasury's balance in treasury.UpdatedInactive matches the events of earlier blocks", "pallet treasury, on_initialize", besideEarlier, treasuryAccount, (*subject).treasury},
	{"extrinsic.hash", "the hash matches the encoded extrinsic", "frame system, extrinsic hashing: BLAKE2b-256", ofBlock, nil, (*subject).encoded},
	{"extrinsic.once", "no transaction is in the block twice", "frame system, CheckNonce: a nonce is accepted once", ofBlock, nil, (*subject).once},
	{"extrinsic.order", "inherents precede the transactions", "frame executive, ensure_inherents_are_first", ofBlock, nil, (*subject).order},
	{"account.nonce", "the nonces of an account's transactions in the block are consecutive, or increasing if accounts can have code", "frame system, CheckNonce; frontier, validate_transaction_in_block", ofBlock, nil, (*subject).nonces},
	{"evm.executed", "a successful transaction has an event ethereum.Executed", "pallet ethereum, apply_validated_transaction", ofEVM, frontier, (*subject).executed},
	{"evm.weight", "the weight is a whole number of gas", "runtime/common, WEIGHT_PER_GAS", ofEVM, frontier, (*subject).wholeGas},
	{"evm.gas", "the gas is at least 21000 and at most the gas limit", "Ethereum yellow paper, intrinsic gas", ofEVM, frontier, (*subject).gas},
	{"evm.hold", "the amount withdrawn first is gas limit × gas price", "frontier, OnChargeEVMTransaction::withdraw_fee", ofEVM, both(anyEVM, exactHold), (*subject).hold},
	{"evm.price", "the gas price is at least the base fee and, if the runtime caps it, at most maxFeePerGas", "EIP-1559", ofEVM, anyEVM, (*subject).price},
	{"evm.cash", "the payer was charged the fee", "frontier, OnChargeEVMTransaction", ofEVM, both(anyEVM, withdrawEvent), (*subject).charged},
	{"evm.split", "the treasury and the author were credited their parts", "runtime/*/src/lib.rs, DealWithEthereumBaseFees, DealWithEthereumPriorityFees", ofEVM, both(anyEVM, withdrawEvent), (*subject).divided},
	{"evm.outcome", "the extrinsic is of class Normal and paid no native fee", "pallet ethereum, Pays::No", ofEVM, both(frontier, actualPaysFee), (*subject).outcome},
	{"evm.hash", "the payload's hash matches ethereum.Executed", "Ethereum yellow paper, EIP-2718", ofEVM, frontier, identity(hashPart)},
	{"evm.sender", "the payload's signer matches ethereum.Executed", "Ethereum yellow paper, EIP-155, EIP-2", ofEVM, frontier, identity(senderPart)},
	{"evm.recipient", "the recipient, or the contract created, matches ethereum.Executed", "Ethereum yellow paper, contract creation", ofEVM, frontier, identity(recipientPart)},
	{"evm.payer", "the account of the payload's signer paid", "frame revive, AccountId32Mapper; Ethereum yellow paper, EIP-155, EIP-2", ofEVM, revive, (*subject).signerPaid},
	{"evm.paid", "the extrinsic is of class Normal and paid a fee", "frame revive, eth_transact", ofEVM, revive, (*subject).paidOutcome},
	{"evm.deposit", "each amount that was put on hold or released for storage was deposited or withdrawn with it", "frame revive, storage/meter.rs", ofEVM, revive, (*subject).deposits},
	{"evm.formula", "the fee follows from the weight, the length and the multiplier", "frame revive, evm/fees.rs; pallet transaction-payment, compute_fee_raw", ofEVM, both(revive, nativeFormula), (*subject).formula},
	{"evm.receipt", "the Ethereum receipt states the fee and the deposits, rounded up to whole gas", "frame revive, evm/block_storage.rs", ofEVM, revive, (*subject).receipt},
	{"native.call", "the call can have this outcome and emit these events, and its nonce and era exist", "frame system, ensure_root; pallets balances, proxy, utility; generic era", ofNative, nil, (*subject).call},
	{"native.cash", "the payer was charged the fee", "pallet transaction-payment, OnChargeTransaction", ofNative, independentFee, (*subject).charged},
	{"native.asset", "the payer was charged the fee that is paid in an asset, and the chain's pot got its equivalent", "pallet asset-conversion-tx-payment", ofNative, assetFees, (*subject).assetCharged},
	{"native.payer", "the payer is the signer", "pallet transaction-payment, ChargeTransactionPayment", ofNative, nil, (*subject).payer},
	{"native.tip", "the tip paid is the tip signed", "pallet transaction-payment, TransactionFeePaid", ofNative, feeEvent, (*subject).tip},
	{"native.waived", "a waived fee consists of the tip only", "pallet transaction-payment, compute_fee_raw", ofNative, feeEvent, (*subject).waived},
	{"native.formula", "the fee follows from the weight, the length and the multiplier", "pallet transaction-payment, compute_fee_raw", ofNative, nativeFormula, (*subject).formula},
	{"native.signature", "the signature matches the signer", "primitives/account, EthereumSignature; frame system, CheckGenesis, CheckMortality, CheckSpecVersion", ofNative, nil, (*subject).nativeSignature},
	{"native.split", "the treasury and the author were credited their parts", "runtime/*/src/lib.rs, DealWithSubstrateFeesAndTip", ofNative, withdrawEvent, (*subject).divided},
	{"gateway.same", "another gateway returns the same block", "--against", besideOther, nil, (*subject).sameElsewhere},
	{"account.balance", "the account's balance changed as the events report", "pallet balances, events", ofAccount, withdrawEvent, (*subject).balance},
}

// Conditions that a check requires of the rules.
var (
	frontier           = needs(notFrontier, func(r *network.Rules) bool { return r.EVM == rule.Frontier })
	revive             = needs(notRevive, func(r *network.Rules) bool { return r.EVM == rule.Revive })
	anyEVM             = needs(noEVM, func(r *network.Rules) bool { return r.EVM != rule.NoEVM })
	assetFees          = needs(noAssetFees, func(r *network.Rules) bool { return r.EVM != rule.Frontier })
	dynamicBaseFee     = both(anyEVM, needs("the runtime's base fee is static", func(r *network.Rules) bool { return !r.BaseFee.Static.Known() }))
	storedBaseFee      = needs(noStoredBaseFee, func(r *network.Rules) bool { return r.BaseFee.Stored.Known() })
	readAtParent       = needs(readAtBlock, func(r *network.Rules) bool { return r.MultiplierAt == network.AtParent })
	multiplierRule     = both(readAtParent, needs("the table does not define how the multiplier changes", func(r *network.Rules) bool { return r.Update.Known() }))
	baseFeeRule        = both(storedBaseFee, both(readAtParent, needs("the table does not define how the stored base fee changes", func(r *network.Rules) bool { return r.BaseFeeUpdate.Known() })))
	blockSize          = needs("the table does not contain the block's weight limit", hasBlockSize)
	exactDigest        = needs("the runtime's digest may also list invalid transactions", func(r *network.Rules) bool { return !r.InexactDigest })
	treasuryAccount    = both(needs("no part of the fees goes to a treasury", mayPayTreasury), needs("the table does not contain the treasury's account", func(r *network.Rules) bool { return r.Treasury.Known() }))
	askedWeight        = needs("the multiplier already shows the block's weight, so system.blockWeight is not requested", (*network.Rules).NeedsBlockWeight)
	existentialDeposit = needs("the table does not contain the existential deposit", func(r *network.Rules) bool { return r.ExistentialDeposit.Known() })
	withdrawEvent      = needs("the runtime recorded no withdrawals and deposits", func(r *network.Rules) bool { return !r.NoWithdrawEvent })
	feeEvent           = needs("the runtime had no fee event", hasFeeEvent)
	independentFee     = both(withdrawEvent, needs(noIndependentFee, hasFeeEvent))
	exactHold          = needs(olderOrUnknown, func(r *network.Rules) bool { return !r.HoldsMore })
	actualPaysFee      = needs(olderOrUnknown, func(r *network.Rules) bool { return !r.DeclaredPaysFee })
	nativeFormula      = needs("the table does not contain this runtime's formula for native fees", func(r *network.Rules) bool { return r.NativeFee.Known() })
)

func hasBlockSize(r *network.Rules) bool {
	u, known := r.Update.Get()
	return known && !u.MaxRefTime.IsZero()
}

// mayPayTreasury reports whether there is a treasury, as far as the table says.
func mayPayTreasury(r *network.Rules) bool {
	d, known := r.Destinations.Get()
	return r.Treasury.Known() || !known || d.ToTreasury()
}

func hasFeeEvent(r *network.Rules) bool { return !r.NoFeeEvent }

// Reasons for not making a check of something that a runtime does not have. They are not reported.
const (
	noStoredBaseFee = "the chain does not store its base fee"
	notFrontier     = "the runtime has no pallet ethereum"
	notRevive       = "the runtime has no pallet revive"
	noEVM           = "the runtime has no EVM"
	noAssetFees     = "the runtime takes fees in its token only"
)

var unlisted = []string{noStoredBaseFee, notFrontier, notRevive, noEVM, noAssetFees}

// Reasons for not making a check that are used more than once.
const (
	readAtBlock      = "the multiplier is read at the block itself, as in the specification"
	notWeighed       = "system.blockWeight is unknown"
	noIndependentFee = "no independent rule gives the fee"
	olderOrUnknown   = "older runtimes, or an unknown runtime"
)

type condition func(*network.Rules) (whyNot string)

func needs(whyNot string, has func(*network.Rules) bool) condition {
	return func(r *network.Rules) string {
		if has(r) {
			return ""
		}
		return whyNot
	}
}

func both(a, b condition) condition {
	return func(r *network.Rules) string { return cmp.Or(a(r), b(r)) }
}
