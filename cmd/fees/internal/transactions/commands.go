// Package transactions implements the subcommands of fees tx that build, sign, send and decode transactions.
package transactions

import "github.com/spf13/cobra"

// Commands returns the commands, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newBuild(), newBuildEVM(), newSign(), newSend(), newHash(), newDecode()}
}
