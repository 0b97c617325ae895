package state

import (
	"strings"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// Member is a call, an event, a storage item or a constant of a pallet.
type Member struct {
	Name string // including the pallet, such as balances.transferAllowDeath
	Type string // the type of its arguments, data or keys and value
	Docs string // the first line
}

// Calls lists the calls of a pallet, or all for "".
func (v *View) Calls(pallet string) ([]Member, error) {
	return v.each(pallet, func(p *metadata.Pallet) []Member { return v.variants(p, p.Calls, scalejson.CamelCase) })
}

// Events lists the events of a pallet, or all for "".
func (v *View) Events(pallet string) ([]Member, error) {
	return v.each(pallet, func(p *metadata.Pallet) []Member {
		return v.variants(p, p.Events, func(name string) string { return name })
	})
}

// Storage lists the storage items of a pallet, or all for "".
func (v *View) Storage(pallet string) ([]Member, error) {
	m := v.Runtime.Metadata()
	return v.each(pallet, func(p *metadata.Pallet) (list []Member) {
		for i := range p.Storage {
			e := &p.Storage[i]
			kind := m.Describe(e.Value)
			if len(e.Hashers) > 0 {
				kind = m.Describe(e.Key) + " → " + kind
			}
			list = append(list, Member{Name: scalejson.CamelCase(p.Name) + "." + scalejson.CamelCase(e.Name), Type: kind})
		}
		return list
	})
}

// Constants lists the constants of a pallet, or all for "".
func (v *View) Constants(pallet string) ([]Member, error) {
	return v.each(pallet, func(p *metadata.Pallet) (list []Member) {
		for _, c := range p.Constants {
			list = append(list, Member{Name: scalejson.CamelCase(p.Name) + "." + scalejson.CamelCase(c.Name), Type: v.Runtime.Metadata().Describe(c.Type)})
		}
		return list
	})
}

func (v *View) each(pallet string, of func(*metadata.Pallet) []Member) (list []Member, err error) {
	m := v.Runtime.Metadata()
	if pallet != "" {
		p, err := extrinsic.FindPallet(m, pallet)
		if err != nil {
			return nil, err
		}
		return of(p), nil
	}
	for i := range m.Pallets {
		list = append(list, of(&m.Pallets[i])...)
	}
	return list, nil
}

func (v *View) variants(p *metadata.Pallet, id *metadata.TypeID, spelled func(string) string) (list []Member) {
	if id == nil {
		return nil
	}
	m := v.Runtime.Metadata()
	for _, variant := range m.Types[*id].Variants {
		parts := make([]string, len(variant.Fields))
		for i, f := range variant.Fields {
			if parts[i] = m.Describe(f.Type); f.Name != "" {
				parts[i] = f.Name + ": " + parts[i]
			}
		}
		member := Member{Name: scalejson.CamelCase(p.Name) + "." + spelled(variant.Name), Type: strings.Join(parts, ", ")}
		if len(variant.Docs) > 0 {
			member.Docs = strings.TrimSpace(variant.Docs[0])
		}
		list = append(list, member)
	}
	return list
}
