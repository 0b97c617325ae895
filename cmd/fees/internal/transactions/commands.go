// Package transactions has the commands that make, sign, send and read transactions: those below
// fees tx.
package transactions

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newBuild(), newBuildEVM(), newSign(), newSend(), newHash(), newDecode()}
}
