package render

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Runtime makes answers of what a runtime encoded, for any number of goroutines at a time.
type Runtime struct {
	metadata   *metadata.Metadata
	codec      *scalejson.Codec
	records    []part          // of an event's record
	phases     [256]phase      // by the variant of a record's phase
	extensions []part          // of a signed extrinsic
	validator  metadata.TypeID // of session.validators, where there is a session
	session    bool
}

// part is a part of a record or of a signature.
type part struct {
	name string
	of   metadata.TypeID
}

// NewRuntime compiles a runtime's metadata.
func NewRuntime(m *metadata.Metadata) (*Runtime, error) {
	if len(m.Types) == 0 {
		return nil, fmt.Errorf("metadata of version %d do not have the types of their runtime, without which nothing can be decoded", m.Version)
	}
	address := &m.Types[m.Extrinsic.Address]
	if name := address.Name(); name != "AccountId20" && name != "H160" {
		return nil, fmt.Errorf("accounts of this runtime are %v, and not of 20 bytes", address.Path)
	}
	r := &Runtime{metadata: m, codec: scalejson.New(m)}
	for _, e := range m.Extrinsic.Extensions {
		r.extensions = append(r.extensions, part{e.Name, e.Type})
	}
	if err := r.readRecords(); err != nil {
		return nil, err
	}
	if p := m.Pallet("Session"); p != nil {
		e := p.Entry("Validators")
		if e == nil || m.Types[e.Value].Kind != metadata.Sequence {
			return nil, fmt.Errorf("this runtime has a pallet Session without a list of Validators")
		}
		r.session, r.validator = true, m.Types[e.Value].Element
	}
	return r, nil
}

// Session tells whether a block's author is found by the list of session.validators.
func (r *Runtime) Session() bool { return r.session }

// Metadata is the answer of /runtime/metadata, of the metadata that the runtime was made of.
func (r *Runtime) Metadata(bytes []byte) ([]byte, error) { return r.codec.Metadata(bytes) }

// readRecords finds what System.Events are made of.
func (r *Runtime) readRecords() error {
	m := r.metadata
	var events *metadata.StorageEntry
	if p := m.Pallet("System"); p != nil {
		events = p.Entry("Events")
	}
	if events == nil || m.Types[events.Value].Kind != metadata.Sequence {
		return fmt.Errorf("this runtime has no list of System.Events")
	}
	for _, f := range m.Types[m.Types[events.Value].Element].Fields {
		r.records = append(r.records, part{f.Name, f.Type})
	}
	if len(r.records) < 2 || r.records[0].name != "phase" || r.records[1].name != "event" {
		return fmt.Errorf("records of this runtime's events do not begin with phase and event")
	}
	for _, v := range m.Types[r.records[0].of].Variants {
		p, known := map[string]phase{"ApplyExtrinsic": applying, "Finalization": finalizing, "Initialization": initializing}[v.Name]
		if !known || (p == applying) != (len(v.Fields) == 1 && m.Types[v.Fields[0].Type].Is() && m.Types[v.Fields[0].Type].Primitive == metadata.U32) {
			return fmt.Errorf("no phase of an event is known that is like %s", v.Name)
		}
		r.phases[v.Index] = p
	}
	return nil
}
