package fee

import (
	"cmp"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Price computes the fees of a block under rules, in wei. Multiplier is the one stored at the height that
// rules.MultiplierAt selects; it may be unknown for block 0, which has no parent.
//
// A transaction that cannot be priced is in the report with its [Error]; so is one whose fee would make a
// total exceed the highest balance.
func Price(b *chain.Block, rules *network.Rules, multiplier chain.Optional[chain.StoredMultiplier]) *Report {
	r := &Report{
		Network:      rules.Network,
		Runtime:      rules.Runtime,
		Rules:        rules.Name,
		Certain:      rules.Certain,
		Number:       b.Number,
		Hash:         b.Hash,
		ParentHash:   b.ParentHash,
		Finalized:    b.Finalized,
		Multiplier:   multiplier,
		Transactions: make([]Transaction, transactions(b, rules.EVM)),
		Notes:        append([]string{}, rules.Notes...),
	}
	r.dateAndBaseFee(b, rules)
	set := baseFeeEventOf(rules)
	baseFee, priced := set.after(b.OnInitialize, r.BaseFeePerGas), 0
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if layer := Classify(x, rules.EVM); layer == Inherent {
			r.Totals.Inherents++
		} else {
			r.price(&r.Transactions[priced], x, layer, rules, baseFee)
			priced++
		}
		baseFee = set.after(x.Events, baseFee)
	}
	if baseFee != r.BaseFeePerGas {
		last := baseFee
		r.lastBaseFee = &last
	}
	r.Totals.Complete = r.Totals.Undetermined == 0
	return r
}

// price sets a transaction of the report, given the base fee in force for it.
func (r *Report) price(t *Transaction, x *chain.Extrinsic, layer Layer, rules *network.Rules, baseFee chain.Optional[chain.GasPrice]) {
	t.describe(x, layer)
	var err error
	switch {
	case layer == Native:
		err = priceNative(t, x, rules)
	case rules.EVM == rule.Revive:
		err = priceRevive(t, x, baseFee)
	default:
		if base, known := baseFee.Get(); known && baseFee != r.BaseFeePerGas {
			changed := base
			t.BaseFeePerGas = &changed
		}
		err = priceEVM(t, x, rules, baseFee)
	}
	if err == nil {
		err = r.Totals.add(t)
	}
	if err == nil && t.AssetFee != nil {
		err = r.AssetFees.Add(t.AssetFee)
	}
	if err != nil {
		r.Totals.Undetermined++
		t.Fee, t.Method = chain.Optional[chain.Wei]{}, chain.Optional[Method]{}
		t.PriorityFee, t.Tip, t.AssetFee = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, nil
		t.Error = &Error{r.Number, x.Index, err}
	}
	r.Totals.count(t)
	r.Certain = r.Certain && !t.inexact
}

// transactions counts the block's extrinsics that are transactions.
func transactions(b *chain.Block, kind rule.EVM) (n int) {
	for i := range b.Extrinsics {
		if Classify(&b.Extrinsics[i], kind) != Inherent {
			n++
		}
	}
	return n
}

