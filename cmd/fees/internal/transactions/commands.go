// Package transactions has the commands that make, sign, send and read transactions: those below
// fees tx.
package transactions

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newBuild(stdout, stderr), newBuildEVM(stdout, stderr), newSign(stdout, stderr), newSend(stdout, stderr), newHash(stdout), newDecode(stdout)}
}
