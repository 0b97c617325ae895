package report

import (
	"cmp"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// subtotal contains the sums of a group while the report is made. There may be very many, of which few are listed.
type subtotal struct {
	id
	time   *Key // of a group of time
	number int  // counted from 1
	sums   ledger.Sums
	worth  *worth // nil without prices
	assets fee.AssetTotals
}

// add adds sums of transactions with the same price.
func (a *adder) add(t *subtotal, s *ledger.Sums, at chain.Optional[chain.Time]) error {
	if v := a.valuer; v != nil {
		added := worth{fee: money.Value(v, s.Fee, at)}
		if s.Uncharged == 0 {
			added.charged = money.Value(v, s.Charged, at)
		}
		*t.worth = t.worth.plus(added)
	}
	return t.sums.Add(s)
}

// join adds another group.
func (t *subtotal) join(x *subtotal) error {
	if x.worth != nil {
		*t.worth = t.worth.plus(*x.worth)
	}
	return cmp.Or(t.sums.Add(&x.sums), t.assets.Join(x.assets))
}

// joinAll adds other groups.
func (t *subtotal) joinAll(list []*subtotal) error {
	for _, x := range list {
		if err := t.join(x); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the figures, with percentiles of the gas price by number of the group.
func (t *subtotal) figures(prices []percentiles) Figures {
	f := figuresOf(&t.sums)
	if t.number < len(prices) {
		f = f.with(prices[t.number])
	}
	if t.worth != nil {
		f = f.valued(*t.worth)
	}
	return f
}

// groupOf makes the group of a subtotal.
func (a *adder) groupOf(t *subtotal, prices []percentiles) *Group {
	g := &Group{Figures: t.figures(prices), AssetFees: t.assets}
	if t.time != nil {
		g.Key = *t.time
	} else {
		g.Key = a.request.By.key(&t.id, &a.words)
	}
	for _, address := range []chain.Optional[chain.Address]{g.Account, g.Contract} {
		if address.Known() {
			g.Label, g.InGroup = a.request.Labels.LabelOf(address), a.request.Labels.GroupOf(address)
		}
	}
	if a.request.Compared {
		g.sums = &t.sums
	}
	return g
}

// newSubtotal adds a group.
func (a *adder) newSubtotal(of id) *subtotal {
	t := next(&a.free)
	t.id, t.number, t.worth = of, len(a.list)+1, a.nothing()
	a.list = append(a.list, t)
	return t
}

// nothing returns the worth of no transactions, nil without prices.
func (a *adder) nothing() *worth {
	if a.valuer == nil {
		return nil
	}
	none := a.request.nothing()
	return &none
}

// ranked returns some of the groups in the order of their fees, highest first, and the subtotals of the others. Groups are
// made only of those, and of what has the same fee as the first or the last of them.
func (a *adder) ranked(w Window, prices []percentiles) (groups []*Group, others []*subtotal) {
	type ranked struct {
		fee chain.Wei // beside the subtotal, which is large
		of  *subtotal
		*Group
	}
	list := make([]ranked, len(a.list))
	for i, t := range a.list {
		list[i] = ranked{fee: t.sums.Fee, of: t}
	}
	slices.SortFunc(list, func(x, y ranked) int { return y.fee.Cmp(x.fee) })
	first := min(w.After, len(list))
	last := min(first+w.Count, len(list))
	from, to := first, last
	for ; first < last && from > 0 && list[from-1].fee == list[first].fee; from-- {
	}
	for ; first < last && to < len(list) && list[to].fee == list[last-1].fee; to++ {
	}
	some := list[from:to]
	for i := range some {
		some[i].Group = a.groupOf(some[i].of, prices)
	}
	slices.SortFunc(some, func(x, y ranked) int {
		return cmp.Or(y.fee.Cmp(x.fee), a.request.By.compare(x.Group, y.Group))
	})
	for i, x := range list {
		if i >= first && i < last {
			groups = append(groups, x.Group)
		} else {
			others = append(others, x.of)
		}
	}
	return groups, others
}

// unlisted describes subtotals.
func (a *adder) unlisted(list []*subtotal) Unlisted {
	u := Unlisted{Groups: len(list)}
	labels := a.request.Labels
	for _, t := range list {
		if u.Highest.Cmp(t.sums.Fee) < 0 {
			u.Highest = t.sums.Fee
		}
		u.Labelled = u.Labelled || a.request.By == Label && t.words != 0
		u.Grouped = u.Grouped || a.request.By == InGroup && t.words != 0
		u.OtherThanCharged = u.OtherThanCharged || t.sums.Uncharged > 0 || t.sums.Charged != t.sums.Fee
		if address := chain.Some(t.address); t.addressed && labels != nil {
			u.Labelled = u.Labelled || labels.LabelOf(address).Known()
			u.Grouped = u.Grouped || labels.GroupOf(address).Known()
		}
	}
	return u
}
