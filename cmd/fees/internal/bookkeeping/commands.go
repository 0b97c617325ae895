// Package bookkeeping implements the commands that fill and maintain a ledger.
package bookkeeping

import "github.com/spf13/cobra"

// Commands returns the commands, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSync(), newFollow(), newWorker(), newLedger()}
}
