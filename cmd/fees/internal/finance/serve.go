package finance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/source"
)

var serveManual = `Show a ledger in a browser, and answer programs by HTTP. It only reads: fees
sync and fees follow may write the ledger meanwhile. Ctrl-C ends it when the
answers under way are sent.

Pages: what the ledger holds; the fees of a period by any grouping, beside
another period, in a currency (--prices), of some transactions only;
transactions one by one; a transaction with each step of its fee and all that it
moved; a block; an account with its statement and rollforward; a contract; what
does not hold; look up anything; a company's own record of fees beside the
ledger; the packages of closed months (--packages), which are checked again. A
page's address has all that it depends on, and can be sent to a
colleague. At its foot stands the same question for the command line.

  /api/v1/...    the JSON of the command line; /api/v1/openapi.json lists it
  /healthz       200 while it serves
  /readyz        200 while the ledger can be read
  /metrics       for Prometheus: heights and counts, no accounts, no amounts

It listens on this machine alone, and asks nobody who they are. --listen names
another address, with one of these:
  --users           a file of users, which fees serve password makes.
                    Programs give name and password with each request of /api/
  --trusted-header  the header in which a server before this one names the user.
                    It must remove that header from what others send. It asks
                    from --trusted-proxy, by default from this machine
--tls-cert and --tls-key have it asked by TLS; without them passwords can be
read on the network. All users only read. --host names the server where others
ask for it by another name than the certificate's or its address, for such a
request is refused. A question has --time-limit, and is given up when the
browser has gone.

` + cli.MetricsManual + `

Standard error has what fails, and with --log-requests a line for each request:
its id, which the answer has as X-Request-Id, the pattern of its path, its
status, how long it took. No path and no query is logged: they name accounts.
--log json is for programs.

--gateway tells balances, which prove statements, and the blocks whose fees are
explained step by step; it may be an archive. Without --ledger it is shown
itself, where it is an archive or the demo: a ledger is made for as long as it
serves. Several ledgers, such as those of two networks, have names of their own,
and their pages are below these: --ledger moonbeam=fees.db --ledger
moonriver=river.db.

` + cli.LabelsManual + `

` + pricesManual

const serveExamples = `  fees serve --gateway demo
  fees serve --ledger fees.db --gateway http://127.0.0.1:8080
  fees serve --ledger moonbeam=fees.db --ledger moonriver=postgres://db/river
  fees serve --ledger fees.db --packages closed
  fees serve --listen 0.0.0.0:8787 --users users.txt \
      --tls-cert fees.pem --tls-key fees.key    others log in
  fees serve --trusted-header X-Forwarded-User \
      --host fees.example.org    behind a server of that name`

// serveFlags are the flags of fees serve.
type serveFlags struct {
	cli.SourceFlags
	cli.LabelFlags
	priceFlags
	accessFlags
	cli.MetricsFlags
	cli.QuietFlag
	ledgers     []string
	listen      string
	hosts       []string
	packages    string
	limit       time.Duration
	log         string
	logRequests bool
}

func newServe() *cobra.Command {
	var f serveFlags
	c := cli.New(&cobra.Command{
		Use: "serve", Short: "Show a ledger in a browser", Long: serveManual, Example: serveExamples, Args: cobra.NoArgs,
		RunE: f.serve,
	}, f.AddFinal, f.LabelFlags.Add, f.priceFlags.Add, f.MetricsFlags.Add, f.add, f.Concurrent, f.AddQuiet)
	c.AddCommand(newPassword())
	return c
}

