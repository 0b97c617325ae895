package reconcile

import (
	"errors"
	"slices"
)

// Portfolio programs have a column for the fee of a row's transfer. A fee without a transfer is a separate row: the
// amount sent, with a label such as "cost". Koinly and fees export --as koinly write it so.

// feeRow locates the columns of such rows.
type feeRow struct {
	isFee         func(*record) bool // nil if the file has no such rows
	amount, asset int                // numbers of the columns of the amount sent, from 1
}

// errTwoFees reports a row that is a fee and has another one.
var errTwoFees = errors.New("the row is a fee, and has another fee beside it; make two rows of it")

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
	isFee := func(rec *record) bool {
		for i, name := range h {
			if slices.Contains(labelNames, plainName(name)) && slices.Contains(feeLabels, plainName(rec.value(i+1))) {
				return true
			}
		}
		return false
	}
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
	if f.isFee == nil || slices.Min(columns) == 0 || slices.Max(columns) > len(rec.cells) || isNothing(rec.value(f.amount)) || !f.isFee(rec) {
		return
	}
	if f.amount != fee && !isNothing(rec.value(fee)) {
		rec.cells[fee-1].err = errTwoFees
		return
	}
	rec.cells[fee-1], rec.cells[asset-1] = rec.cells[f.amount-1], rec.cells[f.asset-1]
	if f.amount != fee { // it is moved once
		rec.cells[f.amount-1] = cell{}
	}
}
