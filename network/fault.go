package network

import (
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Fault is a charging error of a runtime of a known network. Other runtimes may have it too, even if their
// tables do not list it.
type Fault struct {
	PriceUncapped    bool          // see [Rules.PriceCapped]
	WeightCorrection chain.RefTime // otherwise: see [Rules.WeightCorrection]
	Where            []string      // the affected runtimes of each network
}

// Apply adds the fault to the rules. It returns false if they already have a fault of this kind.
func (f Fault) Apply(r Rules) (_ Rules, applied bool) {
	if f.PriceUncapped {
		applied, r.PriceCapped = r.PriceCapped, false
		return r, applied
	}
	applied, r.WeightCorrection = r.WeightCorrection.IsZero(), f.WeightCorrection
	return r, applied
}

// withFaults adds the faults in a network's rows to the list.
func withFaults(list []Fault, n *Network) []Fault {
	list = slices.Clone(list)
	add := func(f Fault, has func(*Rules) bool) {
		same := func(x Fault) bool {
			return x.PriceUncapped == f.PriceUncapped && x.WeightCorrection == f.WeightCorrection
		}
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, f)
		}
		of := func(where string) bool { return strings.HasPrefix(where, n.Name+" ") }
		if !slices.ContainsFunc(list[i].Where, of) { // an earlier row of the network may have added it
			list[i].Where = append(slices.Clip(list[i].Where), n.Name+" "+n.Where(has))
		}
	}
	for _, row := range n.Rows {
		if row.PriceUncapped {
			add(Fault{PriceUncapped: true}, func(r *Rules) bool { return !r.PriceCapped })
		}
		if c := row.WeightCorrection; !c.IsZero() {
			add(Fault{WeightCorrection: c}, func(r *Rules) bool { return r.WeightCorrection == c })
		}
	}
	return list
}
