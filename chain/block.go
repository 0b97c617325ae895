package chain

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Block is one block as served by a gateway or a node. Extrinsics are in the order in which the chain applied them.
type Block struct {
	Number     uint64
	Hash       Hash
	ParentHash Hash
	Finalized  Optional[bool] // unknown if the gateway did not report it
	// Digest lists the EVM transactions that the header's digest names. It is [ErrMissing] if the source does not report
	// the digest, and an [UnreportedError] if the digest does not list them.
	Digest       Decoded[[]Hash]
	OnInitialize []Event // events before the first extrinsic
	Extrinsics   []Extrinsic
	OnFinalize   []Event // events after the last extrinsic
	// Reported is what the source reported, in full; nil for a block from elsewhere. No rule reads it.
	Reported Reported
	// Encoded are the extrinsics that a node's block was decoded from; nil for a block from elsewhere.
	Encoded []Encoded
	// Size is the memory in bytes that the block needs besides what every block does: the text that it was parsed from, or
	// a node's data and the values decoded from them. It is 0 for a block from elsewhere.
	Size int
}

// Encoded is an extrinsic in SCALE, with its length prefix, and its BLAKE2b-256.
type Encoded struct {
	Bytes []byte
	Hash  Hash
}

// Reported is a block in Sidecar's JSON. It serves to compare two sources, and to keep the data of an event that no rule
// can classify.
type Reported interface {
	// Text returns the whole block. It returns an error if a node's block cannot be written in Sidecar's JSON.
	Text() (string, error)
	// EventData returns the data of an event of an extrinsic, or of a hook if onInitialize or onFinalize.
	EventData(list EventList, event int) (string, error)
}

// EventList identifies a list of events in a block: the index of an extrinsic, or a hook.
type EventList int

// The lists of the hooks.
const (
	OnInitialize EventList = -1
	OnFinalize   EventList = math.MaxInt32
)

// EventData returns the data of an event as the source reported them, or "".
func (b *Block) EventData(list EventList, event int) (string, error) {
	if b.Reported == nil {
		return "", nil
	}
	return b.Reported.EventData(list, event)
}

// Header is a block's header without its digest.
type Header struct {
	Number         uint64
	ParentHash     Hash
	StateRoot      Hash
	ExtrinsicsRoot Hash
}

// Extrinsic is a transaction or an inherent. Index is its position in the block.
type Extrinsic struct {
	Index  int
	Pallet string // method.pallet, such as "ethereum"
	Call   string // method.method, such as "transact"
	Hash   Hash
	Signed *Signed // nil without a native signature
	// General reports that the extrinsic has extensions and no signature: one of them may contain a signer. Sidecar cannot
	// report such extrinsics.
	General bool
	// Args are the arguments that a rule reads: the time of timestamp.set, recipient and amount of a balances transfer,
	// the source of a call of pallet evm.
	Args    Values
	Payload Decoded[*Payload] // of ethereum.transact
	Events  []Event           // in the order in which they were emitted
}

// FindEvent returns the index of the first event of a pallet with a name, or -1.
func (x *Extrinsic) FindEvent(pallet, name string) int {
	return slices.IndexFunc(x.Events, func(e Event) bool { return e.Is(pallet, name) })
}

// Signed describes the signature of a native transaction. Nonce and tip are an [UnreportedError] if the runtime's metadata
// do not reveal which of its extensions contains them.
type Signed struct {
	Signer Value // an account
	Nonce  Value // a number of 64 bits
	Tip    Value // in wei
	Era    Era
	// Asset is the asset in which the fee is paid: its ID in Sidecar's JSON, "" for the chain's own token. It is unknown from
	// a gateway, and if the runtime has no extension that names an asset.
	Asset Optional[string]
}

// String returns the values by name.
func (s *Signed) String() string { return fmt.Sprintf("%+v", *s) }

// Era is the period in which an extrinsic is valid. The zero Era is unlimited, or unknown.
type Era struct{ Period, Phase uint64 }

// Event is an event that the chain recorded. Data are its values by position, if a rule reads any of them.
type Event struct {
	Pallet string // method.pallet, such as "system"
	Name   string // method.method, such as "ExtrinsicSuccess"
	Data   Values
}

// Is reports whether the event is pallet.name.
func (e *Event) Is(pallet, name string) bool { return e.Name == name && e.Pallet == pallet }

// Time is the time of a block, in UTC, with millisecond precision.
type Time struct{ ms int64 }

// latestTime is the last millisecond that RFC 3339 can express.
const latestTime = 253402300799999

// TimeAt returns the time ms milliseconds after the start of 1970. It returns an error if RFC 3339 cannot
// express it.
func TimeAt(ms uint64) (Time, error) {
	if ms > latestTime {
		return Time{}, fmt.Errorf("%d milliseconds is not a valid time", ms)
	}
	return Time{int64(ms)}, nil
}

// Std returns the time as a time.Time.
func (t Time) Std() time.Time { return time.UnixMilli(t.ms).UTC() }

// String returns the time in RFC 3339, with milliseconds unless they are zero.
func (t Time) String() string {
	if t.ms%1000 == 0 {
		return t.Std().Format("2006-01-02T15:04:05Z")
	}
	return t.Std().Format("2006-01-02T15:04:05.000Z")
}

// MarshalText encodes the time as [Time.String] does.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses a time as [Time.String] writes it: RFC 3339, with milliseconds at most.
func (t *Time) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return err
	}
	if at.Nanosecond()%int(time.Millisecond) != 0 || at.UnixMilli() < 0 {
		return fmt.Errorf("%s is not a time in whole milliseconds since 1970", text)
	}
	*t, err = TimeAt(uint64(at.UnixMilli()))
	return err
}

// SetsTime reports whether the extrinsic is the inherent timestamp.set.
func (x *Extrinsic) SetsTime() bool { return x.Pallet == "timestamp" && x.Call == "set" }

// Time returns the time of the block from its inherent timestamp.set. It is unknown for a block without that
// inherent (block 0).
func (b *Block) Time() (Optional[Time], error) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if !x.SetsTime() {
			continue
		}
		var t Time
		ms, err := x.Args.At(0).Uint64()
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

// StoredMultiplier is a fee multiplier and the height of the block at whose end the chain stored it.
type StoredMultiplier struct {
	At    uint64     `json:"at"`
	Value Multiplier `json:"value"`
	// BaseFee is the base fee per gas in wei that the chain stored with it; unknown on chains that compute it from
	// the multiplier.
	BaseFee Optional[GasPrice] `json:"base_fee,omitzero"`
}

// StoredMultiplierOf returns a source's multiplier without the hash of the block.
func StoredMultiplierOf(m AtBlock[Multiplier]) StoredMultiplier {
	return StoredMultiplier{At: m.At, Value: m.Value}
}
