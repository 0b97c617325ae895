// Package finance has the commands for what finance people need of a ledger.
package finance

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newReport(), newStatement(), newRollforward(), newReconcile(), newExport(), newClose(), newTransaction(), newAccount(), newShow(), newServe()}
}
