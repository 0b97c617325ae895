package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Options contains optional inputs, which enable further checks.
type Options struct {
	// Signatures recomputes the hash, the sender and the recipient of each EVM transaction from the signed
	// payload, and compares the signers of native ones. It takes most of the time.
	Signatures bool
	// FeesTreasuryProportion is that parameter as of the block's parent. Without it, the split of fees is not
	// checked for runtimes that use it.
	FeesTreasuryProportion chain.Optional[chain.Perbill]
	// Encoded contains the block's encoded extrinsics in order, each with its length prefix, as served by a node.
	// Without them, hashes of extrinsics and the lengths that native fees depend on are not checked.
	Encoded chain.Optional[[][]byte]
	// NativeSigners are the accounts whose keys signed the block's native extrinsics; a node serves the data to
	// recover them. Without them, these signatures are not checked.
	NativeSigners chain.Optional[[]chain.NativeSigner]
	// AskRuntime asks a node's runtime what native transactions weigh, and for Ethereum receipts, where the rules need them.
	// That takes a node's time.
	AskRuntime bool
	// QueryInfos are answers of the runtime at the block's parent, by a transaction's index: see [AsksQueryInfo].
	QueryInfos map[int]chain.QueryInfo
	// Receipts are those of the block's Ethereum transactions of pallet revive, in order, as a node states them.
	Receipts chain.Optional[[]chain.Receipt]
	// Receipt is one that the user has; it takes precedence.
	Receipt chain.Optional[GivenReceipt]
	// BlockWeight is the weight that the chain counted for the block: system.blockWeight at its end. In newer
	// runtimes the multiplier follows only from that.
	BlockWeight chain.Optional[chain.ClassWeights]
	// Trusted is the checkpoint that proves the source's data for the blocks up to it.
	Trusted chain.Optional[chain.Anchor]
	// Final states how that checkpoint is proved final, if it is.
	Final Finality
}

// Prove compares a report with the block that it was computed from, under the rules that priced it.
func Prove(b *chain.Block, r *fee.Report, rules network.Rules, o Options) *Report {
	proved := &Report{Report: r, rules: &rules, Transactions: make([]Transaction, len(r.Transactions)), Findings: []Finding{}, Tallies: make(Tallies, len(checks)),
		Evidence: evidenceOf(b.Number, o.Trusted, o.Final), FeesTreasuryProportion: o.FeesTreasuryProportion}
	p := &prover{block: b, rules: &rules, options: o, priced: r, proved: proved}
	p.weigh()
	s := &subject{prover: p, rules: &rules}
	s.run(ofBlock)
	s.run(ofContents)
	s.t = &transaction{}
	for i := range r.Transactions {
		proved.Transactions[i].Transaction = &r.Transactions[i]
		t := &proved.Transactions[i]
		s.transaction(t)
		t.Level = t.level(proved.Evidence)
	}
	proved.Totals = p.total(proved.Transactions)
	proved.sort()
	proved.Notes = append([]string{}, r.Notes...)
	if why := p.splitUnknown(); why != "" && len(r.Transactions) > 0 {
		proved.Notes = append(proved.Notes, "the split of the fees was not checked: "+why)
	}
	return proved
}

// prover verifies one block.
type prover struct {
	block   *chain.Block
	rules   *network.Rules
	options Options
	priced  *fee.Report
	proved  *Report
	author  chain.Optional[chain.Address] // the account credited as the block's author
}

// transaction is a transaction to verify, with values shared by several checks.
type transaction struct {
	*Transaction
	x         *chain.Extrinsic
	payload   *chain.Payload
	readable  bool // the payload could be decoded
	identity  identified
	withdrew  bool // there is an event balances.Withdraw
	withdrawn chain.Wei
	flow      *chain.Flow // of a transaction of pallet revive
	charged   result      // of evm.cash or native.cash
	divided   result      // of evm.split or native.split
}

// transaction verifies one transaction's fee.
func (s *subject) transaction(proved *Transaction) {
	t := s.t
	*t = transaction{Transaction: proved, x: &s.block.Extrinsics[proved.Index]}
	s.charge(t)
	s.rules = s.shown(t)
	if t.Layer != fee.EVM {
		proved.GasSpent = gasSpent(t.x, proved.Transaction, s.rules.AccountMapping)
		s.run(ofNative)
		return
	}
	payload, err := t.x.Ethereum()
	if t.readable = err == nil; t.readable { // otherwise the fee is undetermined, with a reason
		t.payload, t.identity = payload, s.identify(t)
	}
	s.run(ofEVM)
}

// shown returns the rules, adjusted if the transaction contains events that the rules say do not exist: the
// block itself takes precedence.
func (p *prover) shown(t *transaction) *network.Rules {
	withdrew := p.rules.NoWithdrawEvent && t.withdrew
	paid := p.rules.NoFeeEvent && t.Layer == fee.Native && native.HasFeeEvent(t.x)
	if !withdrew && !paid {
		return p.rules
	}
	r := *p.rules
	r.NoWithdrawEvent, r.NoFeeEvent = r.NoWithdrawEvent && !withdrew, r.NoFeeEvent && !paid
	return &r
}

// refused reports whether the runtime refused an EVM transaction before it ran ([evm.Refused]): of those whose extrinsic
// failed, only they have a fee; those of pallet revive pay even if they fail.
func (p *prover) refused(t *fee.Transaction) bool {
	success, ended := t.Success.Get()
	return t.Layer == fee.EVM && p.rules.EVM == rule.Frontier && ended && !success && t.Fee.Known()
}