func (f *serveFlags) add(c *cobra.Command) {
	flags := c.Flags()
	cli.AddListen(c, &f.listen, "127.0.0.1:8787")
	f.accessFlags.add(c)
	flags.Lookup("gateway").Usage = "who tells balances and what a fee came of: a gateway, an archive, or demo; without --ledger an archive or demo is shown itself"
	flags.StringArrayVar(&f.ledgers, "ledger", nil, "the ledger: a file, or postgres://HOST/DATABASE; or several, each --ledger NAME=PLACE (default: FEES_LEDGER, else "+cli.DefaultLedger+")")
	flags.StringSliceVar(&f.hosts, "host", nil, "names by which others ask for it, with commas")
	flags.StringVar(&f.packages, "packages", "", "the directory with the packages of fees close: they are shown, and checked again")
	flags.DurationVar(&f.limit, "time-limit", web.DefaultTime, "how long a question may take")
	f.log = "text"
	cli.Choice(c, &f.log, "log", "how the log on standard error is written: text or json", "text", "json")
	flags.BoolVar(&f.logRequests, "log-requests", false, "log each request, not only what fails")
}

// check wants flags that go together.
func (f *serveFlags) check() error {
	host, _, err := net.SplitHostPort(f.listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s: want an address with a port, such as 127.0.0.1:8787", f.listen)
	case f.limit < time.Second || f.limit > time.Hour:
		return fmt.Errorf("--time-limit %v: want between 1s and 1h", f.limit)
	case f.Gateway != "" && len(f.ledgers) > 1:
		return errors.New("--gateway: it tells of one ledger, and --ledger names several")
	case f.prices != "" && len(f.ledgers) > 1:
		return errors.New("--prices: they are of one network's token, and --ledger names several")
	}
	if err := f.accessFlags.check(f.listen, host); err != nil {
		return err
	}
	return isDirectory("--packages", f.packages)
}

// isDirectory wants a flag to name a directory, or nothing.
func isDirectory(flag, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: no such directory: fees close puts packages into it", flag, path)
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: it is no directory", flag, path)
	}
	return nil
}

// serve serves the pages until it is ended.
func (f *serveFlags) serve(c *cobra.Command, _ []string) error {
	if err := f.check(); err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	ctx, stop := context.WithCancel(c.Context())
	counts := metrics.New(cli.Version())
	f.Observer = counts.Source()
	o := web.Options{Program: cli.Version(), Hosts: f.hosts, Log: f.logger(stderr), Metrics: counts, Time: f.limit, Ending: ctx.Done(), Working: new(sync.WaitGroup)}
	defer o.Working.Wait()
	defer stop()
	defer func() {
		for _, l := range o.Ledgers {
			l.Desk.Close()
		}
	}()
	secured, err := f.accessFlags.fill(&o)
	if err != nil {
		return err
	}
	named, err := f.named()
	if err != nil {
		return err
	}
	for _, n := range named {
		l, err := f.open(ctx, n, stderr)
		if err != nil {
			return err
		}
		o.Ledgers = append(o.Ledgers, *l)
	}
	listener, err := cli.ListenAt(f.listen)
	if err != nil {
		return err
	}
	handler := web.Handler(o)
	end, err := f.MetricsFlags.Serve(ctx, counts, func(ctx context.Context) error { return web.Readable(ctx, o.Ledgers) }, stderr)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer end()
	if host, _, _ := net.SplitHostPort(f.listen); f.isReadable(host) {
		fmt.Fprintln(stderr, "fees: warning: passwords and figures can be read on the network: --tls-cert and --tls-key encrypt them, or a server with TLS before this one")
	}
	scheme := "http"
	if secured != nil {
		scheme, listener = "https", tls.NewListener(listener, secured)
	}
	for _, l := range o.Ledgers {
		path := ""
		if len(o.Ledgers) > 1 {
			path = "/" + l.Name
		}
		fmt.Fprintf(stderr, "fees: the ledger %s is at %s://%s%s\n", l.Desk.Place, scheme, listener.Addr(), path)
	}
	return reply.Serve(ctx, listener, handler)
}

// logger is the log on standard error.
func (f *serveFlags) logger(stderr io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelWarn}
	if f.logRequests {
		o.Level = slog.LevelInfo
	}
	if f.log == "json" {
		return slog.New(slog.NewJSONHandler(stderr, o))
	}
	return slog.New(slog.NewTextHandler(stderr, o))
}

