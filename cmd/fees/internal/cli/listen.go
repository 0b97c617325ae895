package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
)

// AddListen adds the flag for a server's address.
func AddListen(c *cobra.Command, to *string, usual string) {
	c.Flags().StringVar(to, "listen", usual, "the address to listen on; port 0 picks a free port")
}

// ListenAt listens on the address of the flag.
func ListenAt(address string) (net.Listener, error) { return listenAt("listen", address) }

func listenAt(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// MetricsManual is the section of a command's manual on metrics.
const MetricsManual = `--metrics ADDRESS serves /metrics for Prometheus, /healthz and /readyz on a
separate address, without authentication. They contain heights and counts, but
no accounts and no amounts. docs/operations.md lists them.`

// MetricsFlags configure the metrics of a long-running command.
type MetricsFlags struct{ address string }

// Add adds the flag.
func (f *MetricsFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.address, "metrics", "", "serve Prometheus metrics, /healthz and /readyz on this address, such as 127.0.0.1:9187")
}

// Serve serves the metrics, if the flag is set, until end is called. ready returns why the command is not
// ready, if so.
func (f *MetricsFlags) Serve(ctx context.Context, m *metrics.Metrics, ready func(context.Context) error, stderr io.Writer) (end func(), err error) {
	if f.address == "" {
		return func() {}, nil
	}
	listener, err := listenAt("metrics", f.address)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // count the work done during shutdown too
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := app.Serve(ctx, listener, m.Handler(ready)); err != nil {
			fmt.Fprintf(stderr, "fees: --metrics %s: %v\n", f.address, err)
		}
	}()
	fmt.Fprintf(stderr, "fees: serving metrics at http://%s/metrics\n", listener.Addr())
	return func() {
		stop()
		<-ended
	}, nil
}
