package report

import (
	"io"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// comparedDocument is a comparison as JSON: a report's fields, and the same of the previous period.
type comparedDocument struct {
	document
	Before beforeDocument `json:"before"`
	Part   string         `json:"part"` // what is compared if the ledger lacks part of either period; "" for all
}

type beforeDocument struct {
	Period   period            `json:"period"`
	Coverage coverage          `json:"coverage"`
	Evidence evidence.Evidence `json:"evidence"`
	Prices   *money.Basis      `json:"prices"`
	Rules    []string          `json:"rules"`

	AssetFees fee.AssetTotals `json:"asset_fees,omitempty"` // in no total
}

// writeJSON writes the comparison as one object, pair by pair.
func (c *Comparison) writeJSON(w io.Writer) error {
	out := jsontext.NewStream(w, false)
	b := c.Before
	now, before := c.summed()
	out.Members(comparedDocument{c.Now.document(), beforeDocument{b.period(), b.coverage(), b.Evidence, b.basis(), append([]string{}, b.Rules...), before.AssetFees}, c.Part()})
	out.List("groups", c.groups)
	totals, err := pairObject(c.figureColumns(), &c.Totals)
	if err != nil {
		return err
	}
	out.Members(ending{Totals: totals, AssetFees: now.AssetFees, Notes: append([]string{}, c.Notes...)})
	return out.Close()
}

// groups returns the pairs as JSON.
func (c *Comparison) groups(yield func([]byte, error) bool) {
	columns := c.columns()
	for _, p := range c.Pairs {
		object, err := pairObject(columns, p)
		var text []byte
		if err == nil {
			text, err = jsontext.Indented(object, jsontext.ElementPrefix)
		}
		if !yield(text, err) || err != nil {
			return
		}
	}
}

func pairObject(columns []pairColumn, p *Pair) (o jsontext.Record, err error) {
	gas := false // a string, like its difference
	for _, c := range columns {
		value, err := c.value(p)
		if err != nil {
			return nil, err
		}
		if c.part == ofNow {
			_, gas = value.(chain.Optional[chain.Gas])
		}
		if n, ok := value.(int64); ok && gas {
			value = strconv.FormatInt(n, 10)
		}
		o = append(o, jsontext.Field{c.Name, value})
	}
	return o, nil
}
