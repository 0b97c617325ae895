package metadata

import (
	"errors"
	"fmt"
	"maps"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// TypeID is the number of a type in its metadata.
type TypeID uint32

// Metadata is a runtime's description of itself.
type Metadata struct {
	Version   uint8
	Types     []Type // by their ID; none in version 13
	Pallets   []Pallet
	Extrinsic Extrinsic
}

// Pallet is a part of the runtime.
type Pallet struct {
	Name    string
	Index   uint8  // in the first byte of calls and events
	Prefix  string // of its storage, "" if none
	Storage []StorageEntry
	// Calls, Events and Errors are the types of each, nil if none.
	Calls, Events, Errors *TypeID
	Constants             []Constant
}

// StorageEntry is an item of a pallet's storage.
type StorageEntry struct {
	Name    string
	Default []byte // the value if nothing is stored
	// Optional reports that a missing value is read as nothing rather than as the default.
	Optional bool
	// Hashers has one element for each key of a map; none if the item is not a map.
	Hashers []Hasher
	Key     TypeID // of a map; a tuple if there are several hashers
	Value   TypeID // meaningless in version 13, like Key
}

// Hasher defines how a key of a map is encoded in the storage key.
type Hasher uint8

// The hashers, by their numbers in the metadata.
const (
	Blake2_128 Hasher = iota
	Blake2_256
	Blake2_128Concat
	Twox128
	Twox256
	Twox64Concat
	Identity
	hasherCount
)

// Constant is a constant of a pallet, encoded.
type Constant struct {
	Name  string
	Type  TypeID // meaningless in version 13
	Value []byte
}

// Extrinsic describes the parts of an extrinsic.
type Extrinsic struct {
	// Address, Call and Signature are the types of these parts.
	Address, Call, Signature TypeID
	// Extensions are the extensions between signature and call, in order: those of version 0, which signed extrinsics have.
	Extensions []Extension
	// Later are the extensions of general extrinsics, by their version from 1 on. Only metadata of version 16 list them.
	Later map[uint8][]Extension
}

// ByVersion returns the extensions of each version that the metadata list.
func (x *Extrinsic) ByVersion() map[uint8][]Extension {
	versions := map[uint8][]Extension{0: x.Extensions}
	maps.Copy(versions, x.Later)
	return versions
}

// Extension is a signed extension, later called transaction extension.
type Extension struct {
	Name   string
	Type   TypeID // of the data in the extrinsic
	Signed TypeID // of the data that is only signed, not included
}

// AccountSize returns the number of bytes of the accounts that sign extrinsics, 20 or 32; 0 for any other kind.
func (m *Metadata) AccountSize() int {
	t := &m.Types[m.Extrinsic.Address]
	if t.Name() == "MultiAddress" {
		for _, v := range t.Variants {
			if v.Name == "Id" && len(v.Fields) == 1 {
				t = &m.Types[v.Fields[0].Type]
			}
		}
	}
	switch t.Name() {
	case "AccountId20", "H160":
		return chain.AddressSize
	case "AccountId32":
		return chain.LongAddressSize
	}
	return 0
}

// Typed reports whether the metadata contain the types that everything else is decoded with.
func (m *Metadata) Typed() bool { return len(m.Types) > 0 }

// RuntimeVersion is the part of the constant System.Version that identifies a runtime and its transactions.
type RuntimeVersion struct {
	SpecName           string
	SpecVersion        uint32
	TransactionVersion uint32
}

// RuntimeVersion returns the constant System.Version. It is unknown if the metadata do not contain it.
func (m *Metadata) RuntimeVersion() (v RuntimeVersion, known bool) {
	p := m.Pallet("System")
	if p == nil {
		return v, false
	}
	version := p.Constant("Version")
	if version == nil {
		return v, false
	}
	r := scale.NewReader(version.Value)
	v.SpecName = r.Text()
	r.Text() // implName
	r.U32()  // authoringVersion
	v.SpecVersion = r.U32()
	r.U32()                  // implVersion
	for range r.Length(12) { // the APIs and their versions
		r.Bytes(12)
	}
	v.TransactionVersion = r.U32()
	return v, r.Err() == nil
}

// SS58Prefix returns the constant System.SS58Prefix, the prefix of the chain's addresses. It is unknown if the
// metadata do not contain it, or if its length is neither 1 nor 2 bytes.
func (m *Metadata) SS58Prefix() (prefix uint16, known bool) {
	p := m.Pallet("System")
	if p == nil {
		return 0, false
	}
	constant := p.Constant("SS58Prefix")
	if constant == nil || len(constant.Value) == 0 || len(constant.Value) > 2 {
		return 0, false
	}
	for i, b := range constant.Value {
		prefix |= uint16(b) << (8 * i)
	}
	return prefix, true
}

// Pallet returns the pallet with a name, or nil.
func (m *Metadata) Pallet(name string) *Pallet {
	for i := range m.Pallets {
		if m.Pallets[i].Name == name {
			return &m.Pallets[i]
		}
	}
	return nil
}

// Entry returns the item of the pallet's storage with a name, or nil.
func (p *Pallet) Entry(name string) *StorageEntry {
	for i := range p.Storage {
		if p.Storage[i].Name == name {
			return &p.Storage[i]
		}
	}
	return nil
}

// Constant returns the constant of the pallet with a name, or nil.
func (p *Pallet) Constant(name string) *Constant {
	for i := range p.Constants {
		if p.Constants[i].Name == name {
			return &p.Constants[i]
		}
	}
	return nil
}

const magic = 0x6174656d // "meta"

// Parse decodes metadata in the form of a node's state_getMetadata, without hex. It reads them to the end, and
// checks that every referenced type exists.
func Parse(bytes []byte) (*Metadata, error) {
	p := parser{Reader: scale.NewReader(bytes)}
	if p.U32() != magic {
		return nil, errors.New("not metadata: they start with \"meta\"")
	}
	m := &Metadata{Version: p.U8()}
	switch {
	case p.Err() != nil:
	case m.Version < 13 || m.Version > 16:
		return nil, fmt.Errorf("metadata of version %d: want 13 to 16", m.Version)
	case m.Version == 13:
		p.metadata13(m)
	default:
		p.version = m.Version
		p.metadata(m)
	}
	if err := p.End(); err != nil {
		return nil, fmt.Errorf("metadata of version %d: %w", m.Version, err)
	}
	return m, m.check(p.named)
}