// dateAndBaseFee sets the values of the block as a whole.
func (r *Report) dateAndBaseFee(b *chain.Block, rules *network.Rules) {
	var err error
	if r.Time, err = b.Time(); err != nil {
		r.note("unknown time: %v", err)
	}
	if r.BaseFeePerGas, err = evm.BaseFeePerGas(rules.BaseFee, r.Multiplier); err != nil {
		r.note("unknown base fee per gas: %v", err)
	}
	if base, ok := r.BaseFeePerGas.Get(); ok && base.Cmp(rules.MinGasPrice) < 0 {
		r.note("the base fee of %v wei per gas is below the network's minimum gas price of %v", base, rules.MinGasPrice)
	}
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Classify returns the layer of an extrinsic (specification, Extrinsic) of a runtime, given what runs the runtime's
// Ethereum transactions. Unsigned extrinsics are inherents unless the chain recorded a payment. This includes unsigned
// transactions that pay nothing, such as imOnline.heartbeat.
func Classify(x *chain.Extrinsic, kind rule.EVM) Layer {
	switch {
	case kind.Carries(x.Pallet, x.Call):
		return EVM
	case x.Signed != nil || native.HasFeeEvent(x) || kind != rule.Frontier && native.HasAssetFeeEvent(x):
		return Native
	}
	return Inherent
}

// Inherents returns the block's inherents in the form of transactions without a fee, for complete lists of
// extrinsics.
func Inherents(b *chain.Block, kind rule.EVM) []Transaction {
	list := []Transaction{}
	for i := range b.Extrinsics {
		if x := &b.Extrinsics[i]; Classify(x, kind) == Inherent {
			var t Transaction
			t.describe(x, Inherent)
			if outcome, err := x.Outcome(); err == nil {
				t.ended(outcome)
			}
			list = append(list, t)
		}
	}
	return list
}

// describe sets the fields that need no rule.
func (t *Transaction) describe(x *chain.Extrinsic, layer Layer) {
	t.Index = x.Index
	t.Layer = layer
	t.Call = callName(x)
	t.Hash = x.Hash
	t.Transfers = evm.Transfers(x)
	t.Notes = []string{}
}

func callName(x *chain.Extrinsic) string {
	if x.Pallet == "ethereum" && x.Call == "transact" {
		return "ethereum.transact" // the common case, without building a string
	}
	return x.Pallet + "." + x.Call
}

func (t *Transaction) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// ended sets the fields from the outcome of an extrinsic whose weight has no price.
func (t *Transaction) ended(outcome chain.Outcome) {
	t.Success = chain.Some(outcome.Success)
	t.Outcome = chain.Some(extrinsicOutcome(outcome.Success))
	if weight, err := outcome.Weight(); err == nil {
		t.Weight = chain.Some(weight.RefTime)
	}
}

// priceEVM sets everything known about an EVM transaction, even if an error leaves its fee undetermined.
func priceEVM(t *Transaction, x *chain.Extrinsic, rules *network.Rules, baseFee chain.Optional[chain.GasPrice]) error {
	outcome, noOutcome := x.Outcome()
	if noOutcome == nil {
		t.Success = chain.Some(outcome.Success)
	}
	executed, notExecuted := evm.FindExecuted(x)
	if notExecuted == nil {
		t.executed(x, executed, rules.AccountMapping)
	}
	switch {
	case noOutcome != nil:
	case !outcome.Success: // the runtime rejected it and undid its effects
		t.Outcome = chain.Some(Failed)
	case notExecuted == nil:
		t.Outcome = evmOutcome(executed.Exit)
	}
	var weight chain.RefTime
	noWeight := noOutcome
	if noOutcome == nil {
		weight, noWeight = t.weigh(outcome, rules)
	}
	payload, noPayload := x.Ethereum()
	if noPayload != nil {
		return noPayload
	}
	t.Type = chain.Some(payload.Type)
	t.Nonce = chain.Some(payload.Nonce)
	price, noPrice := evm.GasPrice(payload, baseFee, rules.PriceCapped)
	if noPrice == nil {
		t.GasPrice = chain.Some(price)
	}
	if noOutcome == nil && !outcome.Success && !rules.NoWithdrawEvent && evm.Refused(x) {
		return t.refuse(x, payload, rules.AccountMapping)
	}
	if err := cmp.Or(noPrice, noWeight, notExecuted); err != nil { // without Executed no one is charged
		return err
	}
	return t.charge(price, weight, payload.GasLimit, rules, baseFee)
}

// refuse sets the fee of a transaction that the runtime refused before it ran: 0. No event names its sender, so the
// signature does.
func (t *Transaction) refuse(x *chain.Extrinsic, p *chain.Payload, accounts network.AccountMapping) error {
	signed, err := ethtx.OfPayload(p)
	if err != nil {
		return err
	}
	sender, err := signed.Sender()
	if err != nil {
		return err
	}
	t.From, t.Payer, t.To = chain.Some(sender), t.payerOf(x, sender, accounts), signed.To
	t.Fee, t.PriorityFee, t.Method = chain.Some(chain.Wei{}), chain.Some(chain.Wei{}), chain.Some(ByRule)
	t.Gas = chain.Optional[chain.Gas]{}
	t.note("the runtime refused it before it ran: nothing was charged, and its nonce can be used again")
	return nil
}

func (t *Transaction) executed(x *chain.Extrinsic, e evm.Executed, accounts network.AccountMapping) {
	t.EVMHash = chain.Some(e.Hash)
	t.From = chain.Some(e.From)
	t.To = chain.Some(e.To)
	t.Payer = t.payerOf(x, e.From, accounts)
	if e.Exit != (chain.Exit{}) {
		t.Status = chain.Some(e.Exit.Reason)
	} else {
		t.note("event ethereum.Executed: data[3] is not a known exit reason")
	}
	if e.Count > 1 {
		t.note("%d events ethereum.Executed: the last is the transaction's own", e.Count)
	}
}

// payerOf returns the account that pays for an address of the EVM. If an account can have claimed the address, that is the
// one from which the chain withdrew.
func (t *Transaction) payerOf(x *chain.Extrinsic, from chain.Address, accounts network.AccountMapping) (none chain.Optional[chain.Address]) {
	if !accounts.MayBeClaimed(from) {
		return chain.Some(accounts.Of(from))
	}
	cash, err := chain.FindCash(x)
	if err != nil || cash.Payer.Size() != accounts.Size() {
		return none
	}
	if cash.Payer != from.Hashed() {
		t.note("the payer is not the account that the sender's address is hashed to: it must have claimed the address, which was not checked")
	}
	return chain.Some(cash.Payer)
}

// weigh sets the gas and returns the weight that is charged.
func (t *Transaction) weigh(outcome chain.Outcome, rules *network.Rules) (chain.RefTime, error) {
	weight, err := evm.Weight(outcome)
	if err != nil {
		return chain.RefTime{}, err
	}
	t.Weight = chain.Some(weight)
	if correction := rules.WeightCorrection; !correction.IsZero() {
		if weight, err = weight.Add(correction); err != nil {
			return chain.RefTime{}, fmt.Errorf("weight + correction: %w", err)
		}
		t.note("%v was added to the weight, which this runtime reports without the base weight of the extrinsic", correction)
	}
	gas, exact := evm.Gas(weight, rules.WeightPerGas)
	t.Gas = chain.Some(gas)
	if !exact {
		t.inexact = true
		t.note("the weight %v is not a multiple of %v: the gas is rounded down, the fee is not", weight, rules.WeightPerGas)
	}
	return weight, nil
}

// charge sets the fee and its priority part.
func (t *Transaction) charge(price chain.GasPrice, weight chain.RefTime, limit chain.Gas, rules *network.Rules, baseFee chain.Optional[chain.GasPrice]) error {
	fee, err := evm.FeeOf(rules, price, weight, limit)
	if err != nil {
		return err
	}
	t.Fee = chain.Some(fee)
	t.Method = chain.Some(ByRule)
	if minimum := rules.MinGasPrice; price.Cmp(minimum) < 0 {
		t.note("the gas price of %v wei is below the network's minimum of %v", price, minimum)
	}
	base, ok := baseFee.Get()
	if !ok {
		return nil
	}
	gas, _ := t.Gas.Get()
	if rules.ChargesLimit {
		gas = limit
	}
	if t.PriorityFee, err = evm.PriorityFee(price, base, gas, rules.EVMUnit); err != nil {
		return err
	}
	if !t.PriorityFee.Known() {
		t.note("the gas price of %v wei is below the base fee of %v: there is no priority fee", price, base)
	}
	return nil
}

// priceNative reads the fee from the chain's fee event, or from cash movements if the runtime has no such
// event. The other fields only describe the transaction, so values that cannot be decoded are noted.
func priceNative(t *Transaction, x *chain.Extrinsic, rules *network.Rules) error {
	if x.Signed != nil {
		if from, err := x.Signed.Signer.Account(); err != nil {
			t.note("signature.signer: %v", err)
		} else {
			t.From = chain.Some(from)
		}
		if nonce, err := x.Signed.Nonce.Uint64(); err != nil {
			t.note("nonce: %v", err)
		} else {
			t.Nonce = chain.Some(chain.NewNonce(nonce))
		}
		if _, err := native.ReadTip(x); err != nil {
			t.note("%v", err)
		}
	}
	if outcome, err := x.Outcome(); err != nil {
		t.note("%v", err)
	} else {
		t.ended(outcome)
	}
	if rules.EVM != rule.Frontier && native.HasAssetFeeEvent(x) && !native.HasFeeEvent(x) {
		return t.priceAsset(x)
	}
	method, read := ByRule, native.ReadFeePaid
	if rules.NoFeeEvent && !rules.NoWithdrawEvent && !native.HasFeeEvent(x) {
		method, read = ByCash, native.ReadCash
	}
	paid, err := read(x)
	switch {
	case err != nil && method == ByRule && rules.NoFeeEvent && !native.HasFeeEvent(x):
		return fmt.Errorf("%w; the runtime predates it", err)
	case err != nil:
		return err
	}
	if have, want := paid.Payer.Size(), rules.AccountMapping.Size(); have != want {
		return fmt.Errorf("the payer %v has %d bytes, and accounts of %s have %d", paid.Payer, have, rules.Network, want)
	}
	t.Payer = chain.Some(paid.Payer)
	t.Fee = chain.Some(paid.Fee)
	t.Tip = paid.Tip
	t.Method = chain.Some(method)
	return nil
}

// add adds a transaction's fee (fee rule 8); on an error it changes nothing.
func (s *Totals) add(t *Transaction) error {
	fee, _ := t.Fee.Get()
	total, err := s.Fee.Add(fee)
	if err != nil {
		return fmt.Errorf("total of the fees: %w", err)
	}
	part := &s.NativeFee
	if t.Layer == EVM {
		part = &s.EVMFee
	}
	if *part, err = part.Add(fee); err != nil { // no part exceeds the total
		return fmt.Errorf("total of the %s fees: %w", t.Layer, err)
	}
	s.Fee = total
	return nil
}

func (s *Totals) count(t *Transaction) {
	if t.Layer == EVM {
		s.EVM++
	} else {
		s.Native++
	}
	outcome, _ := t.Outcome.Get()
	s.CountOutcome(t.Layer, outcome)
}
