package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Check is one thing that can be proved of a block.
type Check struct {
	ID       string `json:"id"`
	Holds    string `json:"holds"`    // what does
	Runtimes string `json:"runtimes"` // those that it holds for
	Source   string `json:"source"`
}

// Neighbours tells whether it is about a block beside those before it: what comes of
// it depends on how many of those are known.
func (c Check) Neighbours() bool {
	switch numbered(c.ID) {
	case blockParent, blockTime, blockNonce, blockTreasury:
		return true
	}
	return false
}

type check int

const (
	blockParent check = iota
	blockFinal
	blockTime
	blockTotals
	blockOutcome
	blockBaseFee
	blockMultiplier
	blockWeight
	blockWeighed
	blockDigest
	blockNonce
	blockTreasury
	extrinsicHash
	extrinsicOnce
	extrinsicOrder
	accountNonce
	evmExecuted
	evmWeight
	evmGas
	evmHold
	evmPrice
	evmCash
	evmSplit
	evmOutcome
	evmHash
	evmSender
	evmRecipient
	nativeCash
	nativePayer
	nativeTip
	nativeWaived
	nativeFormula
	nativeSplit
	otherGateway
	accountBalance
	issuance
	gasUsed
	checkCount
)

// Checks lists all checks, in the order in which findings are reported.
func Checks() []Check { return append([]Check(nil), checks[:]...) }

