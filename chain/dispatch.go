package chain

import (
	"encoding/binary"
	"fmt"
)

// DispatchClass is the class of an extrinsic. The chain has a weight limit for each class.
type DispatchClass string

// Transactions are Normal or, for a few governance calls, Operational. Inherents are Mandatory.
const (
	Normal      DispatchClass = "Normal"
	Operational DispatchClass = "Operational"
	Mandatory   DispatchClass = "Mandatory"
)

// DispatchInfo is the dispatch information of an extrinsic besides its weight: data[0] of system.ExtrinsicSuccess,
// data[1] of ExtrinsicFailed.
type DispatchInfo struct {
	Class   Decoded[DispatchClass]
	PaysFee Decoded[bool]
	// Weight is why the weight is unknown, or nil.
	Weight error
	// RefTime is the path of the ref time, such as weight.refTime.
	RefTime string
	Error   DispatchError // of ExtrinsicFailed
}

// DispatchError is the reason of a failure, as far as a rule reads it.
type DispatchError struct {
	Name   string           // such as "badOrigin" or "module"
	Pallet Optional[uint64] // the index of the pallet, of a module's error
}

// usual are the contents of the usual dispatch information, by class, by whether a fee was due, and by the path of the
// ref time.
var usual = func() (all [3][2][2]content) {
	for c, class := range []DispatchClass{Normal, Operational, Mandatory} {
		for p, pays := range []bool{false, true} {
			for r, refTime := range []string{"weight", "weight.refTime"} {
				all[c][p][r] = content{kind: dispatched, info: DispatchInfo{Class: DecodedOf(class, nil), PaysFee: DecodedOf(pays, nil), RefTime: refTime}}
			}
		}
	}
	return all
}()

// DispatchValue returns the result of an extrinsic.
func DispatchValue(weight Weight, info DispatchInfo) Value {
	var v Value
	class, pays, refTime := 0, 0, 0
	switch info.Class.value {
	case Operational:
		class = 1
	case Mandatory:
		class = 2
	}
	if info.PaysFee.value {
		pays = 1
	}
	if info.RefTime != "weight" {
		refTime = 1
	}
	if v.of = &usual[class][pays][refTime]; v.of.info != info {
		v.of = &content{kind: dispatched, info: info}
	}
	return v.WithWeight(weight)
}

// WithWeight returns the result of an extrinsic with another weight. Other values stay the same.
func (v Value) WithWeight(weight Weight) Value {
	if v.of == nil || v.of.kind != dispatched {
		return v
	}
	binary.BigEndian.PutUint64(v.bytes[:], weight.RefTime.n)
	binary.BigEndian.PutUint64(v.bytes[8:], weight.ProofSize)
	return v
}

// weight returns the weight in the result of an extrinsic.
func (v Value) weight() Weight {
	return Weight{RefTime{binary.BigEndian.Uint64(v.bytes[:])}, binary.BigEndian.Uint64(v.bytes[8:])}
}

// Outcome is the result that the chain recorded for an extrinsic: every extrinsic has exactly one
// system.ExtrinsicSuccess or system.ExtrinsicFailed.
type Outcome struct {
	Success bool
	weight  Weight
	info    *DispatchInfo
}

// Outcome returns the result of the extrinsic. It returns an error unless the events contain exactly one.
func (x *Extrinsic) Outcome() (Outcome, error) {
	var outcome Outcome
	found := 0
	for i := range x.Events {
		e := &x.Events[i]
		success := e.Is("system", "ExtrinsicSuccess")
		if !success && !e.Is("system", "ExtrinsicFailed") {
			continue
		}
		outcome = Outcome{Success: success, info: &noInfo}
		if v := e.Data.At(0); v.check(dispatched) == nil {
			outcome.info = &v.of.info
			outcome.weight = v.weight()
		}
		found++
	}
	switch found {
	case 1:
		return outcome, nil
	case 0:
		return Outcome{}, fmt.Errorf("event system.ExtrinsicSuccess: %w", ErrMissing)
	default:
		return Outcome{}, fmt.Errorf("%d events of system.ExtrinsicSuccess and ExtrinsicFailed, want one", found)
	}
}

// noInfo is for an event without dispatch information.
var noInfo = DispatchInfo{Weight: ErrMissing}

// Weight returns the weight.
func (o Outcome) Weight() (Weight, error) {
	if o.info.Weight != nil {
		return Weight{}, fmt.Errorf("weight: %w", o.info.Weight)
	}
	return o.weight, nil
}

// Class returns the class.
func (o Outcome) Class() (DispatchClass, error) {
	class, err := o.info.Class.Get()
	if err != nil {
		err = fmt.Errorf("class: %w", err)
	}
	return class, err
}

// PaysFee reports whether the extrinsic paid for its weight and length. An extrinsic that did not still pays its tip.
func (o Outcome) PaysFee() (bool, error) {
	pays, err := o.info.PaysFee.Get()
	if err != nil {
		err = fmt.Errorf("paysFee: %w", err)
	}
	return pays, err
}

// RefTimePath returns the path of the ref time in the event's data, such as data[0].weight.refTime.
func (o Outcome) RefTimePath() string {
	if o.Success {
		return "data[0]." + o.info.RefTime
	}
	return "data[1]." + o.info.RefTime
}

// Error returns the reason of a failure.
func (o Outcome) Error() DispatchError { return o.info.Error }
