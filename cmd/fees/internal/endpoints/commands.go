// Package endpoints has the commands that ask a gateway or a node one thing, that keep
// a gateway's answers, and that check a node's proofs.
package endpoints

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands() []*cobra.Command {
	return []*cobra.Command{newGateway(), newNode(), newArchive(), newEstimate(), newProof()}
}
