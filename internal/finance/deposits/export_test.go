package deposits

import "github.com/feeledger/fees/internal/ledger"

// MovementsOf returns the movements of a change.
func MovementsOf(c *Change) []ledger.Movement { return c.movements() }
