// Package bookkeeping has the commands that fill a ledger and look after it.
package bookkeeping

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSync(), newFollow(), newWorker(), newLedger()}
}
