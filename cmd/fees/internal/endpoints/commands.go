// Package endpoints implements the commands that query a gateway or node, record and serve archives, and
// check state proofs.
package endpoints

import "github.com/spf13/cobra"

// Commands returns the commands, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newGateway(), newNode(), newArchive(), newEstimate(), newProof()}
}
