package block

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Records is the structure of System.Events.
type Records struct {
	// Rest are the types of what follows the event in a record: its topics.
	Rest   []metadata.TypeID
	phases [256]phase // by the variant of a record's phase
}

// phase is the phase of a block in which an event occurred.
type phase uint8

const (
	_ phase = iota
	applying
	finalizing
	initializing
)

// ReadRecords determines the structure of a runtime's System.Events.
func ReadRecords(m *metadata.Metadata) (*Records, error) {
	var events *metadata.StorageEntry
	if p := m.Pallet("System"); p != nil {
		events = p.Entry("Events")
	}
	if events == nil || m.Types[events.Value].Kind != metadata.Sequence {
		return nil, fmt.Errorf("this runtime has no list of System.Events")
	}
	fields := m.Types[m.Types[events.Value].Element].Fields
	if len(fields) < 2 || fields[0].Name != "phase" || fields[1].Name != "event" {
		return nil, fmt.Errorf("event records of this runtime do not start with phase and event")
	}
	r := &Records{}
	for _, f := range fields[2:] {
		r.Rest = append(r.Rest, f.Type)
	}
	for _, v := range m.Types[fields[0].Type].Variants {
		p, known := map[string]phase{"ApplyExtrinsic": applying, "Finalization": finalizing, "Initialization": initializing}[v.Name]
		if !known || (p == applying) != (len(v.Fields) == 1 && m.Types[v.Fields[0].Type].Is() && m.Types[v.Fields[0].Type].Primitive == metadata.U32) {
			return nil, fmt.Errorf("unknown event phase %s", v.Name)
		}
		r.phases[v.Index] = p
	}
	return r, nil
}

// Phase reads the phase at the start of a record in a block of that many extrinsics. It returns the index of the
// extrinsic that emitted the event, or extrinsics for an event before the first one, or extrinsics + 1 for one after
// the last.
func (r *Records) Phase(from *scale.Reader, extrinsics int) int {
	switch r.phases[from.U8()] {
	case initializing:
		return extrinsics
	case finalizing:
		return extrinsics + 1
	case applying:
		i := from.U32()
		if from.Err() == nil && uint64(i) >= uint64(extrinsics) {
			from.Fail("an event belongs to extrinsic %d, but the block has %d", i, extrinsics)
		}
		return int(i)
	}
	from.Fail("an event has an unknown phase")
	return 0
}
