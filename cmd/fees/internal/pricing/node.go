package pricing

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

// nodeFlag names the node that supplies encoded extrinsics.
type nodeFlag struct{ node string }

func (f *nodeFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.node, "node", "", "a second source that supplies encoded extrinsics, to check hashes, signatures and native fees; not needed if --gateway is a node (default: FEES_NODE)")
}

// open adds the named node, if any, to an examination; it must be on the gateway's chain. With signers,
// it also supplies the signers of native extrinsics. done closes it.
func (f *nodeFlag) open(ctx context.Context, gateway *cli.SourceFlags, e *app.Examination, signers bool) (done func(), err error) {
	node, same, err := gateway.NodeBeside(e.Reader.Source, f.node)
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
