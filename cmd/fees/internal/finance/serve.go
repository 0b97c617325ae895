package finance

import (
	"cmp"
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
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/source"
)

var serveManual = `Serve a ledger as web pages and as a JSON API. The server only reads; fees sync
and fees follow may write the ledger meanwhile. Ctrl-C stops the server once
pending requests finish.

Pages:
  overview         your month: fees, what changed, what is left to close it
  fees             by any grouping, with filters, another period or a currency
  accounts         with statement and rollforward
  transactions     with every step of the fee
  findings         failed checks, drifts and undetermined fees
  reconciliation   compares your own record with the ledger
  packages         the close packages in --packages
  chain            the ledger's blocks and evidence, fees of all accounts
Blocks, contracts and search have pages too. A page's URL contains all of its
parameters. Each page's footer shows the equivalent command line.

  /api/v1/...    the JSON of the command line, as in /api/v1/openapi.json
  /healthz       200 while the server runs
  /readyz        200 while a ledger can be read; it names those that cannot be
  /metrics       for Prometheus: heights and counts, no accounts, no amounts

By default it listens on this machine only, without login. --listen sets
another address, and requires one of these:
  --users           a file of users, created with fees serve password. Programs
                    send name and password with each request to /api/
  --trusted-header  the header in which a reverse proxy names the user. The
                    proxy must strip this header from incoming requests. Its
                    address is --trusted-proxy, by default this machine
Use --tls-cert and --tls-key. Without TLS, passwords cross the network in clear
text. Users only read, except with --close: it lets preparers make packages and
reviewers approve those of others (fees serve password --role), with each act
in the ledger's audit trail. With --edit-labels, preparers edit the address
book, with each edit in the audit trail. Requests are refused unless the host
is one of the server's own addresses, in the certificate, or in --host.
--time-limit limits each request, which also ends when the browser closes the
connection.

Failures are logged on standard error, and with --log-requests every request:
its ID (also in the response as X-Request-Id), the pattern of its path, its
status, and its duration. Paths and queries are never logged, since they
contain accounts. --log json is for programs.

--company names the accounts that pages show first, such as group:company. The
address of each page states them; accounts=all shows all. In the menu Accounts,
each user may choose others, which the browser remembers.

--gateway supplies balances, which statements are checked against, and the
blocks of fee explanations. It can be an archive. Without --ledger, an archive
or the demo is served directly. To serve several ledgers, name each: --ledger
moonbeam=fees.db --ledger moonriver=river.db. The first page then lists the
months of all, with their total in the currency of --prices. Name the pair of
each price file, such as GLMR/EUR=FILE. Each ledger has its own queues. One that
cannot be opened is named at the start, by its pages and by /readyz, and the
others are served.

` + cli.MetricsManual + `

` + pricesFormat + `

A missing price is an error. If a page includes incomplete periods, the
affected amounts and totals have no value instead.

` + cli.LabelsManual

const serveExamples = `  fees serve --gateway demo
  fees serve --ledger fees.db --gateway http://127.0.0.1:8080
  fees serve --ledger moonbeam=fees.db --ledger moonriver=postgres://db/river
  fees serve --ledger fees.db --packages closed
  fees serve --ledger fees.db --company group:company
  fees serve --listen 0.0.0.0:8787 --users users.txt \
      --tls-cert fees.pem --tls-key fees.key    with login, on the network
  fees serve --trusted-header X-Forwarded-User \
      --host fees.example.org    behind a reverse proxy`

// serveFlags are the flags of fees serve.
type serveFlags struct {
	cli.SourceFlags
	cli.LabelFlags
	priceFlags
	accessFlags
	cli.MetricsFlags
	cli.QuietFlag
	ledgers     []string
	company     []string
	listen      string
	hosts       []string
	packages    string
	close       bool
	editLabels  bool
	limit       time.Duration
	font        string
	log         string
	logRequests bool
}

func newServe() *cobra.Command {
	var f serveFlags
	c := cli.New(&cobra.Command{
		Use: "serve", Short: "Serve a ledger as web pages and JSON", Long: serveManual, Example: serveExamples, Args: cli.Args(0, 0, "no argument"),
		RunE: f.serve,
	}, f.AddFinal, f.LabelFlags.Add, f.priceFlags.Add, f.MetricsFlags.Add, f.add, f.Concurrent, f.AddQuiet)
	c.AddCommand(newPassword())
	return c
}

