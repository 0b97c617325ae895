// Package endpoints has the commands that ask a gateway or a node one thing, that keep
// a gateway's answers, and that check a node's proofs.
package endpoints

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newGateway(stdout, stderr), newNode(stdout), newArchive(stdout, stderr), newEstimate(stdout), newProof(stdout, stderr)}
}
