package chain

import (
	"fmt"
	"time"
)

// Block is one block as a gateway serves it. Extrinsics stand in the order in
// which the chain applied them.
type Block struct {
	Number       uint64
	Hash         Hash
	ParentHash   Hash
	Finalized    Optional[bool] // not known where the gateway did not say
	Logs         Value          // the items of the header's digest, to be read by the rule that needs them
	OnInitialize []Event        // events before the first extrinsic
	Extrinsics   []Extrinsic
	OnFinalize   []Event // events after the last extrinsic
	// Size is the number of bytes of the text that the block was read from, and shares
	// the memory of; 0 where it was not read from one.
	Size int
}

// Header is what a block says of itself without its extrinsics.
type Header struct {
	Number         uint64
	ParentHash     Hash
	StateRoot      Hash
	ExtrinsicsRoot Hash
}

// Extrinsic is a transaction or an inherent. Index is its position in the
// block. Nonce, Tip, Era and Args are as the gateway wrote them, to be read by the
// rule that needs them.
type Extrinsic struct {
	Index  int
	Pallet string // method.pallet, such as "ethereum"
	Call   string // method.method, such as "transact"
	Hash   Hash
	Signed bool  // it has a native signature
	Signer Value // an address where Signed
	Nonce  Value
	Tip    Value
	Era    Value
	Args   Value
	Events []Event // in the order in which they were emitted
}

// Event is something that the chain recorded. Data is the array of its values.
type Event struct {
	Pallet string // method.pallet, such as "system"
	Name   string // method.method, such as "ExtrinsicSuccess"
	Data   Value
}

// Is tells whether this is the event pallet.name.
func (e *Event) Is(pallet, name string) bool { return e.Name == name && e.Pallet == pallet }

// Outcome is what the chain recorded of an extrinsic when it was done: every
// extrinsic has exactly one system.ExtrinsicSuccess or system.ExtrinsicFailed.
type Outcome struct {
	Success bool
	// Info is the dispatch information, with the weight: data[0] of
	// ExtrinsicSuccess, data[1] of ExtrinsicFailed.
	Info Value
}

// Weight is the weight in the dispatch information.
func (o Outcome) Weight() (Weight, error) {
	weight, err := Read[Weight](o.Info.Member("weight"))
	if err != nil {
		return Weight{}, fmt.Errorf("weight: %w", err)
	}
	return weight, nil
}

// Outcome finds how the extrinsic ended. It is an error where the gateway's
// answer has no such event, or more than one.
func (x *Extrinsic) Outcome() (Outcome, error) {
	var outcome Outcome
	found := 0
	for i := range x.Events {
		switch e := &x.Events[i]; {
		case e.Is("system", "ExtrinsicSuccess"):
			outcome = Outcome{Success: true, Info: e.Data.Index(0)}
		case e.Is("system", "ExtrinsicFailed"):
			outcome = Outcome{Info: e.Data.Index(1)}
		default:
			continue
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

// Time is when a block was made, to the millisecond, in UTC.
type Time struct{ ms int64 }

// latestTime is the last millisecond that RFC 3339 can write.
const latestTime = 253402300799999

// TimeAt is the time so many milliseconds after 1970 began. It is an error where RFC
// 3339 cannot write it.
func TimeAt(ms uint64) (Time, error) {
	if ms > latestTime {
		return Time{}, fmt.Errorf("%d is no time in milliseconds", ms)
	}
	return Time{int64(ms)}, nil
}

// Std is the time as the standard library has it.
func (t Time) Std() time.Time { return time.UnixMilli(t.ms).UTC() }

// String is the time in RFC 3339, with milliseconds where they are not zero.
func (t Time) String() string {
	if t.ms%1000 == 0 {
		return t.Std().Format("2006-01-02T15:04:05Z")
	}
	return t.Std().Format("2006-01-02T15:04:05.000Z")
}

// MarshalText writes the time as [Time.String] does.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// SetsTime tells whether the extrinsic is the inherent timestamp.set.
func (x *Extrinsic) SetsTime() bool { return x.Pallet == "timestamp" && x.Call == "set" }

// Time is when the block was made, by its inherent timestamp.set. A block
// without that inherent (block 0) has none.
func (b *Block) Time() (Optional[Time], error) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if !x.SetsTime() {
			continue
		}
		var t Time
		ms, err := ReadUint64(x.Args.Member("now"))
		if err == nil {
			t, err = TimeAt(ms)
		}
		if err != nil {
			return Optional[Time]{}, fmt.Errorf("extrinsic %d, timestamp.set: args.now: %w", x.Index, err)
		}
		return Some(t), nil
	}
	return Optional[Time]{}, nil
}

// StoredMultiplier is a fee multiplier with the height at whose end the chain
// stored it.
type StoredMultiplier struct {
	At    uint64     `json:"at"`
	Value Multiplier `json:"value"`
}

// Stored is a multiplier as a source tells it, without the hash of the block.
func Stored(m AtBlock[Multiplier]) StoredMultiplier { return StoredMultiplier{m.At, m.Value} }
