package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/node/reply"
)

// AddListen adds the flag that says where a server listens.
func AddListen(c *cobra.Command, to *string, usual string) {
	c.Flags().StringVar(to, "listen", usual, "the address to listen at; port 0 takes any that is free")
}

// ListenAt listens at the address of the flag.
func ListenAt(address string) (net.Listener, error) { return listenAt("listen", address) }

func listenAt(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// MetricsManual says what the flag gives.
const MetricsManual = `--metrics ADDRESS serves, as long as it runs, at an address of its own: /metrics
for Prometheus, /healthz and /readyz. They have heights and counts, no accounts
and no amounts, and nobody is asked who he is. docs/operations.md lists them.`

// MetricsFlags say where a command that runs for long tells how it does.
type MetricsFlags struct{ address string }

// Add adds the flag.
func (f *MetricsFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.address, "metrics", "", "serve metrics for Prometheus, /healthz and /readyz at this address, such as 127.0.0.1:9187")
}

// Serve serves the metrics, where the flag is given, until it is ended. Ready tells what keeps
// the command from its work.
func (f *MetricsFlags) Serve(ctx context.Context, m *metrics.Metrics, ready func(context.Context) error, stderr io.Writer) (end func(), err error) {
	if f.address == "" {
		return func() {}, nil
	}
	listener, err := listenAt("metrics", f.address)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // what the command does when it is to end is counted too
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := reply.Serve(ctx, listener, m.Handler(ready)); err != nil {
			fmt.Fprintf(stderr, "fees: --metrics %s: %v\n", f.address, err)
		}
	}()
	fmt.Fprintf(stderr, "fees: metrics are at http://%s/metrics\n", listener.Addr())
	return func() {
		stop()
		<-ended
	}, nil
}
