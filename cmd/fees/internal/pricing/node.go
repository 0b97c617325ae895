package pricing

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

// describeNode describes the flag of the node that supplies encoded extrinsics.
func describeNode(c *cobra.Command) {
	c.Flags().Lookup("node").Usage = "a second source that supplies encoded extrinsics, to check hashes, signatures and native fees; not needed if --gateway is a node (default: FEES_NODE)"
}

// addNode adds the named node, if any, to an examination; it must be on the gateway's chain. With signers,
// it also supplies the signers of native extrinsics. done closes it.
func addNode(ctx context.Context, gateway *cli.SourceFlags, e *app.Examination, signers bool) (done func(), err error) {
	node, same, err := gateway.NodeBeside(e.Reader.Source)
	if err != nil || node == nil {
		return func() {}, err
	}
	if _, err := same.Check(ctx); err != nil {
		node.Close()
		return nil, err
	}
	e.Node = app.NodeExtrinsics(node, signers)
	return func() { node.Close() }, nil
}
