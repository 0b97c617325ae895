package explain

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Explanation is a fee with everything it is derived from. Its JSON uses the keys of a block's JSON for the
// same values.
type Explanation struct {
	Network     string                     `json:"network"`
	Runtime     chain.Optional[uint32]     `json:"runtime"`
	Rules       string                     `json:"rules"`
	Block       uint64                     `json:"block"`
	BlockHash   chain.Hash                 `json:"block_hash"`
	Time        chain.Optional[chain.Time] `json:"time"`
	Finalized   chain.Optional[bool]       `json:"finalized"`
	Evidence    evidence.Evidence          `json:"evidence"` // for the block
	Index       int                        `json:"index"`
	Transaction evidence.Transaction       `json:"transaction"`
	Inputs      []Input                    `json:"inputs"`
	Steps       []Step                     `json:"steps"`
	Cash        *Settlement                `json:"cash"` // null if the chain recorded none
	// Receipt is the way to the fee from the Ethereum receipt of a transaction of pallet revive; the key is omitted for others.
	Receipt   *Receipt            `json:"receipt,omitempty"`
	Findings  []evidence.Finding  `json:"findings"`  // on this extrinsic and on the block as a whole
	Diagnosis *evidence.Diagnosis `json:"diagnosis"` // of this fee's drift
	Notes     []string            `json:"notes"`     // on the block

	Creates bool          `json:"-"` // the transaction creates a contract
	Token   console.Token `json:"-"` // the network's

	report       *evidence.Report
	extrinsic    *chain.Extrinsic
	rules        network.Rules
	multiplierAt string // value of --multiplier-at
}

// Input is a figure with its source. Value is an integer in the given unit.
type Input struct {
	Name  string                 `json:"name"`
	Value chain.Optional[Digits] `json:"value"` // null if not known
	Unit  string                 `json:"unit"`  // "" if there is none
	From  string                 `json:"from"`
}

func input(name string, value fmt.Stringer, unit, from string) Input {
	return Input{name, chain.Some(Digits(value.String())), unit, from}
}

// Digits is an integer in decimal.
type Digits string

func (d Digits) String() string { return string(d) }

// Units of inputs and results.
const (
	InWei        = "wei"
	InPlanck     = "planck" // of tokens whose smallest unit is not 10^-18
	InWeiPerGas  = "wei per gas"
	InGas        = "gas"
	InRefTime    = "picoseconds of ref time"
	InMultiplier = "× 10^-18"
	InPerbill    = "parts per billion"
	InAttos      = "× 10^-18 of the token"
)

// Make explains the transaction with the given index.
func Make(item source.Item, r *evidence.Report, index int, multiplierAt string) *Explanation {
	v := &Explanation{
		Network: r.Network, Runtime: r.Runtime, Rules: r.Rules,
		Block: r.Number, BlockHash: r.Hash, Time: r.Time, Finalized: r.Finalized, Evidence: r.Evidence, Index: index, Token: console.Token(item.Rules.Token),
		Inputs: []Input{}, Steps: []Step{}, Findings: []evidence.Finding{}, Notes: r.Notes,
		report: r, extrinsic: &item.Block.Extrinsics[index], rules: item.Rules, multiplierAt: multiplierAt,
	}
	for _, t := range r.Transactions {
		if t.Index == index {
			v.Transaction = t
		}
	}
	for _, f := range r.Findings {
		if i, ok := f.Extrinsic.Get(); !ok || i == index {
			v.Findings = append(v.Findings, f)
		}
	}
	if v.Transaction.Drift.Known() && v.Transaction.Layer == fee.EVM {
		v.Diagnosis = r.Diagnosis
	}
	v.Cash = v.settle()
	switch {
	case v.isRevive():
		v.readRevive()
		v.stepsRevive()
		v.Receipt = v.receiptSteps()
	case v.Transaction.Layer == fee.EVM:
		v.readEVM()
		v.stepsEVM()
	default:
		v.readNative()
		v.stepsNative()
	}
	v.nameUnit()
	return v
}

// nameUnit gives amounts the name of the token's smallest unit.
func (v *Explanation) nameUnit() {
	unit := v.Token.Unit()
	if unit == InWei {
		return
	}
	in, steps := [][]Input{v.Inputs}, [][]Step{v.Steps}
	if v.Cash != nil {
		in, steps = append(in, v.Cash.Inputs), append(steps, v.Cash.Steps)
	}
	if v.Receipt != nil {
		in, steps = append(in, v.Receipt.Inputs), append(steps, v.Receipt.Steps)
	}
	for _, list := range in {
		for i := range list {
			if list[i].Unit == InWei {
				list[i].Unit = unit
			}
		}
	}
	for _, list := range steps {
		for i := range list {
			if list[i].Unit == InWei {
				list[i].Unit = unit
			}
		}
	}
}

// Holds reports whether the fee is determined by rules that apply or that gave the amount charged, without
// findings.
func (v *Explanation) Holds() bool {
	verdict, _ := v.Transaction.Verdict.Get()
	return v.Transaction.Error == nil && len(v.Findings) == 0 && (v.rules.Certain || verdict == evidence.Match)
}

func (v *Explanation) read(name string, value fmt.Stringer, unit, from string) {
	v.Inputs = append(v.Inputs, input(name, value, unit, from))
}

// field describes a field of the extrinsic.
func (v *Explanation) field(path string) string {
	return fmt.Sprintf("block %d, extrinsic %d: %s", v.Block, v.Index, path)
}

// event describes a field of an event of the extrinsic, by its index.
func (v *Explanation) event(i int, path string) string {
	e := &v.extrinsic.Events[i]
	return v.field(fmt.Sprintf("events[%d] %s.%s %s", i, e.Pallet, e.Name, path))
}

