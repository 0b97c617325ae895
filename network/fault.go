package network

import (
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Fault is something that a runtime of a known network got wrong when it charged. Another
// one may have it, too, though its table does not say so.
type Fault struct {
	PriceUncapped    bool          // see [Rules.PriceCapped]
	WeightCorrection chain.RefTime // else: see [Rules.WeightCorrection]
	Where            []string      // which runtimes of which networks
}

// Apply gives the rules the fault. It is false where they have one of its kind.
func (f Fault) Apply(r Rules) (_ Rules, applied bool) {
	if f.PriceUncapped {
		applied, r.PriceCapped = r.PriceCapped, false
		return r, applied
	}
	applied, r.WeightCorrection = r.WeightCorrection.IsZero(), f.WeightCorrection
	return r, applied
}

// withFaults adds those that a network's rows tell of.
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
		if !slices.ContainsFunc(list[i].Where, of) { // another row of the network may have told already
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