// namedLedger is a ledger of --ledger: its place is "" where that says nothing.
type namedLedger struct{ name, place string }

// aLedgerName is the beginning of --ledger that gives a name.
var aLedgerName = regexp.MustCompile(`^([a-z0-9][a-z0-9_-]{0,63})=(.+)$`)

// ownPaths are those of the server that stand beside the ledgers'.
var ownPaths = []string{"api", "login", "logout", "theme", "metrics", "healthz", "readyz"}

// named are the ledgers that are meant. Each of several has a name of its own.
func (f *serveFlags) named() (list []namedLedger, err error) {
	if len(f.ledgers) == 0 {
		return []namedLedger{{}}, nil
	}
	for _, text := range f.ledgers {
		n := namedLedger{place: text}
		if found := aLedgerName.FindStringSubmatch(text); found != nil {
			n = namedLedger{found[1], found[2]}
		}
		if len(f.ledgers) > 1 {
			switch {
			case n.name == "":
				return nil, fmt.Errorf("--ledger %s: give each of several a name of small letters, digits, - and _, such as --ledger one=fees.db", app.ShownLedger(text))
			case slices.Contains(ownPaths, n.name):
				return nil, fmt.Errorf("--ledger %s: the server has a path of its own with this name: give the ledger another one", n.name)
			case slices.ContainsFunc(list, func(other namedLedger) bool { return other.name == n.name }):
				return nil, fmt.Errorf("--ledger %s: two ledgers have this name", n.name)
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// open opens a ledger, or makes one of an archive for as long as it is shown.
func (f *serveFlags) open(ctx context.Context, n namedLedger, stderr io.Writer) (l *web.Ledger, err error) {
	at := &cli.LedgerFlags{Ledger: n.place}
	l = &web.Ledger{Name: n.name, Flags: f.LabelFlags.Line(), PricesFile: f.prices}
	if n.place != "" {
		l.Place = app.ShownLedger(n.place)
	}
	if f.NetworkFile != "" {
		l.Flags += " --network-file " + console.Argument(f.NetworkFile)
	}
	if l.Prices, err = f.priceFlags.Read(); err != nil {
		return nil, err
	}
	if l.Labels, err = f.LabelFlags.ReadBook(at, f.Quiet, stderr); err != nil {
		return nil, err
	}
	if f.Gateway != "" {
		if l.Source, err = f.Reader(); err != nil {
			return nil, err
		}
		l.Gateway = cli.ShownPlace(f.Gateway)
	}
	l.Packages = f.packages
	temporary := l.Source != nil && !at.Named()
	l.Open = func(ctx context.Context) (*app.Desk, error) {
		if temporary {
			return f.temporary(ctx, l.Source, stderr)
		}
		return at.Open(ctx, f.NetworkFile)
	}
	if l.Desk, err = l.Open(ctx); err != nil {
		return nil, err
	}
	state, err := l.Desk.State(ctx)
	if err != nil {
		l.Desk.Close()
		return nil, err
	}
	l.Network = state.Network
	if span, ok := state.Span.Get(); ok && temporary {
		l.Place = cli.DefaultLedger
		l.Made = fmt.Sprintf("fees sync %v --gateway %s --ledger %s", span, console.Argument(l.Gateway), l.Place)
	}
	return l, nil
}

// temporary makes a ledger of an archive.
func (f *serveFlags) temporary(ctx context.Context, reader *source.Reader, stderr io.Writer) (*app.Desk, error) {
	heights, err := reader.Source.Kept()
	if err != nil {
		return nil, err
	}
	kept, known := heights.Get()
	if !known {
		return nil, fmt.Errorf("--gateway %s: it is no archive: fill a ledger with its blocks by fees sync, and serve that", cli.ShownPlace(f.Gateway))
	}
	p := cli.NewProgress(stderr, "blocks", f.Quiet)
	defer p.End()
	return f.Temporary(ctx, reader, app.Heights(kept.First, kept.Last), p)
}
