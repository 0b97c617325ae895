package evidence

import (
	"cmp"
	"errors"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network"
)

// Options say how much is proved.
type Options struct {
	// Signatures recomputes the hash, the sender and the recipient of each EVM
	// transaction from what was signed. It takes most of the time.
	Signatures bool
	// FeesTreasuryProportion is that parameter as it stood at the block's parent.
	// Without it, the split of the fees of runtimes that look at it is not checked.
	FeesTreasuryProportion chain.Optional[chain.Perbill]
	// Encoded are the block's extrinsics as the chain has them, in their order, each
	// with its length prefix: a node has them. Without them, hashes of extrinsics and
	// the lengths that native fees depend on are not checked.
	Encoded chain.Optional[[][]byte]
	// BlockWeight is what the chain counted for the block, system.blockWeight as it
	// stood at its end. Newer runtimes' multiplier follows from that alone.
	BlockWeight chain.Optional[chain.ClassWeights]
}

// Prove compares a report with the block that it was made of, under the rules
// that it was made by.
func Prove(b *chain.Block, r *fee.Report, rules network.Rules, o Options) *Report {
	p := &prover{rules: rules, options: o, report: r, book: book{block: b.Number}}
	proved := &Report{Report: r, certain: rules.Certain, noEvents: rules.NoWithdrawEvent, update: rules.Update, Transactions: make([]Transaction, len(r.Transactions))}
	for i := range r.Transactions {
		t := &r.Transactions[i]
		x := &b.Extrinsics[t.Index]
		proved.Transactions[i] = Transaction{t, p.transaction(t, x)}
	}
	p.whole(b)
	p.encoded(b)
	p.weigh(b, proved)
	p.classWeights(b)
	p.digest(b)
	p.once()
	p.order(b)
	p.nonces(b)
	proved.steps, proved.treasury = p.steps, rules.Treasury
	proved.Totals = p.total(proved.Transactions)
	slices.SortStableFunc(p.findings, func(a, b finding) int { return cmp.Compare(a.check, b.check) })
	proved.Findings = make([]Finding, len(p.findings))
	for i, f := range p.findings {
		proved.Findings[i] = f.Finding
	}
	proved.Tallies = &p.tallies
	proved.Notes = append([]string{}, r.Notes...)
	if why := p.splitUnknown(); why != "" && len(r.Transactions) > 0 {
		proved.Notes = append(proved.Notes, "who gets which part of the fees was not checked: "+why)
	}
	return proved
}

// prover proves one block.
type prover struct {
	rules   network.Rules
	options Options
	report  *fee.Report
	steps   []nonceStep
	book
}

// whole makes the checks that concern the block alone.
func (p *prover) whole(b *chain.Block) {
	switch final, known := b.Finalized.Get(); {
	case !known:
		p.skip(blockFinal, "the gateway does not say whether the block is final")
	case !final:
		p.skip(blockFinal, "the block is not final yet")
	default:
		p.held(blockFinal)
	}
	for i := range b.Extrinsics {
		if _, err := b.Extrinsics[i].Outcome(); err != nil {
			p.broken(blockOutcome, i, "%v", err)
		} else {
			p.held(blockOutcome)
		}
	}
	if !p.rules.BaseFee.Static.Known() {
		p.baseFee()
	}
	p.totals(b)
	const why = "the gateway's answers do not hold what it takes"
	p.skip(issuance, why)
	p.skip(gasUsed, why)
}

func (p *prover) baseFee() {
	base, ok := p.report.BaseFeePerGas.Get()
	switch {
	case !ok:
		p.skip(blockBaseFee, "the base fee is not known")
	case base.Cmp(p.rules.MinGasPrice) < 0:
		p.broken(blockBaseFee, wholeBlock, "%v wei per gas is below the minimum of %v", base, p.rules.MinGasPrice)
	case p.aboveMaximum(base):
		p.broken(blockBaseFee, wholeBlock, "%v wei per gas is more than the highest multiplier makes", base)
	default:
		p.held(blockBaseFee)
	}
}

