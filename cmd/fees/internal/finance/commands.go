// Package finance has the commands for what finance people need of a ledger.
package finance

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newReport(stdout, stderr), newStatement(stdout, stderr), newRollforward(stdout, stderr), newReconcile(stdout, stderr), newExport(stdout, stderr), newClose(stdout, stderr),
		newTransaction(), newAccount(), newShow(), newServe()}
}
