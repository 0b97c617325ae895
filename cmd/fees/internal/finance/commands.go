// Package finance implements the commands that read a ledger: reports, look-ups, exports and close packages.
package finance

import "github.com/spf13/cobra"

// insteadOfLedger is the usage of --gateway for commands that otherwise read the ledger.
const insteadOfLedger = "read blocks from this gateway, archive or directory, or demo, instead of the ledger"

// Commands returns the commands, in the order of the help.
func Commands() []*cobra.Command {
	reconcile := newReconcile()
	reconcile.Flags().Lookup("gateway").Usage = insteadOfLedger
	return []*cobra.Command{newReport(), newVariance(), newStatement(), newRollforward(), reconcile, newExport(), newSample(), newClose(), newTransaction(), newAccount(), newShow(), newServe()}
}

// MoreCommands returns the commands that few users need.
func MoreCommands() []*cobra.Command { return []*cobra.Command{newAccounts(), newDeposits()} }
