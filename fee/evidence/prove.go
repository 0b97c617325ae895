package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network"
)

// Options say how much is proved.
type Options struct {
	// Signatures recomputes the hash, the sender and the recipient of each EVM
	// transaction from what was signed, and compares the signers of native ones. It takes
	// most of the time.
	Signatures bool
	// FeesTreasuryProportion is that parameter as it stood at the block's parent.
	// Without it, the split of the fees of runtimes that look at it is not checked.
	FeesTreasuryProportion chain.Optional[chain.Perbill]
	// Encoded are the block's extrinsics as the chain has them, in their order, each
	// with its length prefix: a node has them. Without them, hashes of extrinsics and
	// the lengths that native fees depend on are not checked.
	Encoded chain.Optional[[][]byte]
	// NativeSigners are the accounts whose keys signed the block's native extrinsics: a node has what they signed. Without
	// them these signatures are not checked.
	NativeSigners chain.Optional[[]chain.NativeSigner]
	// BlockWeight is what the chain counted for the block, system.blockWeight as it
	// stood at its end. Newer runtimes' multiplier follows from that alone.
	BlockWeight chain.Optional[chain.ClassWeights]
	// Trusted is the trusted block by which all is proved that the source says of the blocks
	// up to it.
	Trusted chain.Optional[chain.Anchor]
}

// Prove compares a report with the block that it was made of, under the rules
// that it was made by.
func Prove(b *chain.Block, r *fee.Report, rules network.Rules, o Options) *Report {
	proved := &Report{Report: r, rules: &rules, Transactions: make([]Transaction, len(r.Transactions)), Findings: []Finding{}, Tallies: make(Tallies, len(checks)),
		Evidence: evidenceOf(b.Number, o.Trusted), FeesTreasuryProportion: o.FeesTreasuryProportion}
	p := &prover{block: b, rules: &rules, options: o, priced: r, proved: proved}
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
		proved.Notes = append(proved.Notes, "who gets which part of the fees was not checked: "+why)
	}
	return proved
}

// prover proves one block.
type prover struct {
	block   *chain.Block
	rules   *network.Rules
	options Options
	priced  *fee.Report
	proved  *Report
	author  chain.Optional[chain.Address] // who was credited as the block's author
}

// transaction is one that is proved, with what several of its checks look at.
type transaction struct {
	*Transaction
	x         *chain.Extrinsic
	payload   evm.Payload
	readable  bool // the payload is
	identity  identified
	withdrew  bool // there is an event balances.Withdraw
	withdrawn chain.Wei
	charged   result // of evm.cash or native.cash
	divided   result // of evm.split or native.split
}

// transaction proves one transaction's fee.
func (s *subject) transaction(proved *Transaction) {
	t := s.t
	*t = transaction{Transaction: proved, x: &s.block.Extrinsics[proved.Index]}
	s.charge(t)
	s.rules = s.shown(t)
	if t.Layer != fee.EVM {
		s.run(ofNative)
		return
	}
	payload, err := evm.ParsePayload(t.x.Args)
	if t.readable = err == nil; t.readable { // else the fee is undetermined, and says why
		t.payload, t.identity = payload, s.identify(t)
	}
	s.run(ofEVM)
}

// shown are the rules, but for events of the transaction that they do not know of: what
// the block itself shows is looked at.
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
