package journal

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// listColumns are the columns of the JSON of fees block, the block's first.
var listColumns = []table.Column{
	{Name: "network", Kind: table.Text}, {Name: "rules", Kind: table.Text}, {Name: "block", Kind: table.Integer}, {Name: "time", Kind: table.Time},
	{Name: "index", Kind: table.Integer}, {Name: "layer", Kind: table.Text}, {Name: "type", Kind: table.Text}, {Name: "call", Kind: table.Text},
	{Name: "hash", Kind: table.Hash}, {Name: "evm_hash", Kind: table.Hash}, {Name: "from", Kind: table.Address}, {Name: "to", Kind: table.Address},
	{Name: "payer", Kind: table.Address}, {Name: "payer_label", Kind: table.Text}, {Name: "gas_price", Kind: table.GasPrice}, {Name: "gas", Kind: table.Integer},
	{Name: "fee", Kind: table.Wei, Total: true, Whole: true}, {Name: "method", Kind: table.Text}, {Name: "priority_fee", Kind: table.Wei, Total: true},
	{Name: "tip", Kind: table.Wei, Total: true}, {Name: "success", Kind: table.Boolean}, {Name: "outcome", Kind: table.Text}, {Name: "status", Kind: table.Text}, {Name: "error", Kind: table.Text},
	{Name: "charged", Kind: table.Wei, Total: true, Whole: true}, {Name: "verdict", Kind: table.Text}, {Name: "failed_checks", Kind: table.Text}, {Name: "drift", Kind: table.SignedWei, Total: true}, {Name: "class", Kind: table.Text},
	{Name: "burned", Kind: table.Wei, Total: true, Whole: true}, {Name: "treasury", Kind: table.Wei, Total: true, Whole: true}, {Name: "author", Kind: table.Wei, Total: true, Whole: true},
}

// List returns the payments as a table with all their data, including undetermined ones, which have a
// reason instead of a fee. They are read when the table is written.
func List(ctx context.Context, payments *Payments, r Request) *table.Sheet {
	return table.WithLate(&table.Sheet{
		Name: "fees", Title: r.Title, Notes: r.Notes, Token: r.Token, Columns: r.listColumns(len(payments.assetFees) > 0),
		Rows: rows(payments.All(ctx), len(payments.assetFees) > 0, &r),
	}, r.Prices)
}

// namedColumns follow the others if there are names.
var namedColumns = []table.Column{{Name: "payer_group", Kind: table.Text}, {Name: "from_label", Kind: table.Text}, {Name: "to_label", Kind: table.Text}}

// assetColumns follow the others if a fee was paid in an asset.
var assetColumns = []table.Column{{Name: "fee_asset", Kind: table.Text}, {Name: "asset_fee", Kind: table.TokenAmount}, {Name: "asset_fee_equivalent", Kind: table.Wei}}

func rows(payments iter.Seq2[*Payment, error], inAssets bool, r *Request) iter.Seq2[[]any, error] {
	names := r.names()
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
				r.Network, p.Rules, p.Height, p.Time,
				int64(p.Index), string(p.Layer), table.OrNull(p.Type), p.Call,
				p.Hash, p.EVMHash, p.Sender, p.Recipient,
				p.Payer, named(p.Payer, names.Label), p.GasPrice, gas,
				p.Fee, table.OrNull(p.Method), p.PriorityFee,
				p.Tip, p.Success, table.OrNull(string(p.Outcome)), table.OrNull(p.Status), table.OrNull(p.Error),
				p.Charged, p.Standing(), table.OrNull(p.Failed), p.Drift, table.OrNull(string(p.Class)),
				p.Burned, p.Treasury, p.Author,
			}
			switch {
			case p.InAsset():
				row = append(row, p.AssetFee.Asset, p.AssetFee.Amount, p.AssetFee.Equivalent)
			case inAssets:
				row = append(row, nil, nil, nil)
			}
			if r.Names != nil {
				row = append(row, named(p.Payer, names.Group), named(p.Sender, names.Label), named(p.Recipient, names.Label))
			}
			if v := r.valuer(); v != nil {
				row = append(row, money.ValueKnown(v, p.Fee, p.Time), money.ValueKnown(v, p.Charged, p.Time))
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// named returns what a book of names has of an address, or nil.
func named(a chain.Optional[chain.Address], of func(chain.Address) (string, bool)) any {
	address, ok := a.Get()
	if !ok {
		return nil
	}
	name, _ := of(address)
	return table.OrNull(name)
}