func (f *serveFlags) add(c *cobra.Command) {
	flags := c.Flags()
	cli.AddListen(c, &f.listen, "127.0.0.1:8787")
	f.accessFlags.add(c)
	flags.Lookup("gateway").Usage = "the source of balances and fee explanations: a gateway, an archive or demo; without --ledger, an archive or demo is served directly"
	flags.StringArrayVar(&f.ledgers, "ledger", nil, "the ledger: a file, or postgres://HOST/DATABASE; several ledgers as NAME=LEDGER, repeated (default: FEES_LEDGER, else "+cli.DefaultLedger+")")
	flags.StringSliceVar(&f.company, "company", nil, "the accounts that pages show first: addresses, labels and group:NAME, comma-separated; users may choose others")
	flags.StringSliceVar(&f.hosts, "host", nil, "other host names of the server, comma-separated")
	flags.StringVar(&f.packages, "packages", "", "the directory of close packages, to show and check them")
	flags.BoolVar(&f.close, "close", false, "let users with roles prepare, review and close packages; needs --packages and --users")
	flags.BoolVar(&f.editLabels, "edit-labels", false, "let preparers edit the address book; needs --users")
	flags.StringVar(&f.font, "font", "", fontUsage)
	flags.DurationVar(&f.limit, "time-limit", web.DefaultTime, "the maximum duration of a request")
	f.log = "text"
	cli.Choice(c, &f.log, "log", "the log format on standard error: text or json", "text", "json")
	flags.BoolVar(&f.logRequests, "log-requests", false, "log every request, not only failures")
}

// check checks the combination of flags.
func (f *serveFlags) check() error {
	host, _, err := net.SplitHostPort(f.listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s must be an address with a port, such as 127.0.0.1:8787", f.listen)
	case f.limit < time.Second || f.limit > time.Hour:
		return fmt.Errorf("--time-limit %v must be from 1s to 1h", f.limit)
	case f.Gateway != "" && len(f.ledgers) > 1:
		return errors.New("--gateway serves only one ledger; leave it out, or name one --ledger")
	}
	if err := f.accessFlags.check(f.listen, host); err != nil {
		return err
	}
	if f.close && (f.packages == "" || f.accessFlags.users == "") {
		return errors.New("--close needs --packages DIR and --users FILE, whose users have roles (fees serve password NAME --role)")
	}
	if f.editLabels && f.accessFlags.users == "" {
		return errors.New("--edit-labels needs --users FILE, whose users have roles (fees serve password NAME --role preparer)")
	}
	return isDirectory("--packages", f.packages)
}

// isDirectory checks that a flag, if set, names a directory.
func isDirectory(flag, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s does not exist; create packages in it with fees close", flag, path)
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s is not a directory", flag, path)
	}
	return nil
}

// readAhead limits how much later the server answers because it reads the first page's figures.
const readAhead = 3 * time.Second

// serve runs fees serve.
func (f *serveFlags) serve(c *cobra.Command, _ []string) error {
	if err := f.check(); err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	ctx, stop := context.WithCancel(c.Context())
	counts := metrics.New(cli.Version())
	f.Observer = counts.Source()
	o := web.Options{Program: cli.Version(), Hosts: f.hosts, Log: f.logger(stderr), Metrics: counts, Time: f.limit, Ending: ctx.Done(), Working: new(sync.WaitGroup), ReadAhead: readAhead}
	defer o.Working.Wait()
	defer stop()
	defer func() {
		for _, l := range o.Ledgers {
			if l.Ledger != nil {
				l.Ledger.Close()
			}
		}
	}()
	font, err := app.ReadFont(f.font)
	if err != nil {
		return err
	}
	o.Paper.Font = font
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
		if l.Wrong != nil {
			fmt.Fprintf(stderr, "fees: warning: the ledger %s is not served: %s\n", l.Name, plain.Line(l.Wrong.Error()))
		}
		o.Ledgers = append(o.Ledgers, *l)
	}
	if !slices.ContainsFunc(o.Ledgers, func(l web.Served) bool { return l.Wrong == nil }) {
		f.ledgers = []string{named[0].place} // the advice is about this one
		return o.Ledgers[0].Wrong
	}
	if len(o.Ledgers) > 1 {
		if err := f.readPrices(ctx, o.Ledgers); err != nil {
			return err
		}
	}
	listener, err := cli.ListenAt(f.listen)
	if err != nil {
		return err
	}
	handler := web.Handler(o)
	end, err := f.MetricsFlags.Serve(ctx, counts, func(ctx context.Context) error { return readable(ctx, o.Ledgers) }, stderr)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer end()
	if host, _, _ := net.SplitHostPort(f.listen); f.isReadable(host) {
		fmt.Fprintln(stderr, "fees: warning: passwords and figures are sent unencrypted; use --tls-cert and --tls-key, or a reverse proxy with TLS")
	}
	scheme := "http"
	if secured != nil {
		scheme, listener = "https", tls.NewListener(listener, secured)
	}
	for _, l := range o.Ledgers {
		if l.Wrong != nil {
			continue
		}
		path := ""
		if len(o.Ledgers) > 1 {
			path = "/" + l.Name
		}
		fmt.Fprintf(stderr, "fees: serving the ledger %s at %s://%s%s\n", l.Ledger.Place, scheme, listener.Addr(), path)
	}
	return app.Serve(ctx, listener, handler)
}

// readable returns an error if none of the ledgers can be read.
func readable(ctx context.Context, list []web.Served) error {
	if wrong := web.Unreadable(ctx, list); len(wrong) == len(list) {
		return errors.New(wrong[0])
	}
	return nil
}

// logger returns the log on standard error.
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

// namedLedger is a value of --ledger, with place "" if the flag is not set.
type namedLedger struct{ name, place string }

// aLedgerName matches a value of --ledger with a name.
var aLedgerName = regexp.MustCompile(`^([a-z0-9][a-z0-9_-]{0,63})=(.+)$`)

