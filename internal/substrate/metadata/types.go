package metadata

import "fmt"

// Kind is the kind of a type.
type Kind uint8

// The kinds, by their numbers in the metadata.
const (
	Composite Kind = iota // fields
	Variant               // one of several variants
	Sequence              // any number of elements
	Array                 // a fixed number of elements
	Tuple                 // several types
	Primitive
	Compact // a compact integer
	Bits    // a sequence of bits
	kindCount
)

// PrimitiveKind is a primitive type.
type PrimitiveKind uint8

// The primitive types, by their numbers in the metadata.
const (
	Bool PrimitiveKind = iota
	Char
	Str
	U8
	U16
	U32
	U64
	U128
	U256
	I8
	I16
	I32
	I64
	I128
	I256
	primitiveCount
)

// Type is one type. The fields in use depend on its kind.
type Type struct {
	Path       []string // modules, then the type's name; empty if it has none
	Parameters []Parameter
	Kind       Kind
	Fields     []Field       // of a Composite
	Variants   []VariantOf   // of a Variant
	Element    TypeID        // of a Sequence, an Array and a Compact; of Bits, the storage type
	Length     uint32        // of an Array
	Elements   []TypeID      // of a Tuple
	Primitive  PrimitiveKind // of a Primitive
	Order      TypeID        // of Bits
}

// Parameter is a parameter of a generic type.
type Parameter struct {
	Name string
	Type *TypeID // nil if not specified
}

// Field is a field of a Composite or of a variant.
type Field struct {
	Name     string // "" if none
	Type     TypeID
	TypeName string // the name in the source, "" if not specified
}

// VariantOf is one variant of a Variant.
type VariantOf struct {
	Name   string
	Index  uint8 // its first byte
	Fields []Field
	Docs   []string // lines
}

// Name returns the last part of the type's path, "" if none.
func (t *Type) Name() string {
	if len(t.Path) == 0 {
		return ""
	}
	return t.Path[len(t.Path)-1]
}

// Is reports whether the type has this path.
func (t *Type) Is(path ...string) bool {
	if len(t.Path) != len(path) {
		return false
	}
	for i := range path {
		if t.Path[i] != path[i] {
			return false
		}
	}
	return true
}

// check verifies that each referenced type exists, and that no pallet or variant is duplicated.
func (m *Metadata) check(named []TypeID) error {
	for _, id := range named {
		if int(id) >= len(m.Types) {
			return fmt.Errorf("metadata of version %d refer to type %d but contain %d types", m.Version, id, len(m.Types))
		}
	}
	pallets := map[uint8]string{}
	for i := range m.Pallets {
		p := &m.Pallets[i]
		if other, twice := pallets[p.Index]; twice {
			return fmt.Errorf("metadata of version %d: the pallets %s and %s both have index %d", m.Version, other, p.Name, p.Index)
		}
		pallets[p.Index] = p.Name
	}
	for id := range m.Types {
		seen := [256]bool{}
		for _, v := range m.Types[id].Variants {
			if seen[v.Index] {
				return fmt.Errorf("metadata of version %d: type %d has two variants of index %d", m.Version, id, v.Index)
			}
			seen[v.Index] = true
		}
	}
	return nil
}