// aboveMaximum tells whether a base fee is more than the highest multiplier, where
// there is one, makes.
func (p *prover) aboveMaximum(base chain.GasPrice) bool {
	update, _ := p.rules.Update.Get()
	highest, limited := update.Maximum.Get()
	if !limited {
		return false
	}
	most, err := highest.Of(p.rules.BaseFee.Constant)
	return err == nil && base.Cmp(most) > 0
}

// totals adds up the fees anew.
func (p *prover) totals(b *chain.Block) {
	totals := p.report.Totals
	var sum chain.Wei
	for i := range p.report.Transactions {
		if fee, ok := p.report.Transactions[i].Fee.Get(); ok {
			sum, _ = sum.Add(fee) // fee.Price let no total overflow
		}
	}
	uncounted, found := unknownPayer(b)
	switch {
	case found:
		p.broken(blockTotals, uncounted, "it paid, and is neither a native nor an EVM transaction")
	case sum != totals.Fee:
		p.broken(blockTotals, wholeBlock, "the fees add up to %v wei, and the total is %v", sum, totals.Fee)
	case totals.EVM+totals.Native+totals.Inherents != len(b.Extrinsics):
		p.broken(blockTotals, wholeBlock, "%d EVM and %d native transactions and %d inherents are not the %d extrinsics",
			totals.EVM, totals.Native, totals.Inherents, len(b.Extrinsics))
	default:
		p.held(blockTotals)
	}
}

// unknownPayer finds an extrinsic that is counted as an inherent and paid like a
// transaction. What an inherent itself withdraws, by XCM, is of class Mandatory.
func unknownPayer(b *chain.Block) (index int, found bool) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if fee.Classify(x) != fee.Inherent {
			continue
		}
		outcome, err := x.Outcome()
		if err != nil {
			continue // block.outcome says so
		}
		class, err := outcome.Class()
		if err != nil || class == chain.Mandatory {
			continue
		}
		if _, err := chain.FindCash(x); !errors.Is(err, chain.ErrNoWithdraw) {
			return i, true
		}
	}
	return 0, false
}

// transaction proves one transaction's fee.
func (p *prover) transaction(t *fee.Transaction, x *chain.Extrinsic) Proof {
	if t.Layer == fee.EVM {
		return p.evm(t, x)
	}
	p.native(t, x)
	proof, _ := p.cash(t, x, nativeCash)
	if verdict, _ := proof.Verdict.Get(); p.formula(t, x) && verdict == CashOnly {
		proof.Verdict = chain.Some(Match)
	}
	return proof
}

// evm makes the checks of an EVM transaction.
func (p *prover) evm(t *fee.Transaction, x *chain.Extrinsic) Proof {
	p.ended(t, x)
	proof, withdrawn := p.cash(t, x, evmCash)
	payload, err := evm.ParsePayload(x.Args)
	if err != nil {
		return proof // the fee is undetermined, and says why
	}
	if verdict, _ := proof.Verdict.Get(); verdict == Match {
		p.hold(t, &payload, withdrawn)
	}
	if gas, ok := t.Gas.Get(); ok {
		p.gas(t, gas, payload.GasLimit)
	}
	if price, ok := t.GasPrice.Get(); ok {
		p.price(t, price, &payload)
	}
	p.identity(t, x)
	return proof
}

// leastGas is what every EVM transaction costs.
const leastGas = 21000

func (p *prover) gas(t *fee.Transaction, gas, limit chain.Gas) {
	weight, _ := t.Weight.Get()
	weight, err := weight.Add(p.rules.WeightCorrection)
	if _, exact := evm.Gas(weight); err == nil && exact {
		p.held(evmWeight)
	} else {
		p.broken(evmWeight, t.Index, "the weight %v is no multiple of %d", weight, evm.WeightPerGas)
	}
	if g := gas.Uint64(); leastGas <= g && g <= limit.Uint64() {
		p.held(evmGas)
	} else {
		p.broken(evmGas, t.Index, "gas %v is not between %d and the limit of %v", gas, leastGas, limit)
	}
}

