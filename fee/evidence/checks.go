package evidence

import (
	"cmp"

	"github.com/feeledger/fees/network"
)

// Check is one thing that can be proved of a block.
type Check struct {
	ID     string
	Holds  string // what does
	Source string

	on occasion
	// applies says why rules rule the check out, or "". It is nil where none do. The
	// check itself says why else it cannot be made.
	applies condition
	make    func(*subject)
}

// occasion is when a check is made, and of what.
type occasion int

const (
	ofBlock       occasion = iota // of a block alone
	ofContents                    // of a block alone: whether extrinsics are missing
	ofEVM                         // of an EVM transaction
	ofNative                      // of a native transaction
	besideParent                  // of a block beside the one before it
	besideEarlier                 // of a block beside all those before it
	besideStored                  // of a block beside the multiplier that it stored
	besideOther                   // of a block beside what another gateway says of it
	ofAccount                     // of an account's balances before and after a block
)

// Checks lists all checks, in the order in which findings are reported.
func Checks() []Check { return append([]Check(nil), checks[:]...) }

// Runtimes says in words for which runtimes of a network the check is made.
func (c *Check) Runtimes(n *network.Network) string {
	return n.Where(func(r *network.Rules) bool { return c.whyNot(r) == "" })
}

// whyNot says why rules rule the check out, or "". The check itself says why else it cannot
// be made.
func (c *Check) whyNot(r *network.Rules) string {
	if c.applies == nil {
		return ""
	}
	return c.applies(r)
}

// checks are the rows. A check is its row and the function that makes it.
var checks = [...]Check{
	{"block.parent", "the block's parent is the block before it", "header chain", besideParent, nil, (*subject).parent},
	{"block.final", "the block is final", "GRANDPA finality, as the gateway states it", ofBlock, nil, (*subject).final},
	{"block.inherents", "a block above block 0 contains inherents, and exactly one of them sets its time", "pallet timestamp: on_finalize refuses a block without it, set refuses a second one", ofContents, nil, (*subject).inherents},
	{"block.time", "the block is younger than the one before it", "pallet timestamp: set refuses a time that does not rise", besideParent, nil, (*subject).time},
	{"block.totals", "the fees add up to the totals, and every extrinsic is counted once", "specification, fee rule 8", ofBlock, nil, (*subject).totals},
	{"block.outcome", "every extrinsic has one ExtrinsicSuccess or ExtrinsicFailed", "frame system, note_applied_extrinsic", ofBlock, nil, (*subject).outcomes},
	{"block.base_fee", "the base fee is within the multiplier's bounds", "runtime/*/src/lib.rs, TransactionPaymentAsGasPrice", ofBlock, dynamicBaseFee, (*subject).baseFee},
	{"block.multiplier", "the multiplier that the block stored follows from its parent's and from the block's weight, to the last digit", "pallet transaction-payment, TargetedFeeAdjustment", besideStored, multiplierRule, (*subject).multiplier},
	{"block.weight", "the extrinsics of the normal class fit the block", "runtime/*/src/lib.rs, RuntimeBlockWeights", ofBlock, blockSize, (*subject).weight},
	{"block.weighed", "the extrinsics weigh what the chain counted for them; at most that where their extensions give weight back, or the events lack the base weight", "frame system, CheckWeight, note_applied_extrinsic", ofContents, askedWeight, (*subject).classWeights},
	{"block.dust", "what an account lost as dust is less than the existential deposit", "pallet balances, DustLost", ofBlock, existentialDeposit, (*subject).dust},
	{"block.digest", "the header's digest names the block's EVM transactions, in their order", "frontier, pallet ethereum, store_block; primitives/consensus, PostLog", ofContents, exactDigest, (*subject).digest},
	{"block.nonce", "accounts go on with the nonces that follow from the blocks before; where accounts can have code, at least with those", "frame system, CheckNonce; frontier, validate_transaction_in_block", besideEarlier, nil, (*subject).nextNonces},
	{"block.treasury", "the treasury has what the events of the blocks before make of it, where it tells by treasury.UpdatedInactive", "pallet treasury, on_initialize", besideEarlier, treasuryAccount, (*subject).treasury},
	{"extrinsic.hash", "the hash is that of the encoded extrinsic", "frame system, extrinsic hashing: BLAKE2b-256", ofBlock, nil, (*subject).encoded},
	{"extrinsic.once", "no transaction is in the block twice", "frame system, CheckNonce: a nonce is taken once", ofBlock, nil, (*subject).once},
	{"extrinsic.order", "inherents stand before the transactions", "frame executive, ensure_inherents_are_first", ofBlock, nil, (*subject).order},
	{"account.nonce", "each transaction of an account in the block has the nonce after the one before; where accounts can have code, at least that", "frame system, CheckNonce; frontier, validate_transaction_in_block", ofBlock, nil, (*subject).nonces},
	{"evm.executed", "a transaction that succeeded has its ethereum.Executed", "pallet ethereum, apply_validated_transaction", ofEVM, nil, (*subject).executed},
	{"evm.weight", "the weight is a whole number of gas", "runtime/common, WEIGHT_PER_GAS", ofEVM, nil, (*subject).wholeGas},
	{"evm.gas", "the gas is at least 21000 and at most the gas limit", "Ethereum yellow paper, intrinsic gas", ofEVM, nil, (*subject).gas},
	{"evm.hold", "what was withdrawn first is the gas limit at the gas price", "frontier, OnChargeEVMTransaction::withdraw_fee", ofEVM, exactHold, (*subject).hold},
	{"evm.price", "the gas price is at least the base fee and, where the runtime caps it, at most maxFeePerGas", "EIP-1559", ofEVM, nil, (*subject).price},
	{"evm.cash", "the payer was charged the fee", "frontier, OnChargeEVMTransaction", ofEVM, withdrawEvent, (*subject).charged},
	{"evm.split", "treasury and author were credited their parts", "runtime/*/src/lib.rs, DealWithEthereumBaseFees, DealWithEthereumPriorityFees", ofEVM, withdrawEvent, (*subject).divided},
	{"evm.outcome", "the extrinsic is of the normal class and paid no native fee", "pallet ethereum, Pays::No", ofEVM, actualPaysFee, (*subject).outcome},
	{"evm.hash", "the hash of the payload is that of ethereum.Executed", "Ethereum yellow paper, EIP-2718", ofEVM, nil, identity(hashPart)},
	{"evm.sender", "who signed the payload is who ethereum.Executed says", "Ethereum yellow paper, EIP-155, EIP-2", ofEVM, nil, identity(senderPart)},
	{"evm.recipient", "the recipient, or the contract created, is that of ethereum.Executed", "Ethereum yellow paper, contract creation", ofEVM, nil, identity(recipientPart)},
	{"native.call", "the call could end as it did and emit its events; its nonce and era exist", "frame system, ensure_root; pallets balances, proxy, utility; generic era", ofNative, nil, (*subject).call},
	{"native.cash", "the payer was charged the fee", "pallet transaction-payment, OnChargeTransaction", ofNative, independentFee, (*subject).charged},
	{"native.payer", "who paid is who signed", "pallet transaction-payment, ChargeTransactionPayment", ofNative, nil, (*subject).payer},
	{"native.tip", "the tip paid is the tip signed", "pallet transaction-payment, TransactionFeePaid", ofNative, feeEvent, (*subject).tip},
	{"native.waived", "a fee that was waived is the tip alone", "pallet transaction-payment, compute_fee_raw", ofNative, feeEvent, (*subject).waived},
	{"native.formula", "the fee is that of the weight, the length and the multiplier", "pallet transaction-payment, compute_fee_raw", ofNative, nativeFormula, (*subject).formula},
	{"native.signature", "the signature is that of the signer", "primitives/account, EthereumSignature; frame system, CheckGenesis, CheckMortality, CheckSpecVersion", ofNative, nil, (*subject).nativeSignature},
	{"native.split", "treasury and author were credited their parts", "runtime/*/src/lib.rs, DealWithSubstrateFeesAndTip", ofNative, withdrawEvent, (*subject).divided},
	{"gateway.same", "another gateway says the same of the block", "--against", besideOther, nil, (*subject).sameElsewhere},
	{"account.balance", "the account's balance changed by what the events say", "pallet balances, events", ofAccount, withdrawEvent, (*subject).balance},
}

