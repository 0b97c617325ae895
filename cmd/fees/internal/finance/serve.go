package finance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/gatewayserver"
	"github.com/feeledger/fees/web"
)

var serveManual = `Show a ledger in a browser, and answer programs by HTTP. It only reads: fees sync
and fees follow may write the ledger meanwhile. Ctrl-C ends it when the answers
under way are sent.

Pages: what the ledger holds; the fees of a period by any grouping, with a chart and
downloads; a transaction with all that it moved; a block; an account; what does not
hold; look up anything. A page's address has all that it depends on, and can be sent
to a colleague. At its foot stands the same question for the command line.

  /api/v1/...    the JSON of the command line; /api/v1/openapi.json says what there is
  /healthz       200 while it serves
  /readyz        200 while the ledger can be read

It listens on this machine alone. Others reach it through a tunnel (ssh -L
8787:127.0.0.1:8787 HOST), or through a server before it that asks them who they are;
--host names that server, for a request by another name is refused. A question has
--time-limit, and is given up when the browser has gone.

--gateway shows an archive or the demo without a ledger: one is made for as long as it
serves.

` + cli.LabelsManual

const serveExamples = `  fees serve --gateway demo
  fees serve --ledger fees.db --listen 127.0.0.1:8787
  fees serve --host fees.example.org    behind a server of that name`

// serveFlags are the flags of fees serve.
type serveFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.LabelFlags
	listen string
	hosts  []string
	limit  time.Duration
	quiet  bool
}

func newServe(stderr io.Writer) *cobra.Command {
	var flags serveFlags
	c := &cobra.Command{
		Use:     "serve",
		Short:   "Show a ledger in a browser",
		Long:    serveManual,
		Example: serveExamples,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return serveDesk(c.Context(), &flags, stderr) },
	}
	flags.SourceFlags.AddFinal(c)
	flags.LedgerFlags.Add(c)
	flags.LabelFlags.Add(c)
	flags.AddConcurrency(c)
	cli.AddListen(c, &flags.listen, "127.0.0.1:8787")
	f := c.Flags()
	f.StringSliceVar(&flags.hosts, "host", nil, "names by which a server before this one passes requests on, with commas")
	f.DurationVar(&flags.limit, "time-limit", web.DefaultTime, "how long a question may take")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func serveDesk(ctx context.Context, f *serveFlags, stderr io.Writer) error {
	host, _, err := net.SplitHostPort(f.listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s: want an address with a port, such as 127.0.0.1:8787", f.listen)
	case !loopback(host):
		return fmt.Errorf("--listen %s: it has no users and no TLS of its own, and listens on this machine alone: others come through a tunnel, or a server before it", f.listen)
	case f.limit < time.Second || f.limit > time.Hour:
		return fmt.Errorf("--time-limit %v: want between 1s and 1h", f.limit)
	case f.Gateway != "" && f.Ledger != "":
		return errors.New("--gateway and --ledger: name one of them")
	}
	book, err := f.LabelFlags.ReadBook(&f.LedgerFlags, f.quiet, stderr)
	if err != nil {
		return err
	}
	d, err := f.open(ctx, stderr)
	if err != nil {
		return err
	}
	defer d.Close()
	state, err := d.State(ctx)
	if err != nil {
		return err
	}
	listener, err := cli.ListenAt(f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "fees: the ledger %s is at http://%s\n", d.Place, listener.Addr())
	return gatewayserver.Serve(ctx, listener, web.Handler(web.Options{
		Desk: d, Network: state.Network, Labels: book, Program: cli.Version(), Ledger: f.Ledger, Hosts: f.hosts,
		Log: slog.New(slog.NewTextHandler(stderr, nil)), Time: f.limit,
	}))
}

// loopback tells whether a host is this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// open opens the ledger, or makes one of an archive for as long as it is shown.
func (f *serveFlags) open(ctx context.Context, stderr io.Writer) (*desk.Desk, error) {
	if f.Gateway == "" {
		return f.LedgerFlags.Open(ctx, f.NetworkFile, stderr)
	}
	reader, err := f.Reader()
	if err != nil {
		return nil, err
	}
	heights, err := reader.Source.Kept()
	if err != nil {
		return nil, err
	}
	kept, known := heights.Get()
	if !known {
		return nil, fmt.Errorf("--gateway %s: it is no archive: fill a ledger with its blocks by fees sync, and serve that", cli.ShownPlace(f.Gateway))
	}
	p := cli.NewProgress(stderr, "blocks", f.quiet)
	defer p.End()
	return f.Temporary(ctx, reader, desk.Heights(kept.First, kept.Last), p)
}