// readEVM adds the inputs of an EVM transaction's fee, as far as they can be read.
func (v *Explanation) readEVM() {
	if payload, err := v.extrinsic.Ethereum(); err == nil {
		v.readPayload(payload)
	}
	v.readWeight()
	v.readRules()
}

func (v *Explanation) readPayload(p *chain.Payload) {
	action, err := p.Action.Get()
	v.Creates = err == nil && action.Create
	place := "args.transaction."
	if !p.Untyped {
		place += string(p.Type) + "."
	}
	if v.rules.ChargesLimit {
		v.read("gas limit", p.GasLimit, InGas, v.field(place+"gasLimit"))
	}
	if !p.Capped() {
		v.read("gasPrice", p.LegacyGasPrice, InWeiPerGas, v.field(place+"gasPrice"))
		return
	}
	v.read("maxPriorityFeePerGas", p.MaxPriorityFeePerGas, InWeiPerGas, v.field(place+"maxPriorityFeePerGas"))
	v.read("maxFeePerGas", p.MaxFeePerGas, InWeiPerGas, v.field(place+"maxFeePerGas"))
}

func (v *Explanation) readWeight() {
	weight, ok := v.Transaction.Weight.Get()
	outcome, err := v.extrinsic.Outcome()
	if !ok || err != nil {
		return
	}
	for i := range v.extrinsic.Events {
		e := &v.extrinsic.Events[i]
		if !e.Is("system", "ExtrinsicSuccess") {
			continue
		}
		v.read("weight", weight, InRefTime, v.event(i, outcome.RefTimePath())+" (rule 5)")
	}
	if !v.rules.WeightCorrection.IsZero() {
		v.read("weight correction", v.rules.WeightCorrection, InRefTime, v.rules.Source)
	}
}

// readRules adds the inputs of the base fee.
func (v *Explanation) readRules() {
	if runtime, ok := v.Runtime.Get(); ok {
		v.read("runtime", Digits(fmt.Sprint(runtime)), "",
			fmt.Sprintf("runtime spec after block %d: each block is executed by the runtime set at its parent", max(v.Block, 1)-1))
	}
	if static, ok := v.rules.BaseFee.Static.Get(); ok {
		v.read("static base fee", static, InWeiPerGas, v.rules.Source)
		return
	}
	if stored, ok := v.rules.BaseFee.Stored.Get(); ok {
		base, known := v.report.BaseFeeOf(v.Transaction.Transaction).Get()
		m, _ := v.report.Multiplier.Get()
		from := fmt.Sprintf("block %d: %s", stored.Height(m.At), stored.Name())
		if v.Transaction.BaseFeePerGas != nil {
			pallet, name := stored.Event()
			from = fmt.Sprintf("event %s.%s earlier in the block", pallet, name)
		}
		if known {
			v.read("stored base fee", base, InWeiPerGas, from)
		}
		return
	}
	v.read("base constant", v.rules.BaseFee.Constant, InWeiPerGas, v.rules.Source)
	if scale := v.rules.BaseFee.Scale; scale > 1 {
		v.read("gas scale", Digits(fmt.Sprint(scale)), "", v.rules.Source)
	}
	m, ok := v.report.Multiplier.Get()
	if !ok {
		return
	}
	why := "in force for the next block"
	switch {
	case v.multiplierAt != "":
		why = "selected by --multiplier-at " + v.multiplierAt
	case v.rules.MultiplierAt == network.AtBlock:
		why = "at the block itself, by rule 6"
	}
	v.read("multiplier", m.Value, InMultiplier, fmt.Sprintf("block %d: transactionPayment.nextFeeMultiplier, %s", m.At, why))
}

// readNative adds the inputs of a native transaction's fee: the fee event, or the settlement if there is
// none.
func (v *Explanation) readNative() {
	t := &v.Transaction
	ok := t.Fee.Known()
	tip, known := t.Tip.Get()
	if method, _ := t.Method.Get(); !ok || method == fee.ByCash {
		if ok && v.Cash != nil {
			v.Inputs = append(v.Inputs, v.Cash.paid()...)
		}
		if signed := v.extrinsic.Signed; ok && known && signed != nil && !signed.Tip.Missing() {
			v.read("tip", tip, InWei, v.field("tip"))
		}
		return
	}
	v.readFeePaid()
	v.readAssetFee()
}

// readAssetFee adds the fee that was paid in an asset.
func (v *Explanation) readAssetFee() {
	paid := v.Transaction.AssetFee
	if paid == nil {
		return
	}
	for i := range v.extrinsic.Events {
		if !v.extrinsic.Events[i].Is("assetTxPayment", "AssetTxFeePaid") {
			continue
		}
		v.read("fee in the asset", paid.Amount, "of its smallest units", v.event(i, "data[1]")+", of the asset "+paid.Asset)
		v.read("tip in the token", paid.Tip, InWei, v.event(i, "data[2]"))
		if credited, known := paid.Equivalent.Get(); known {
			v.read("credited in the token", credited, InWei, v.field(fmt.Sprintf("the deposits before events[%d]", i)))
		}
	}
}

// readFeePaid adds the fee that the chain states, and the tip in it.
func (v *Explanation) readFeePaid() {
	for i := range v.extrinsic.Events {
		e := &v.extrinsic.Events[i]
		if !e.Is("transactionPayment", "TransactionFeePaid") {
			continue
		}
		if paid, err := e.Data.At(1).Wei(); err == nil {
			v.read("fee paid", paid, InWei, v.event(i, "data[1]"))
		}
		if tip, err := e.Data.At(2).Wei(); err == nil {
			v.read("tip", tip, InWei, v.event(i, "data[2]"))
		}
	}
}