var checks = [checkCount]Check{
	blockParent:     {"block.parent", "the block's parent is the block before it", "all", "header chain"},
	blockFinal:      {"block.final", "the block is final", "all", "GRANDPA finality, as the gateway states it"},
	blockTime:       {"block.time", "the block is younger than the one before it", "all", "pallet timestamp: set refuses a time that does not rise"},
	blockTotals:     {"block.totals", "the fees add up to the totals, and every extrinsic is counted once", "all", "specification, fee rule 8"},
	blockOutcome:    {"block.outcome", "every extrinsic has one ExtrinsicSuccess or ExtrinsicFailed", "all", "frame system, note_applied_extrinsic"},
	blockBaseFee:    {"block.base_fee", "the base fee is within the multiplier's bounds", "with a dynamic base fee", "runtime/*/src/lib.rs, TransactionPaymentAsGasPrice"},
	blockMultiplier: {"block.multiplier", "the multiplier that the block stored follows from its parent's and from the block's weight, to the last digit", "1701 to 1702, 2000 to 2501; later ones where system.blockWeight is known", "pallet transaction-payment, TargetedFeeAdjustment"},
	blockWeight:     {"block.weight", "the extrinsics of the normal class fit the block", "2000 to 2501; later ones where system.blockWeight is known", "runtime/*/src/lib.rs, RuntimeBlockWeights"},
	blockWeighed:    {"block.weighed", "the extrinsics weigh what the chain counted for them; from 3700 on, at most that", "2600 and later where system.blockWeight is known", "frame system, CheckWeight, note_applied_extrinsic"},
	blockDigest:     {"block.digest", "the header's digest names the block's EVM transactions, in their order", "1201 and later", "frontier, pallet ethereum, store_block; primitives/consensus, PostLog"},
	blockNonce:      {"block.nonce", "accounts go on with the nonces that follow from the blocks before", "all; where accounts can have code (3703 and later), at least those", "frame system, CheckNonce; frontier, validate_transaction_in_block"},
	blockTreasury:   {"block.treasury", "the treasury has what the events of the blocks before make of it", "those that tell by treasury.UpdatedInactive", "pallet treasury, on_initialize"},
	extrinsicHash:   {"extrinsic.hash", "the hash is that of the encoded extrinsic", "all", "frame system, extrinsic hashing: BLAKE2b-256"},
	extrinsicOnce:   {"extrinsic.once", "no transaction is in the block twice", "all", "frame system, CheckNonce: a nonce is taken once"},
	extrinsicOrder:  {"extrinsic.order", "inherents stand before the transactions", "all", "frame executive, ensure_inherents_are_first"},
	accountNonce:    {"account.nonce", "each transaction of an account in the block has the nonce after the one before", "all; where accounts can have code (3703 and later), at least that", "frame system, CheckNonce; frontier, validate_transaction_in_block"},
	evmExecuted:     {"evm.executed", "a transaction that succeeded has its ethereum.Executed", "all", "pallet ethereum, apply_validated_transaction"},
	evmWeight:       {"evm.weight", "the weight is a whole number of gas", "all", "runtime/common, WEIGHT_PER_GAS"},
	evmGas:          {"evm.gas", "the gas is at least 21000 and at most the gas limit", "all", "Ethereum yellow paper, intrinsic gas"},
	evmHold:         {"evm.hold", "what was withdrawn first is the gas limit at the gas price", "2000 and later", "frontier, OnChargeEVMTransaction::withdraw_fee"},
	evmPrice:        {"evm.price", "the gas price is at least the base fee, and at most maxFeePerGas", "all; the cap not in 1200 to 1300", "EIP-1559"},
	evmCash:         {"evm.cash", "the payer was charged the fee", "1201 and later", "frontier, OnChargeEVMTransaction"},
	evmSplit:        {"evm.split", "treasury and author were credited their parts", "1201 and later", "runtime/*/src/lib.rs, DealWithEthereumBaseFees, DealWithEthereumPriorityFees"},
	evmOutcome:      {"evm.outcome", "the extrinsic is of the normal class and paid no native fee", "2000 and later", "pallet ethereum, Pays::No"},
	evmHash:         {"evm.hash", "the hash of the payload is that of ethereum.Executed", "all", "Ethereum yellow paper, EIP-2718"},
	evmSender:       {"evm.sender", "who signed the payload is who ethereum.Executed says", "all", "Ethereum yellow paper, EIP-155, EIP-2"},
	evmRecipient:    {"evm.recipient", "the recipient, or the contract created, is that of ethereum.Executed", "all", "Ethereum yellow paper, contract creation"},
	nativeCash:      {"native.cash", "the payer was charged the fee", "1801 and later (Moonbase 1800)", "pallet transaction-payment, OnChargeTransaction"},
	nativePayer:     {"native.payer", "who paid is who signed", "all", "pallet transaction-payment, ChargeTransactionPayment"},
	nativeTip:       {"native.tip", "the tip paid is the tip signed", "1801 and later (Moonbase 1800)", "pallet transaction-payment, TransactionFeePaid"},
	nativeWaived:    {"native.waived", "a fee that was waived is the tip alone", "1801 and later (Moonbase 1800)", "pallet transaction-payment, compute_fee_raw"},
	nativeFormula:   {"native.formula", "the fee is that of the weight, the length and the multiplier", "those with a native fee in the table", "pallet transaction-payment, compute_fee_raw"},
	nativeSplit:     {"native.split", "treasury and author were credited their parts", "1201 and later", "runtime/*/src/lib.rs, DealWithSubstrateFeesAndTip"},
	otherGateway:    {"gateway.same", "another gateway says the same of the block", "all", "--against"},
	accountBalance:  {"account.balance", "the account's balance changed by what the events say", "1201 and later", "pallet balances, events"},
	issuance:        {"block.issuance", "the total issuance changed by what was burned and minted", "all", "pallet balances, TotalIssuance"},
	gasUsed:         {"block.gas_used", "the block's gas is that of its receipts", "all", "Ethereum JSON-RPC, gasUsed"},
}

// Tally counts what came of a check. Why says what was in the way of those that
// could not be made.
type Tally struct {
	Held, Broken, NotApplicable int
	Why                         string
}

// Tallies are by the position of the check in [Checks].
type Tallies [checkCount]Tally

// Add adds the counts of another block.
func (t *Tallies) Add(x *Tallies) {
	for i := range t {
		t[i].add(&x[i])
	}
}

// book is where the checks of one block are written down.
type book struct {
	block    uint64
	tallies  Tallies
	findings []finding
}

type finding struct {
	check check
	Finding
}

func (b *book) held(c check) { b.tallies[c].Held++ }

const wholeBlock = -1 // instead of an extrinsic's index

func (b *book) broken(c check, index int, format string, args ...any) {
	b.tallies[c].Broken++
	f := Finding{Check: checks[c].ID, Block: b.block, Message: fmt.Sprintf(format, args...)}
	if index != wholeBlock {
		f.Extrinsic = chain.Some(index)
	}
	b.findings = append(b.findings, finding{c, f})
}

func (b *book) skip(c check, why string) {
	b.tallies[c].NotApplicable++
	if b.tallies[c].Why == "" {
		b.tallies[c].Why = why
	}
}
