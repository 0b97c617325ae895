package rule

import (
	"cmp"
	"errors"

	"github.com/feeledger/fees/chain"
)

// Lists are the rows of a network's table.
type Lists struct {
	Rows []PriceRow `json:"rows"`
	// The rules that verify a runtime's fees against the chain's records. A runtime before the first row of a
	// list, or with an empty list, has no such rule.
	Destinations      []DestinationsRow     `json:"destinations,omitempty"`
	MultiplierUpdates []MultiplierUpdateRow `json:"multiplier_updates,omitempty"`
	BaseFeeUpdates    []BaseFeeUpdateRow    `json:"base_fee_updates,omitempty"`
	NativeFees        []NativeFeeRow        `json:"native_fees,omitempty"`
	// ExistentialDeposits are the minimum balances of an account.
	ExistentialDeposits []ExistentialDepositRow `json:"existential_deposits,omitempty"`
}

// Check returns an error if a row is invalid or out of order.
func Check(l *Lists) error {
	if len(l.Rows) == 0 {
		return errors.New("rows: missing; want at least one")
	}
	return cmp.Or(
		checkRows("row", l.Rows),
		checkRows(DestinationList, l.Destinations),
		checkRows(MultiplierUpdateList, l.MultiplierUpdates),
		checkRows(BaseFeeUpdateList, l.BaseFeeUpdates),
		checkRows(NativeFeeList, l.NativeFees),
		checkRows(ExistentialDepositList, l.ExistentialDeposits),
	)
}

// NewestRow returns the runtime at which the newest row begins.
func NewestRow(l *Lists) (last uint32) {
	for _, row := range l.ListedRows() {
		last = max(last, row.From)
	}
	return last
}

// PriceOf returns the row that prices the blocks of a runtime, false if the runtime is older than the first one.
func PriceOf(l *Lists, runtime uint32) (PriceRow, bool) { return rowFor(l.Rows, runtime) }

// The names of the lists in a table.
const (
	PriceList              = "rows"
	DestinationList        = "destinations"
	MultiplierUpdateList   = "multiplier_updates"
	BaseFeeUpdateList      = "base_fee_updates"
	NativeFeeList          = "native_fees"
	ExistentialDepositList = "existential_deposits"
)

// ListedRow is a row of one of a network's lists, and the runtimes that it applies to.
type ListedRow struct {
	List string
	From uint32
	// Last is the last runtime; unknown for the last row of a list, which applies to all later runtimes.
	Last    chain.Optional[uint32]
	Unknown bool
}

// Has reports whether the row applies to a runtime.
func (r ListedRow) Has(runtime uint32) bool {
	last, ends := r.Last.Get()
	return runtime >= r.From && (!ends || runtime <= last)
}

// ListedRows returns all rows, list by list.
func (l *Lists) ListedRows() []ListedRow {
	rows := rowsOf(PriceList, l.Rows)
	rows = append(rows, rowsOf(DestinationList, l.Destinations)...)
	rows = append(rows, rowsOf(MultiplierUpdateList, l.MultiplierUpdates)...)
	rows = append(rows, rowsOf(BaseFeeUpdateList, l.BaseFeeUpdates)...)
	rows = append(rows, rowsOf(NativeFeeList, l.NativeFees)...)
	return append(rows, rowsOf(ExistentialDepositList, l.ExistentialDeposits)...)
}

func rowsOf[R listed](list string, rows []R) (all []ListedRow) {
	for i, row := range rows {
		r := ListedRow{List: list, From: row.head().from, Unknown: row.head().unknown}
		if i+1 < len(rows) {
			r.Last = chain.Some(rows[i+1].head().from - 1)
		}
		all = append(all, r)
	}
	return all
}
