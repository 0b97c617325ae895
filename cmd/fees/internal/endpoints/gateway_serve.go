package endpoints

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const gatewayServeManual = `Serve the API of Substrate API Sidecar from a node: the same paths, bodies,
statuses and error texts, for blocks, headers, balances, storage, and the
versions of runtime and node. Ctrl-C stops it after pending requests.

The node is a ws, wss, http or https URL: --node, else GATEWAY_NODE_URL, else
FEES_NODE. Pass a URL with a password or a provider's key in an environment
variable. Only the node's host is ever shown.

  /healthz   200 while the server runs
  /readyz    200 if the node answers and is not syncing, else 503 with reason
  /metrics   for Prometheus

A lost node is reported as Sidecar reports it, and reconnected when it is back.
/blocks/N?decodedXcmMsgs=true is refused, errors have no stack, and the root
only shows the version of fees.`

const gatewayServeExamples = `  fees gateway serve --node ws://127.0.0.1:9944
  GATEWAY_NODE_URL=wss://HOST/KEY fees gateway serve --listen 0.0.0.0:8080
  fees block head --gateway http://127.0.0.1:8080    from another terminal`

func newGatewayServe() *cobra.Command {
	node := cli.NodeFlags{Variables: []string{"GATEWAY_NODE_URL", "FEES_NODE"}}
	var listen string
	c := cli.New(&cobra.Command{
		Use: "serve", Short: "Serve the API of Sidecar from a node", Long: gatewayServeManual, Example: gatewayServeExamples,
		Args: cli.Args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := node.Client()
			if err != nil {
				return err
			}
			listener, err := cli.ListenAt(listen)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "fees: serving node %s at http://%s\n", client.Place().Address, listener.Addr())
			return app.Serve(c.Context(), listener, app.GatewayHandler(client, cli.Version()))
		},
	}, node.Add, node.Concurrent)
	cli.AddListen(c, &listen, gatewayAddress)
	cli.AddVersionFlag(c)
	return c
}
