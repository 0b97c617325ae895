// Package pricing implements the commands that price blocks and verify their fees.
package pricing

import "github.com/spf13/cobra"

// Commands returns the commands, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newBlock(), newVerify(), newExplain(), newWatch(), newNetworks(), newSuggest()}
}
