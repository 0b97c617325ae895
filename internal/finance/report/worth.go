package report

import (
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// worth is the value of fees in a currency, each at the price of its own day or hour; unknown without
// prices.
type worth struct{ fee, charged chain.Optional[money.Amount] }

// nothing returns the worth of no transactions.
func (q *Request) nothing() (w worth) {
	if q.Prices != nil {
		none := chain.Some(money.NothingIn(q.Prices.Currency))
		w = worth{none, none}
	}
	return w
}

func (w worth) plus(x worth) worth {
	return worth{money.Sum(w.fee, x.fee), money.Sum(w.charged, x.charged)}
}

// valued adds the worth of the fees.
func (f Figures) valued(w worth) Figures {
	f.FeeWorth, f.ChargedWorth = w.fee, w.charged
	return f
}

// worthColumns returns the columns in the currency, keyed by those in wei.
func (r *Report) worthColumns() map[string]column {
	in := func(name string, value func(*Figures) chain.Optional[money.Amount]) column {
		c := r.Prices.Currency
		return column{table.Column{Name: name + "_" + c.Suffix(), Kind: table.Fiat, Total: true, Currency: c}, func(g *Group) any { return value(&g.Figures) }}
	}
	return map[string]column{
		"fee":     in("fee", func(f *Figures) chain.Optional[money.Amount] { return f.FeeWorth }),
		"charged": in("charged", func(f *Figures) chain.Optional[money.Amount] { return f.ChargedWorth }),
	}
}

// withWorth inserts each amount's worth after it.
func (r *Report) withWorth(columns []column) (all []column) {
	if r.Prices == nil {
		return columns
	}
	worth := r.worthColumns()
	for _, c := range columns {
		all = append(all, c)
		if in, ok := worth[c.Name]; ok {
			all = append(all, in)
		}
	}
	return all
}

// late returns the column that marks groups with amounts at the last known price of an earlier day; none unless the
// prices may be of earlier days.
func (r *Report) late() []column {
	if r.Prices == nil || !r.Prices.LastKnown {
		return nil
	}
	return []column{{table.LateColumn(r.Prices.Currency), func(g *Group) any { return table.IsLate(g.FeeWorth, g.ChargedWorth) }}}
}

// figureOf returns the name of a column's figure in wei, which differs for amounts in a currency.
func figureOf(c table.Column) string {
	if c.Kind == table.Fiat {
		return strings.TrimSuffix(c.Name, "_"+c.Currency.Suffix())
	}
	return c.Name
}

// worthAmounts returns the totals in the currency with their display names.
func (r *Report) worthAmounts() []named[chain.Optional[money.Amount]] {
	if r.Prices == nil {
		return nil
	}
	code := " " + string(r.Prices.Currency)
	return []named[chain.Optional[money.Amount]]{{"fee" + code, r.Totals.FeeWorth}, {"charged" + code, r.Totals.ChargedWorth}}
}

// basis returns the price basis of the amounts in the currency; nil without prices.
func (r *Report) basis() *money.Basis {
	if r.valuer == nil {
		return nil
	}
	b := r.valuer.Basis()
	return &b
}
