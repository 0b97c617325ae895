package extrinsic

import (
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Runtime makes and reads the extrinsics of a runtime, for any number of goroutines at a time.
type Runtime struct {
	metadata *metadata.Metadata
	codec    *scalejson.Codec
	encoder  *scalejson.Encoder
	token    Token
}

// Token is how amounts of a chain's token are written: 1.5GLMR.
type Token struct {
	Symbol   string // "" where it is not known: then amounts are integers alone
	Decimals int
}

// NewRuntime compiles a runtime's metadata.
func NewRuntime(m *metadata.Metadata, token Token) (*Runtime, error) {
	if !m.Typed() {
		return nil, fmt.Errorf("metadata of version %d do not have the types of their runtime, without which no extrinsic can be made or read", m.Version)
	}
	if name := m.Types[m.Extrinsic.Address].Name(); name != "AccountId20" && name != "H160" {
		return nil, errors.New("accounts of this runtime are not of 20 bytes: " + m.Describe(m.Extrinsic.Address))
	}
	return &Runtime{m, scalejson.New(m), scalejson.NewEncoder(m), token}, nil
}

// Metadata are those that the runtime was made of.
func (r *Runtime) Metadata() *metadata.Metadata { return r.metadata }

// extensions are those that a value is known for, and what it is: as JSON in the extrinsic, and
// as JSON in what is signed with it. What has no bytes needs no row.
type extension struct {
	name   string
	inside func(*Signing) string
	signed func(*Signing) string
}

var extensions = []extension{
	{name: "CheckSpecVersion", signed: func(s *Signing) string { return fmt.Sprint(s.SpecVersion) }},
	{name: "CheckTxVersion", signed: func(s *Signing) string { return fmt.Sprint(s.TransactionVersion) }},
	{name: "CheckGenesis", signed: func(s *Signing) string { return quoted(s.Genesis) }},
	{name: "CheckMortality", inside: func(s *Signing) string { return s.Era.json() }, signed: func(s *Signing) string { return quoted(s.Birth) }},
	{name: "CheckEra", inside: func(s *Signing) string { return s.Era.json() }, signed: func(s *Signing) string { return quoted(s.Birth) }},
	{name: "CheckNonce", inside: func(s *Signing) string { return fmt.Sprint(s.Nonce) }},
	{name: "ChargeTransactionPayment", inside: func(s *Signing) string { return quoted(s.Tip) }},
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

// extensionNamed is what is known of an extension, nothing where that is nothing.
func extensionNamed(name string) extension {
	i := slices.IndexFunc(extensions, func(e extension) bool { return e.name == name })
	if i < 0 {
		return extension{name: name}
	}
	return extensions[i]
}

// empty tells whether values of a type have no bytes.
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

// Value writes a value of a type as Sidecar does.
func (r *Runtime) Value(w *scalejson.Writer, id metadata.TypeID) { r.codec.Value(w, id) }
