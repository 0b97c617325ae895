package network

import "github.com/feeledger/fees/chain"

// The lists of rows in a network's table.
const (
	RowList                = "rows"
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

// ListedRows returns all rows of the network's lists, list by list.
func (n *Network) ListedRows() []ListedRow {
	rows := rowsOf(RowList, n.Rows)
	rows = append(rows, rowsOf(DestinationList, n.Destinations)...)
	rows = append(rows, rowsOf(MultiplierUpdateList, n.MultiplierUpdates)...)
	rows = append(rows, rowsOf(BaseFeeUpdateList, n.BaseFeeUpdates)...)
	rows = append(rows, rowsOf(NativeFeeList, n.NativeFees)...)
	return append(rows, rowsOf(ExistentialDepositList, n.ExistentialDeposits)...)
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