// What rules have to have for a check.
var (
	dynamicBaseFee     = needs("the runtime's base fee is static", func(r *network.Rules) bool { return !r.BaseFee.Static.Known() })
	readAtParent       = needs(readAtBlock, func(r *network.Rules) bool { return r.MultiplierAt == network.AtParent })
	multiplierRule     = both(readAtParent, needs("the table does not say how the multiplier moves", func(r *network.Rules) bool { return r.Update.Known() }))
	blockSize          = needs("the table does not say what a block may weigh", hasBlockSize)
	exactDigest        = needs("the runtime may have named transactions that were not valid, too", func(r *network.Rules) bool { return !r.InexactDigest })
	treasuryAccount    = needs("the table does not say which account is the treasury's", func(r *network.Rules) bool { return r.Treasury.Known() })
	askedWeight        = needs("the multiplier shows what the block weighed; system.blockWeight is not requested", (*network.Rules).NeedsBlockWeight)
	existentialDeposit = needs("the table does not say what an account has at least", func(r *network.Rules) bool { return r.ExistentialDeposit.Known() })
	withdrawEvent      = needs("the runtime recorded no withdrawals and deposits", func(r *network.Rules) bool { return !r.NoWithdrawEvent })
	feeEvent           = needs("the runtime had no fee event", hasFeeEvent)
	independentFee     = both(withdrawEvent, needs(noIndependentFee, hasFeeEvent))
	exactHold          = needs(olderOrUnknown, func(r *network.Rules) bool { return !r.HoldsMore })
	actualPaysFee      = needs(olderOrUnknown, func(r *network.Rules) bool { return !r.DeclaredPaysFee })
	nativeFormula      = needs("the table does not say how the native fees of this runtime are made", func(r *network.Rules) bool { return r.NativeFee.Known() })
)

func hasBlockSize(r *network.Rules) bool {
	u, known := r.Update.Get()
	return known && !u.MaxRefTime.IsZero()
}

func hasFeeEvent(r *network.Rules) bool { return !r.NoFeeEvent }

// Why a check is not made, where more than one place says so.
const (
	readAtBlock      = "the multiplier is read at the block, as the specification does"
	notWeighed       = "system.blockWeight is not known"
	noIndependentFee = "there is no rule to compare the charge with"
	olderOrUnknown   = "older runtimes, or a runtime that is not known"
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
