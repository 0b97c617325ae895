package main

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/wire"
)

// invoice is one fee with all that it follows from. Its JSON has the keys of a
// block's where it says the same.
type invoice struct {
	Network     string                     `json:"network"`
	Runtime     chain.Optional[uint32]     `json:"runtime"`
	Rules       string                     `json:"rules"`
	Block       uint64                     `json:"block"`
	BlockHash   chain.Hash                 `json:"block_hash"`
	Time        chain.Optional[chain.Time] `json:"time"`
	Finalized   chain.Optional[bool]       `json:"finalized"`
	Index       int                        `json:"index"`
	Transaction evidence.Transaction       `json:"transaction"`
	Inputs      []input                    `json:"inputs"`
	Steps       []step                     `json:"steps"`
	Cash        *settlement                `json:"cash"`      // null where the chain recorded none
	Findings    []evidence.Finding         `json:"findings"`  // on this extrinsic and on the block as a whole
	Diagnosis   *evidence.Diagnosis        `json:"diagnosis"` // of this fee's drift
	Notes       []string                   `json:"notes"`     // on the block

	creates      bool // a contract
	report       *evidence.Report
	extrinsic    *chain.Extrinsic
	rules        network.Rules
	multiplierAt string // what --multiplier-at says
}

// input is a figure that was read, with where from. Value is a whole number of
// the unit.
type input struct {
	Name  string `json:"name"`
	Value digits `json:"value"`
	Unit  string `json:"unit"` // "" where there is none
	From  string `json:"from"`
}

// digits are a whole number in decimal.
type digits string

func (d digits) String() string { return string(d) }

// The units of inputs and results.
const (
	inWei        = "wei"
	inWeiPerGas  = "wei per gas"
	inGas        = "gas"
	inRefTime    = "picoseconds of ref time"
	inMultiplier = "× 10^-18"
)

// newInvoice explains the transaction with that index.
func newInvoice(item source.Item, r *evidence.Report, index int, multiplierAt string) *invoice {
	v := &invoice{
		Network: r.Network, Runtime: r.Runtime, Rules: r.Rules,
		Block: r.Number, BlockHash: r.Hash, Time: r.Time, Finalized: r.Finalized, Index: index,
		Inputs: []input{}, Steps: []step{}, Findings: []evidence.Finding{}, Notes: r.Notes,
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
	if v.Transaction.Layer == fee.EVM {
		v.readEVM()
		v.stepsEVM()
	} else {
		v.readNative()
		v.stepsNative()
	}
	return v
}

// holds tells whether the fee is determined, by rules that are known to apply or
// that gave what the chain charged, and nothing was found.
func (v *invoice) holds() bool {
	verdict, _ := v.Transaction.Verdict.Get()
	return v.Transaction.Error == nil && len(v.Findings) == 0 && (v.rules.Certain || verdict == evidence.Match)
}

func (v *invoice) read(name string, value fmt.Stringer, unit, from string) {
	v.Inputs = append(v.Inputs, input{name, digits(value.String()), unit, from})
}

// field is a place in the extrinsic.
func (v *invoice) field(path string) string {
	return fmt.Sprintf("block %d, extrinsic %d: %s", v.Block, v.Index, path)
}

// event is a place in an event of the extrinsic, by its position.
func (v *invoice) event(i int, path string) string {
	e := &v.extrinsic.Events[i]
	return v.field(fmt.Sprintf("events[%d] %s.%s %s", i, e.Pallet, e.Name, path))
}

// readEVM lists what the fee of an EVM transaction follows from, as far as it can
// be read.
func (v *invoice) readEVM() {
	if payload, err := evm.ParsePayload(v.extrinsic.Args); err == nil {
		v.readPayload(&payload)
	}
	v.readWeight()
	v.readRules()
}

func (v *invoice) readPayload(p *evm.Payload) {
	action, err := p.Action()
	v.creates = err == nil && action.Create
	place := "args.transaction."
	if v.extrinsic.Args.Member("transaction").Member("gasPrice").Kind() == wire.Absent {
		place += string(p.Type) + "." // not so before there were types
	}
	if !p.Capped() {
		v.read("gasPrice", p.LegacyGasPrice, inWeiPerGas, v.field(place+"gasPrice"))
		return
	}
	v.read("maxPriorityFeePerGas", p.MaxPriorityFeePerGas, inWeiPerGas, v.field(place+"maxPriorityFeePerGas"))
	v.read("maxFeePerGas", p.MaxFeePerGas, inWeiPerGas, v.field(place+"maxFeePerGas"))
}

func (v *invoice) readWeight() {
	weight, ok := v.Transaction.Weight.Get()
	if !ok {
		return
	}
	for i := range v.extrinsic.Events {
		e := &v.extrinsic.Events[i]
		if !e.Is("system", "ExtrinsicSuccess") {
			continue
		}
		path := "data[0].weight"
		for _, member := range []string{"refTime", "ref_time"} {
			if e.Data.Index(0).Member("weight").Member(member).Kind() != wire.Absent {
				path += "." + member
			}
		}
		v.read("weight", weight, inRefTime, v.event(i, path)+" (rule 5)")
	}
	if !v.rules.WeightCorrection.IsZero() {
		v.read("weight correction", v.rules.WeightCorrection, inRefTime, v.rules.Source)
	}
}

// readRules lists what the base fee follows from.
func (v *invoice) readRules() {
	if runtime, ok := v.Runtime.Get(); ok {
		v.read("runtime", digits(fmt.Sprint(runtime)), "",
			fmt.Sprintf("runtime spec at block %d: a block is executed by the runtime that its parent left behind", max(v.Block, 1)-1))
	}
	if static, ok := v.rules.BaseFee.Static.Get(); ok {
		v.read("static base fee", static, inWeiPerGas, v.rules.Source)
		return
	}
	v.read("base constant", v.rules.BaseFee.Constant, inWeiPerGas, v.rules.Source)
	m, ok := v.report.Multiplier.Get()
	if !ok {
		return
	}
	why := "in force for the block after it"
	switch {
	case v.multiplierAt != "":
		why = "as --multiplier-at " + v.multiplierAt + " says"
	case v.rules.MultiplierAt == network.AtBlock:
		why = "at the block itself, as rule 6 says"
	}
	v.read("multiplier", m.Value, inMultiplier, fmt.Sprintf("block %d: transactionPayment.nextFeeMultiplier, %s", m.At, why))
}

// readNative lists what the fee of a native transaction follows from: the fee
// event, or the cash where there was no such event.
func (v *invoice) readNative() {
	t := &v.Transaction
	paid, ok := t.Fee.Get()
	tip, _ := t.Tip.Get()
	if method, _ := t.Method.Get(); !ok || method == fee.ByCash {
		if ok && v.Cash != nil {
			v.Inputs = append(v.Inputs, v.Cash.paid()...)
		}
		if ok && v.extrinsic.Tip.Kind() != wire.Absent {
			v.read("tip", tip, inWei, v.field("tip"))
		}
		return
	}
	for i := range v.extrinsic.Events {
		if v.extrinsic.Events[i].Is("transactionPayment", "TransactionFeePaid") {
			v.read("fee paid", paid, inWei, v.event(i, "data[1]"))
			v.read("tip", tip, inWei, v.event(i, "data[2]"))
		}
	}
}
