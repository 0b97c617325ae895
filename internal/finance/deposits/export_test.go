package deposits

import "github.com/feeledger/fees/internal/ledger"

// MovementsOf returns the movements of a change.
func MovementsOf(c *Change) []ledger.Movement { return c.movements() }

// LimitOpen sets the limit of open deposits, and returns a function that restores it.
func LimitOpen(n int) (restore func()) {
	before := maxOpen
	maxOpen = n
	return func() { maxOpen = before }
}
