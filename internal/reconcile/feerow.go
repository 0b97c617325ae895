package reconcile

import "slices"

// Portfolio programs have a column for the fee of what a row sends or receives. A fee of nothing
// else is a row of its own: the amount that was sent, with a label such as "cost". Koinly has it so,
// and fees export --as koinly.

// feeRow knows where such a row states its fee.
type feeRow struct {
	label         int // its column, the first 1; 0 where the file has no such rows
	amount, asset int // of what was sent
}

// The names of these columns, and the labels, in lower case.
var (
	labelNames     = []string{"label", "tag", "type", "transaction type"}
	sentNames      = []string{"sent amount", "from amount", "outgoing amount"}
	sentAssetNames = []string{"sent currency", "from currency", "outgoing asset"}
	feeLabels      = []string{"cost", "fee", "network fee", "transaction fee", "gas"}
)

// newFeeRow finds the columns in a header that has a column of fees and one of their assets. The
// label is in the first column that can be it.
func newFeeRow(h header, columns []Column) (f feeRow) {
	if !slices.ContainsFunc(columns, func(c Column) bool { return c.Field == Asset }) {
		return f
	}
	find := func(names []string) int {
		return slices.IndexFunc(h, func(name string) bool { return slices.Contains(names, plainName(name)) }) + 1
	}
	f = feeRow{find(labelNames), find(sentNames), find(sentAssetNames)}
	taken := slices.ContainsFunc(columns, func(c Column) bool { return c.Place == f.amount })
	if f.amount == 0 || f.asset == 0 || taken {
		return feeRow{}
	}
	return f
}

// move gives a row that is a fee of nothing else its amount and asset as those of a fee.
func (f feeRow) move(rec *record, fee, asset int) {
	if f.label == 0 || len(rec.cells) < max(f.label, f.amount, f.asset, fee, asset) || rec.cells[fee-1].value() != "" {
		return
	}
	if slices.Contains(feeLabels, plainName(rec.cells[f.label-1].value())) {
		rec.cells[fee-1], rec.cells[asset-1] = rec.cells[f.amount-1], rec.cells[f.asset-1]
	}
}
