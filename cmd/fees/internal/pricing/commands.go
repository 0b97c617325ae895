// Package pricing has the commands that price blocks and prove their fees.
package pricing

import (
	"io"

	"github.com/spf13/cobra"
)

// Commands are all of them.
func Commands(stdout, stderr io.Writer) []*cobra.Command {
	return []*cobra.Command{newBlock(stdout, stderr), newVerify(stdout, stderr), newExplain(stdout, stderr), newWatch(stdout, stderr), newNetworks(stdout, stderr), newSuggest(stdout, stderr)}
}
