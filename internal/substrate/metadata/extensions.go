package metadata

import (
	"slices"
	"strings"
)

// Role is the meaning of a value in the extensions of an extrinsic.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	Nonce       // of the signer
	Tip
	Era   // in which the extrinsic is valid
	Asset // in which the fee is paid, none for the chain's own token
)

// Part is a part of the data of an extension.
type Part struct {
	Role Role
	Type TypeID
}

// Parts splits the data of each extension into its consecutive parts, so that nonce, tip, era and asset are parts of their
// own, each at most once in all extensions. An extension without them is one part.
//
// The types of the extensions decide, then their identifiers, then the names of fields. Each role is the first value, in the
// order of encoding, that fits the first of these that finds one:
//
//  1. the era has the type sp_runtime::generic::era::Era; the nonce is the integer of a type named CheckNonce; the tip is
//     the integer, and the asset the option, of a type named Charge…Payment;
//  2. nonce, tip and asset are the same in an extension whose identifier is such a name;
//  3. the tip is an integer in a field named tip, the asset an option in a field named asset_id.
//
// If a type has filled fields, those for 1 and 2 are named nonce, tip and asset_id. Structs and tuples are searched, enums
// are not: wrappers such as StorageWeightReclaim, with all other extensions inside, are structs. Parts leaves out what it
// finds in none of these ways.
//
// Source: polkadot-sdk, frame system, CheckNonce and CheckMortality; pallets transaction-payment, asset-tx-payment and
// asset-conversion-tx-payment.
func (m *Metadata) Parts(extensions []Extension) [][]Part {
	var found []target
	for step := byType; step <= byField; step++ {
		for i := range values {
			v := &values[i]
			if slices.ContainsFunc(found, func(t target) bool { return t.role == v.role }) {
				continue
			}
			for at, e := range extensions {
				s := search{m, v, step, map[place]bool{}}
				path, ok := s.find(place{id: e.Type, inside: step == byIdentifier && v.holds(e.Name)})
				if ok && !slices.ContainsFunc(found, func(t target) bool { return t.extension == at && slices.Equal(t.path, path) }) {
					found = append(found, target{at, path, v.role})
					break
				}
			}
		}
	}
	parts := make([][]Part, len(extensions))
	for at, e := range extensions {
		inside := slices.DeleteFunc(slices.Clone(found), func(t target) bool { return t.extension != at })
		parts[at] = m.split(nil, e.Type, inside)
	}
	return parts
}

// value describes how the value of a role is recognised.
type value struct {
	role    Role
	holds   func(name string) bool // the type or the extension that contains it
	is      func(*Type) bool
	field   string
	byField bool // the field's name is enough
}

var values = [...]value{
	{Nonce, func(name string) bool { return name == "CheckNonce" }, isInteger, "nonce", false},
	{Tip, isCharge, isInteger, "tip", true},
	{Era, func(string) bool { return false }, isEra, "", false},
	{Asset, isCharge, isOption, "asset_id", true},
}

func isCharge(name string) bool {
	return strings.HasPrefix(name, "Charge") && strings.HasSuffix(name, "Payment")
}

func isInteger(t *Type) bool {
	return t.Kind == Compact || t.Kind == Primitive && t.Primitive >= U8 && t.Primitive <= U256
}

func isOption(t *Type) bool {
	return t.Is("Option") && t.Kind == Variant && len(t.Variants) == 2 && len(t.Variants[1].Fields) == 1
}

func isEra(t *Type) bool { return t.Is("sp_runtime", "generic", "era", "Era") }

// target is a value that was found: the extension, and the position of the field at each level of its type.
type target struct {
	extension int
	path      []int
	role      Role
}

// step is a way to recognise a value.
type step int

const (
	byType step = iota
	byIdentifier
	byField
)

// search finds the value of one role.
type search struct {
	*Metadata
	value *value
	step  step
	seen  map[place]bool // without the value
}

// place is a type within an extension.
type place struct {
	id     TypeID
	inside bool   // a type or an extension that holds the value
	field  string // the name of the field, "" for the only one
}

const unnamed = "-" // one of filled fields without a name

// find returns the path from a place to the value.
func (s *search) find(p place) (path []int, ok bool) {
	t := &s.Types[p.id]
	if s.step == byType && s.value.holds(t.Name()) {
		p.inside, p.field = true, ""
	}
	if s.value.is(t) && s.fits(p) {
		return nil, true
	}
	if s.seen[p] {
		return nil, false
	}
	s.seen[p] = true
	fields := t.parts()
	filled := 0
	for _, f := range fields {
		if !s.Types[f.Type].void() {
			filled++
		}
	}
	for i, f := range fields {
		next := place{f.Type, p.inside, p.field}
		switch {
		case f.Name != "":
			next.field = f.Name
		case filled > 1:
			next.field = unnamed
		}
		if path, ok := s.find(next); ok {
			return append([]int{i}, path...), true
		}
	}
	return nil, false
}

// fits reports whether a value of the right type has the role.
func (s *search) fits(p place) bool {
	switch {
	case s.value.role == Era:
		return s.step == byType
	case s.step == byField:
		return s.value.byField && p.field == s.value.field
	}
	return p.inside && (p.field == "" || p.field == s.value.field)
}

// parts returns the fields of a struct or a tuple, which are encoded one after the other; none of another type.
func (t *Type) parts() []Field {
	switch t.Kind {
	case Composite:
		return t.Fields
	case Tuple:
		fields := make([]Field, len(t.Elements))
		for i, id := range t.Elements {
			fields[i].Type = id
		}
		return fields
	}
	return nil
}

// split appends the parts of a type.
func (m *Metadata) split(to []Part, id TypeID, found []target) []Part {
	if len(found) == 0 {
		return append(to, Part{NoRole, id})
	}
	if len(found[0].path) == 0 {
		return append(to, Part{found[0].role, id})
	}
	for i, f := range m.Types[id].parts() {
		var inside []target
		for _, t := range found {
			if t.path[0] == i {
				t.path = t.path[1:]
				inside = append(inside, t)
			}
		}
		to = m.split(to, f.Type, inside)
	}
	return to
}
