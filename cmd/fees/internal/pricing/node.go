package pricing

import (
	"context"

	nodegateway "github.com/feeledger/fees/internal/node/gateway"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/source"
)

// nodeFlag names the node that has the extrinsics as they are encoded.
type nodeFlag struct{ node string }

func (f *nodeFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.node, "node", "", "ask this node for the extrinsics as they are encoded, for their hashes, their signatures and the formula of native fees (default: FEES_NODE)")
}

// open gives an examination the node that is named, where one is: it must be of the same
// chain as the gateway. With signers, it is also asked who signed native extrinsics. Done closes it.
func (f *nodeFlag) open(ctx context.Context, gateway *cli.SourceFlags, e *app.Examination, signers bool) (done func(), err error) {
	node, same, err := gateway.NodeBeside(e.Reader.Source, f.node)
	if err != nil || node == nil {
		return func() {}, err
	}
	if _, err := same.Check(ctx); err != nil {
		node.Close()
		return nil, err
	}
	e.Node = node
	if signers {
		e.Node = source.Of(nodegateway.New(node))
	}
	return func() { node.Close() }, nil
}