// ownPaths are the server's own top-level paths, next to those of ledgers.
var ownPaths = []string{"api", "login", "logout", "theme", "metrics", "months", "healthz", "readyz"}

// named returns the ledgers to serve. Several ledgers must have distinct names.
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
				return nil, fmt.Errorf("--ledger %s: name each of several ledgers in lower-case letters, digits, - and _, such as --ledger one=fees.db", app.ShownLedger(text))
			case slices.Contains(ownPaths, n.name):
				return nil, fmt.Errorf("--ledger %s: the server uses this name for its own pages; choose another one", n.name)
			case slices.ContainsFunc(list, func(other namedLedger) bool { return other.name == n.name }):
				return nil, fmt.Errorf("--ledger %s: two ledgers have this name; choose another one", n.name)
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// open opens a ledger, or fills a temporary one from an archive.
func (f *serveFlags) open(ctx context.Context, n namedLedger, stderr io.Writer) (l *web.Served, err error) {
	at := &cli.LedgerFlags{Ledger: n.place}
	l = &web.Served{Name: n.name, Flags: f.LabelFlags.Line(), NetworkFile: f.NetworkFile, PricesFile: strings.Join(f.prices.Files, ",")}
	if n.place != "" {
		l.Place = app.ShownLedger(n.place)
	}
	if len(f.ledgers) < 2 {
		if l.Prices, err = f.priceFlags.Read(); err != nil {
			return nil, err
		}
	}
	if l.Labels, err = f.LabelFlags.ReadBook(at, f.Quiet, stderr); err != nil {
		return nil, err
	}
	if _, err := l.Labels.ChooseNamed(f.company); err != nil {
		return nil, fmt.Errorf("--company: %w", err)
	}
	l.Company = strings.Join(f.company, ",")
	if l.EditLabels = f.editLabels; f.editLabels && l.Labels == nil {
		return nil, errors.New("--edit-labels needs an address book; name one with --labels, or save it as accounts.csv next to the ledger")
	}
	if f.editLabels {
		if err := l.Labels.CheckWritable(); err != nil {
			return nil, fmt.Errorf("--edit-labels cannot write the address book: %w", err)
		}
	}
	if f.Gateway != "" {
		if l.Source, err = f.Reader(); err != nil {
			return nil, err
		}
		l.Gateway = cli.ShownPlace(f.Gateway)
	}
	l.Packages = f.packages
	temporary := l.Source != nil && !at.Named()
	l.Open = func(ctx context.Context) (*app.Ledger, error) {
		if temporary {
			return f.temporary(ctx, l.Source, stderr)
		}
		return at.Open(ctx, f.NetworkFile)
	}
	if l.Closes = f.close; f.close || f.editLabels {
		if temporary {
			flag := "--edit-labels"
			if f.close {
				flag = "--close"
			}
			return nil, fmt.Errorf("%s needs a ledger that keeps the audit trail; name it with --ledger", flag)
		}
		l.OpenTrail = func(ctx context.Context) (*app.Ledger, error) { return at.OpenTrail(ctx, f.NetworkFile) }
	}
	var state app.State
	if l.Ledger, err = l.Open(ctx); err == nil {
		if state, err = l.Ledger.State(ctx); err != nil {
			l.Ledger.Close()
			l.Ledger = nil
		}
	}
	if err != nil && len(f.ledgers) > 1 && ctx.Err() == nil {
		l.Wrong = err // the others are served
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.Network = state.Network
	if span, ok := state.Span.Get(); ok && temporary {
		l.Place = cli.DefaultLedger
		l.Made = fmt.Sprintf("fees sync %v --gateway %s --ledger %s", span, console.Argument(l.Gateway), l.Place)
	}
	return l, nil
}

// readPrices reads the prices of the tokens of several ledgers.
func (f *serveFlags) readPrices(ctx context.Context, ledgers []web.Served) error {
	var tokens []console.Token
	for _, l := range ledgers {
		if l.Wrong != nil {
			tokens = append(tokens, console.Token{})
			continue
		}
		token, err := l.Ledger.Token(ctx)
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	lists, err := app.ReadPricesOf(f.prices, tokens)
	for i := range lists {
		files, unread := f.prices.Of(lists[i])
		ledgers[i].Prices, ledgers[i].PricesFile, err = lists[i], strings.Join(files, ","), cmp.Or(err, unread)
	}
	return err
}

// temporary returns a temporary ledger of an archive's blocks.
func (f *serveFlags) temporary(ctx context.Context, reader *source.Reader, stderr io.Writer) (*app.Ledger, error) {
	heights, err := source.Kept(reader.Source)
	if err != nil {
		return nil, err
	}
	kept, known := heights.Get()
	if !known {
		return nil, fmt.Errorf("--gateway %s is not an archive; fill a ledger with fees sync and serve that", cli.ShownPlace(f.Gateway))
	}
	p := cli.NewProgress(stderr, "blocks", f.Quiet)
	defer p.End()
	return f.Temporary(ctx, reader, app.Heights(kept.First, kept.Last), p)
}
