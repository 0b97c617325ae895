package render

import (
	"fmt"
	"slices"
	"sync"

	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Runtime builds responses from data encoded by a runtime. It is safe for concurrent use.
type Runtime struct {
	metadata   *metadata.Metadata
	codec      *scalejson.Codec
	records    *block.Records
	extensions map[uint8][]metadata.Part // of an extrinsic, by their version
	validator  metadata.TypeID           // of session.validators, if there is a session
	session    bool

	remembering sync.RWMutex
	items       map[[2]string]*Item // without keys, by the requested pallet and name
}

// NewRuntime compiles a runtime's metadata.
func NewRuntime(m *metadata.Metadata) (*Runtime, error) {
	if len(m.Types) == 0 {
		return nil, fmt.Errorf("metadata of version %d do not contain the runtime's types, so nothing can be decoded", m.Version)
	}
	if m.AccountSize() == 0 {
		return nil, fmt.Errorf("accounts of this runtime are %v, want 20 or 32 bytes", m.Types[m.Extrinsic.Address].Path)
	}
	r := &Runtime{metadata: m, codec: scalejson.New(m), extensions: map[uint8][]metadata.Part{}, items: map[[2]string]*Item{}}
	for version, list := range m.Extrinsic.ByVersion() {
		r.extensions[version] = slices.Concat(m.Parts(list)...)
	}
	var err error
	if r.records, err = block.ReadRecords(m); err != nil {
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

// Decoder returns the decoder of blocks that the runtime executed.
func (r *Runtime) Decoder() (*block.Decoder, error) {
	return block.NewDecoder(r.metadata, r.records, r.codec)
}

// Session reports whether a block's author is determined from the list in session.validators.
func (r *Runtime) Session() bool { return r.session }

// Metadata returns the response of /runtime/metadata, from the metadata that the runtime was created with.
func (r *Runtime) Metadata(bytes []byte) ([]byte, error) { return r.codec.Metadata(bytes) }
