package report

import (
	"io"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// document is the report as JSON. Amounts are decimal strings in wei; unknown values are null.
type document struct {
	By       By                `json:"by"`
	Network  string            `json:"network"`
	Symbol   string            `json:"symbol"`
	Period   period            `json:"period"`
	Coverage coverage          `json:"coverage"`
	Evidence evidence.Evidence `json:"evidence"` // of the stored blocks
	Accounts []string          `json:"accounts"` // null for all
	Only     Only              `json:"only"`     // null for all transactions
	Prices   *money.Basis      `json:"prices"`   // null without amounts in a currency
	Rules    []string          `json:"rules"`
}

// ending contains the fields after the groups, which are written one by one.
type ending struct {
	Totals    jsontext.Record `json:"totals"`
	AssetFees fee.AssetTotals `json:"asset_fees,omitempty"` // in no total
	Notes     []string        `json:"notes"`
}

// period is the requested period: heights, both included, or a time from From up to but excluding
// To.
type period struct {
	Name     string                     `json:"name"`
	Timezone string                     `json:"timezone"`
	First    chain.Optional[uint64]     `json:"first"`
	Last     chain.Optional[uint64]     `json:"last"`
	From     chain.Optional[chain.Time] `json:"from"`
	To       chain.Optional[chain.Time] `json:"to"`
}

// coverage is the range of stored blocks in the period. From and To are the part of a period of times whose blocks are
// stored.
type coverage struct {
	Complete bool                       `json:"complete"`
	First    chain.Optional[uint64]     `json:"first"`
	Last     chain.Optional[uint64]     `json:"last"`
	From     chain.Optional[chain.Time] `json:"from"`
	To       chain.Optional[chain.Time] `json:"to"`
	Lacks    []string                   `json:"lacks"`
}

func (r *Report) objectOf(columns []column, g *Group) (o jsontext.Record) {
	for _, c := range columns {
		value := c.value(g)
		if account, ok := value.(chain.Optional[chain.Address]); ok {
			value = r.AccountOf(account)
		}
		o = append(o, jsontext.Field{c.Name, value})
	}
	return o
}

// writeJSON writes the report as one object, group by group.
func (r *Report) writeJSON(w io.Writer) error {
	out := jsontext.NewStream(w, false)
	out.Members(r.document())
	out.List("groups", r.groups)
	out.Members(ending{r.objectOf(r.figureColumns(), &Group{Figures: r.Totals}), r.AssetFees, append([]string{}, r.Notes...)})
	return out.Close()
}

// document returns the fields before the groups.
func (r *Report) document() document {
	return document{
		By: r.By, Network: r.Network, Symbol: r.Symbol, Period: r.period(), Coverage: r.coverage(), Evidence: r.Evidence, Accounts: r.accounts(), Only: r.Only, Prices: r.basis(),
		Rules: append([]string{}, r.Rules...),
	}
}

// groups returns the groups as JSON.
func (r *Report) groups(yield func([]byte, error) bool) {
	columns := r.columns()
	for _, g := range r.Groups {
		text, err := jsontext.Indented(r.objectOf(columns, g), jsontext.ElementPrefix)
		if !yield(text, err) {
			return
		}
	}
}

func (r *Report) period() (p period) {
	p.Name, p.Timezone = r.Name, r.Zone.String()
	if span, ok := r.Period.Heights.Get(); ok {
		p.First, p.Last = ends(span)
	} else {
		p.From, p.To = chain.Some(r.Period.From), chain.Some(r.Period.To)
	}
	return p
}

func (r *Report) coverage() (c coverage) {
	c.Complete, c.Lacks = len(r.Cover.Lacks) == 0, append([]string{}, r.Cover.Lacks...)
	if span, ok := r.Cover.Span.Get(); ok {
		c.First, c.Last = ends(span)
	}
	if p := r.Period; !p.Heights.Known() {
		c.From, c.To = r.Cover.Known.Within(p.From, p.To)
	}
	return c
}

func ends(span chain.Heights) (first, last chain.Optional[uint64]) {
	return chain.Some(span.First), chain.Some(span.Last)
}

// accounts returns the selected payers in byte order, or nil for all.
func (r *Report) accounts() (list []string) {
	for _, payer := range r.payers() {
		list = append(list, r.Account(payer))
	}
	return list
}

// calledAccounts returns the selected payers with their labels, for display.
func (r *Report) calledAccounts() (list []string) {
	for _, payer := range r.payers() {
		name := r.Account(payer)
		if label, ok := r.Labels.Label(payer); ok {
			name += " (" + label + ")"
		}
		list = append(list, name)
	}
	return list
}

func (r *Report) payers() []chain.Address {
	return slices.SortedFunc(maps.Keys(r.Payers), chain.Address.Compare)
}
