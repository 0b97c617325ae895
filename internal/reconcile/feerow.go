package reconcile

import "slices"

// Portfolio programs have a column for the fee of a row's transfer. A fee without a transfer is a separate row: the
// amount sent, with a label such as "cost". Koinly and fees export --as koinly write it so.

// feeRow locates the columns of such rows.
type feeRow struct {
	isFee         func(*record) bool // nil if the file has no such rows
	amount, asset int                // numbers of the columns of the amount sent, from 1
}

// The names of these columns, and the labels, in lower case.
var (
	labelNames     = []string{"label", "tag", "type", "transaction type"}
	sentNames      = []string{"sent amount", "from amount", "outgoing amount"}
	sentAssetNames = []string{"sent currency", "from currency", "outgoing asset"}
	feeLabels      = []string{"cost", "fee", "network fee", "transaction fee", "gas"}
)

// newFeeRow finds the columns in a header that has a fee column and its asset column. The label is the first
// matching column.
func newFeeRow(h header, columns []Column) (f feeRow) {
	if !slices.ContainsFunc(columns, func(c Column) bool { return c.Field == Asset }) {
		return f
	}
	find := func(names []string) int {
		return slices.IndexFunc(h, func(name string) bool { return slices.Contains(names, plainName(name)) }) + 1
	}
	label := find(labelNames)
	isFee := func(rec *record) bool { return slices.Contains(feeLabels, plainName(rec.value(label))) }
	f = feeRow{isFee, find(sentNames), find(sentAssetNames)}
	taken := slices.ContainsFunc(columns, func(c Column) bool { return c.Place == f.amount })
	if f.amount == 0 || f.asset == 0 || taken {
		return feeRow{}
	}
	return f
}

// move copies the sent amount and asset of a fee row to its fee and asset columns.
func (f feeRow) move(rec *record, fee, asset int) {
	columns := []int{f.amount, f.asset, fee, asset}
	if f.isFee == nil || slices.Min(columns) == 0 || slices.Max(columns) > len(rec.cells) || !isNothing(rec.value(fee)) {
		return
	}
	if f.isFee(rec) {
		rec.cells[fee-1], rec.cells[asset-1] = rec.cells[f.amount-1], rec.cells[f.asset-1]
	}
}
