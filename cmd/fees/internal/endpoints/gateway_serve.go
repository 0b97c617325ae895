package endpoints

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/serve"
)

const gatewayServeManual = `Answer what Substrate API Sidecar answers, from a node: the same paths, bodies,
statuses and error texts, for blocks, headers, balances, storage, the runtime's
version and the node's. Ctrl-C ends it when the answers under way are sent.

The node is --node, else GATEWAY_NODE_URL, else FEES_NODE in the environment: a
ws, wss, http or https URL. A URL with a password or a provider's key belongs
into the environment. The node's host alone is ever shown.

  /healthz   200 while it serves
  /readyz    200 if the node answers and is not syncing, else 503 and why
  /metrics   for Prometheus

A node that is lost is told as Sidecar tells it, and found again when it is
back. /blocks/N?decodedXcmMsgs=true is refused; errors have no stack; the root
has the version alone, which is that of fees.`

const gatewayServeExamples = `  fees gateway serve --node ws://127.0.0.1:9944
  GATEWAY_NODE_URL=wss://HOST/KEY fees gateway serve --listen 0.0.0.0:8080
  fees block head --gateway http://127.0.0.1:8080    from another terminal`

func newGatewayServe() *cobra.Command {
	node := cli.NodeFlags{Variables: []string{"GATEWAY_NODE_URL", "FEES_NODE"}}
	var listen string
	c := cli.New(&cobra.Command{
		Use: "serve", Short: "Be a gateway: answer from a node as Sidecar does", Long: gatewayServeManual, Example: gatewayServeExamples,
		Version: cli.Version(), Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := node.Client()
			if err != nil {
				return err
			}
			listener, err := cli.ListenAt(listen)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "fees: serving what the node %s says at http://%s\n", client.Place().Address, listener.Addr())
			return reply.Serve(c.Context(), listener, serve.Handler(client, cli.Version()))
		},
	}, node.Add, node.Concurrent)
	cli.AddListen(c, &listen, gatewayAddress)
	return c
}
