package journal

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/prices"
	"github.com/feeledger/fees/sheet"
)

// listColumns are those of the JSON of fees block, the block's first.
var listColumns = []sheet.Column{
	{Name: "network", Kind: sheet.Text}, {Name: "rules", Kind: sheet.Text}, {Name: "number", Kind: sheet.Integer}, {Name: "time", Kind: sheet.Time},
	{Name: "index", Kind: sheet.Integer}, {Name: "layer", Kind: sheet.Text}, {Name: "type", Kind: sheet.Text}, {Name: "call", Kind: sheet.Text},
	{Name: "hash", Kind: sheet.Hash}, {Name: "evm_hash", Kind: sheet.Hash}, {Name: "from", Kind: sheet.Address}, {Name: "to", Kind: sheet.Address},
	{Name: "payer", Kind: sheet.Address}, {Name: "payer_name", Kind: sheet.Text}, {Name: "gas_price", Kind: sheet.GasPrice}, {Name: "gas", Kind: sheet.Integer},
	{Name: "fee", Kind: sheet.Wei, Total: true, Whole: true}, {Name: "method", Kind: sheet.Text}, {Name: "priority_fee", Kind: sheet.Wei, Total: true},
	{Name: "tip", Kind: sheet.Wei, Total: true}, {Name: "success", Kind: sheet.Boolean}, {Name: "outcome", Kind: sheet.Text}, {Name: "status", Kind: sheet.Text}, {Name: "error", Kind: sheet.Text},
	{Name: "charged", Kind: sheet.Wei, Total: true, Whole: true}, {Name: "verdict", Kind: sheet.Text}, {Name: "drift", Kind: sheet.SignedWei, Total: true}, {Name: "class", Kind: sheet.Text},
	{Name: "burned", Kind: sheet.Wei, Total: true, Whole: true}, {Name: "treasury", Kind: sheet.Wei, Total: true, Whole: true}, {Name: "author", Kind: sheet.Wei, Total: true, Whole: true},
}

// List is the payments as a table, each with all that the book has of it: the
// undetermined ones too, without a fee and with the reason. They are read when the table
// is written.
func List(ctx context.Context, payments *Payments, network string, style Style) *sheet.Sheet {
	return &sheet.Sheet{
		Name: "fees", Title: style.Title, Notes: style.Notes, Symbol: style.Symbol, Columns: style.listColumns(),
		Rows: rows(payments.All(ctx), network, &style),
	}
}

// namedColumns stand behind the others where there are names.
var namedColumns = []sheet.Column{{Name: "payer_group", Kind: sheet.Text}, {Name: "from_name", Kind: sheet.Text}, {Name: "to_name", Kind: sheet.Text}}

func rows(payments iter.Seq2[*Payment, error], network string, style *Style) iter.Seq2[[]any, error] {
	names := style.names()
	return func(yield func([]any, error) bool) {
		for p, err := range payments {
			if err != nil {
				yield(nil, err)
				return
			}
			var gas any
			if g, ok := p.Gas.Get(); ok {
				gas = g.Uint64()
			}
			row := []any{
				network, p.Rules, p.Height, p.Time,
				int64(p.Index), string(p.Layer), orNull(p.Type), p.Call,
				p.Hash, p.EVMHash, p.Sender, p.Recipient,
				p.Payer, label(names, p.Payer), p.GasPrice, gas,
				p.Fee, orNull(p.Method), p.PriorityFee,
				p.Tip, p.Success, orNull(string(p.Outcome)), orNull(p.Status), orNull(p.Error),
				p.Charged, string(p.Verdict), p.Drift, orNull(string(p.Class)),
				p.Burned, p.Treasury, p.Author,
			}
			if style.Names != nil {
				row = append(row, group(names, p.Payer), label(names, p.Sender), label(names, p.Recipient))
			}
			if v := style.valuer(); v != nil {
				row = append(row, prices.ValueKnown(v, p.Fee, p.Time), prices.ValueKnown(v, p.Charged, p.Time))
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// orNull is a text, or nothing where there is none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func label(names *Names, a chain.Optional[chain.Address]) any {
	address, ok := a.Get()
	if !ok {
		return nil
	}
	name, _ := names.Label(address)
	return orNull(name)
}

// group is what an address belongs to.
func group(names *Names, a chain.Optional[chain.Address]) any {
	address, ok := a.Get()
	if !ok {
		return nil
	}
	group, _ := names.Group(address)
	return orNull(group)
}
