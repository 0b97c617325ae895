// Package endpoints has the commands that ask a gateway or a node one thing, and that keep
// a gateway's answers.
package endpoints

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newGateway(stdout, stderr), newNode(stdout), newArchive(stdout, stderr), newEstimate(stdout)}
}
