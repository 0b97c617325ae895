// Package pricing has the commands that price blocks and prove their fees.
package pricing

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newBlock(), newVerify(), newExplain(), newWatch(), newNetworks(), newSuggest()}
}
