// Package bookkeeping has the commands that fill a ledger and look after it.
package bookkeeping

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newSync(stdout, stderr), newFollow(stderr), newWorker(stderr), newLedger(stdout, stderr)}
}