func (p *prover) price(t *fee.Transaction, price chain.GasPrice, payload *evm.Payload) {
	base, ok := p.report.BaseFeePerGas.Get()
	switch {
	case !ok:
		p.skip(evmPrice, "the base fee is not known")
	case price.Cmp(base) < 0:
		p.broken(evmPrice, t.Index, "the gas price of %v wei is below the base fee of %v", price, base)
	case payload.Capped() && p.rules.PriceCapped && price.Cmp(payload.MaxFeePerGas) > 0:
		p.broken(evmPrice, t.Index, "the gas price of %v wei is above maxFeePerGas, %v", price, payload.MaxFeePerGas)
	default:
		p.held(evmPrice)
	}
}

// ended checks how the chain says that the transaction ended.
func (p *prover) ended(t *fee.Transaction, x *chain.Extrinsic) {
	outcome, err := x.Outcome()
	if err != nil {
		return // block.outcome says so
	}
	if outcome.Success {
		if _, err := evm.FindExecuted(x); err != nil {
			p.broken(evmExecuted, t.Index, "%v", err)
		} else {
			p.held(evmExecuted)
		}
	}
	if p.rules.DeclaredPaysFee {
		p.skip(evmOutcome, "older runtimes, or a runtime that is not known")
		return
	}
	pays, noPays := outcome.PaysFee()
	class, noClass := outcome.Class()
	switch err := cmp.Or(noPays, noClass); {
	case errors.Is(err, chain.ErrMissing):
		p.skip(evmOutcome, "the gateway gives no class or paysFee")
	case err != nil:
		p.broken(evmOutcome, t.Index, "%v", err)
	case pays:
		p.broken(evmOutcome, t.Index, "the chain says that it paid a native fee")
	case class != chain.Normal:
		p.broken(evmOutcome, t.Index, "its class is %s", class)
	default:
		p.held(evmOutcome)
	}
}

// native makes the checks of a native transaction beside those of cash.
func (p *prover) native(t *fee.Transaction, x *chain.Extrinsic) {
	payer, paid := t.Payer.Get()
	if !paid {
		if native.HasFeeEvent(x) { // somebody paid, and nobody's fees have it
			p.broken(nativePayer, t.Index, "who paid is not known: %v", t.Error.Err)
		}
		return // the fee is undetermined, and says why
	}
	switch from, ok := t.From.Get(); {
	case !ok:
		p.skip(nativePayer, "the signer is not known")
	case from != payer:
		p.broken(nativePayer, t.Index, "%v paid, and %v signed", payer, from)
	default:
		p.held(nativePayer)
	}
	if method, _ := t.Method.Get(); method != fee.ByRule {
		const why = "the runtime had no fee event"
		p.skip(nativeTip, why)
		p.skip(nativeWaived, why)
		return
	}
	tip, _ := t.Tip.Get()
	switch signed, err := native.ReadTip(x); {
	case err != nil:
		p.broken(nativeTip, t.Index, "%v", err)
	case signed != tip:
		p.broken(nativeTip, t.Index, "%v wei were paid, and %v signed", tip, signed)
	default:
		p.held(nativeTip)
	}
	outcome, err := x.Outcome()
	if err != nil {
		return
	}
	if pays, err := outcome.PaysFee(); err != nil || pays {
		return
	}
	if fee, _ := t.Fee.Get(); fee != tip {
		p.broken(nativeWaived, t.Index, "the fee was waived, and %v wei were paid beside the tip of %v", fee, tip)
	} else {
		p.held(nativeWaived)
	}
}
