package extrinsic

import (
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Runtime builds and decodes the extrinsics of a runtime. It is safe for concurrent use.
type Runtime struct {
	metadata *metadata.Metadata
	codec    *scalejson.Codec
	encoder  *scalejson.Encoder
	token    Token
	signers  signers
	parts    map[uint8][][]metadata.Part // of extensions, by their version
}

// Token defines the notation for amounts of a chain's token: 1.5GLMR.
type Token struct {
	Symbol   string // "" if unknown: then amounts are integers only
	Decimals int
}

// NewRuntime compiles a runtime's metadata, to build and decode extrinsics. The runtime's accounts must have 20 bytes.
func NewRuntime(m *metadata.Metadata, token Token) (*Runtime, error) {
	r, err := NewReader(m, token)
	if err == nil && r.signers != signers20 {
		return nil, errors.New("accounts of this runtime are not of 20 bytes: " + m.Describe(m.Extrinsic.Address))
	}
	return r, err
}

// NewReader compiles a runtime's metadata, to decode extrinsics. Accounts may also have 32 bytes: extrinsics of such
// runtimes cannot be encoded.
func NewReader(m *metadata.Metadata, token Token) (*Runtime, error) {
	if !m.Typed() {
		return nil, fmt.Errorf("metadata of version %d do not contain the runtime's types, so extrinsics cannot be built or decoded", m.Version)
	}
	kind, err := signersOf(m)
	if err != nil {
		return nil, err
	}
	parts := map[uint8][][]metadata.Part{}
	for version, list := range m.Extrinsic.ByVersion() {
		parts[version] = m.Parts(list)
	}
	return &Runtime{m, scalejson.New(m), scalejson.NewEncoder(m), token, kind, parts}, nil
}

// Contains reports whether signed extrinsics contain a value with a role.
func (r *Runtime) Contains(role metadata.Role) bool {
	return slices.ContainsFunc(slices.Concat(r.parts[0]...), func(p metadata.Part) bool { return p.Role == role })
}

// Metadata returns the metadata that the runtime was created with.
func (r *Runtime) Metadata() *metadata.Metadata { return r.metadata }

// extension defines the values of a known extension besides nonce, tip, era and asset: its JSON in the extrinsic, and its
// JSON in the signed data. Extensions without bytes need no row.
type extension struct {
	name   string
	inside func(*Signing) string
	signed func(*Signing) string
}

var extensions = []extension{
	{name: "CheckSpecVersion", signed: func(s *Signing) string { return fmt.Sprint(s.SpecVersion) }},
	{name: "CheckTxVersion", signed: func(s *Signing) string { return fmt.Sprint(s.TransactionVersion) }},
	{name: "CheckGenesis", signed: func(s *Signing) string { return quoted(s.Genesis) }},
	{name: "CheckMortality", signed: func(s *Signing) string { return quoted(s.Birth) }},
	{name: "CheckEra", signed: func(s *Signing) string { return quoted(s.Birth) }},
	{
		name: "CheckMetadataHash",
		inside: func(s *Signing) string {
			if s.BindsMetadata {
				return `{"mode":"` + metadataHashEnabled + `"}`
			}
			return `{"mode":"Disabled"}`
		},
		signed: func(s *Signing) string {
			if s.BindsMetadata {
				return quoted(s.MetadataHash)
			}
			return "null"
		},
	},
}

func quoted(text fmt.Stringer) string { return `"` + text.String() + `"` }

const metadataHashEnabled = "Enabled" // the mode in which the hash is signed

// extensionNamed returns the known values of an extension; empty if there are none.
func extensionNamed(name string) extension {
	i := slices.IndexFunc(extensions, func(e extension) bool { return e.name == name })
	if i < 0 {
		return extension{name: name}
	}
	return extensions[i]
}

// empty reports whether values of a type have no bytes.
func (r *Runtime) empty(id metadata.TypeID) bool { return r.emptyBelow(id, 0) }

func (r *Runtime) emptyBelow(id metadata.TypeID, depth int) bool {
	const most = 16
	t := &r.metadata.Types[id]
	switch {
	case depth > most:
		return false
	case t.Kind == metadata.Composite:
		return !slices.ContainsFunc(t.Fields, func(f metadata.Field) bool { return !r.emptyBelow(f.Type, depth+1) })
	case t.Kind == metadata.Tuple:
		return !slices.ContainsFunc(t.Elements, func(id metadata.TypeID) bool { return !r.emptyBelow(id, depth+1) })
	}
	return t.Kind == metadata.Array && t.Length == 0
}

// Value writes a value of a type in Sidecar's form.
func (r *Runtime) Value(w *scalejson.Writer, id metadata.TypeID) { r.codec.Value(w, id) }
