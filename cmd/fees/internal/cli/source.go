package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// SourceFlags say where blocks come from and what prices them.
type SourceFlags struct {
	network      string
	NetworkFile  string
	rules        string
	multiplierAt string
	unfinalized  bool
	GatewayFlags
}

// Add adds the flags.
func (f *SourceFlags) Add(c *cobra.Command) {
	f.AddFinal(c)
	c.Flags().BoolVar(&f.unfinalized, "unfinalized", false, "accept a block that is not final; head is then the newest of all")
}

// AddFinal is for commands that take final blocks alone.
func (f *SourceFlags) AddFinal(c *cobra.Command) {
	flags := c.Flags()
	f.GatewayFlags.Add(c, "where blocks come from: a gateway's URL, a directory of recordings, or demo")
	flags.StringVar(&f.network, "network", "", "the network, where the gateway does not tell; an error if it tells another")
	flags.StringVar(&f.NetworkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	flags.StringVar(&f.rules, "rules", "auto", "auto: the rules of the runtime that executed the block; spec: the specification's own table")
	flags.StringVar(&f.multiplierAt, "multiplier-at", "", "use the multiplier stored at the block or at its parent, whatever the rules say (block, parent)")
	f.AddTrust(c)
	Complete(c, "gateway", demo.Name)
	Complete(c, "network", network.BuiltIn().Names()...)
	Complete(c, "rules", "auto", "spec")
	Complete(c, "multiplier-at", "block", "parent")
}

// Complete has the shell complete a flag with these values.
func Complete(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // the flag does not exist
	}
}

// Reader checks the flags and opens the source.
func (f *SourceFlags) Reader() (*source.Reader, error) {
	if f.rules != "auto" && f.rules != "spec" {
		return nil, fmt.Errorf("--rules %q: want auto or spec", f.rules)
	}
	at := network.MultiplierAt(f.multiplierAt)
	if at != "" && at != network.AtBlock && at != network.AtParent {
		return nil, fmt.Errorf("--multiplier-at %q: want block or parent", f.multiplierAt)
	}
	tables, err := app.ReadTables(f.NetworkFile)
	if err != nil {
		return nil, err
	}
	f.known = tables.Anchors
	src, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &source.Reader{
		Source:        src,
		Tables:        tables,
		Network:       f.network,
		Specification: f.rules == "spec",
		MultiplierAt:  at,
		Unfinalized:   f.unfinalized,
	}, nil
}

// Desk is the ledger, or one that is made for the moment where a gateway is named.
func (f *SourceFlags) Desk(ctx context.Context, book *LedgerFlags, asked app.Period, p *Progress) (*app.Desk, error) {
	if f.Gateway == "" {
		return book.Open(ctx, f.NetworkFile)
	}
	reader, err := f.Reader()
	if err != nil {
		return nil, err
	}
	return f.Temporary(ctx, reader, asked, p)
}

// Temporary makes a ledger for the moment of what a gateway has.
func (f *SourceFlags) Temporary(ctx context.Context, reader *source.Reader, asked app.Period, p *Progress) (*app.Desk, error) {
	return app.Temporary(ctx, "of "+ShownPlace(f.Place()), asked, app.FillOptions{Reader: reader, Concurrency: f.Concurrency, Progress: p.Asked()})
}

// GatewayFlags say which gateway is asked, and how.
type GatewayFlags struct {
	Gateway     string
	RPS         float64 // 0: any number
	Concurrency int     // the client's default if 0
	WithoutKey  bool    // the API key is another's
	trust       string
	known       func(specName string) []chain.Anchor // blocks that are known; the built-in tables' if nil
	ConnectionFlags
}

// Of adds the flags, with what is said of the gateway in its usage.
func (f *GatewayFlags) Of(what string) func(*cobra.Command) {
	return func(c *cobra.Command) { f.Add(c, what) }
}

// Add adds the flags. What is said of the gateway in its usage.
func (f *GatewayFlags) Add(c *cobra.Command, what string) {
	flags := c.Flags()
	flags.StringVar(&f.Gateway, "gateway", "", what+" (default: FEES_GATEWAY, else GATEWAY_NODE_URL, else "+DefaultGateway+")")
	flags.Float64Var(&f.RPS, "rps", 0, "send at most this many requests in a second (0: any number)")
	f.ConnectionFlags.Add(c)
}

// DefaultGateway is the gateway's own default address.
const DefaultGateway = "http://127.0.0.1:8080"

// Place is what the flag says, or FEES_GATEWAY, or GATEWAY_NODE_URL, the specification's name
// for the address of a gateway's node, or the default.
func (f *GatewayFlags) Place() string {
	return cmp.Or(f.Gateway, os.Getenv("FEES_GATEWAY"), os.Getenv("GATEWAY_NODE_URL"), DefaultGateway)
}

// AddTrust adds the flag for a block that is trusted.
func (f *GatewayFlags) AddTrust(c *cobra.Command) {
	c.Flags().StringVar(&f.trust, "trust", "", "HEIGHT:HASH, a block that you trust, as an explorer shows it: all up to it in an archive that was recorded with --proofs is proved by it")
}

// Trusted is the block that the flag names.
func (f *GatewayFlags) Trusted() (none chain.Optional[chain.Anchor], err error) {
	if f.trust == "" {
		return none, nil
	}
	a, err := chain.ParseAnchor(f.trust)
	if err != nil {
		return none, fmt.Errorf("--trust: %w", err)
	}
	return chain.Some(a), nil
}

// Open checks the flags and opens the source.
func (f *GatewayFlags) Open() (source.Source, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	trusted, err := f.Trusted()
	if err != nil {
		return nil, err
	}
	known := f.known
	if known == nil {
		known = network.BuiltIn().Anchors
	}
	return f.open(f.Place(), source.Options{Options: options, Trusted: trusted, Known: known})
}

func (f *GatewayFlags) open(place string, options source.Options) (source.Source, error) {
	src, err := source.Open(place, options)
	f.Closes(src)
	if errors.Is(err, source.ErrNoProofs) {
		err = fmt.Errorf("--trust: %s: %w (fees archive record --proofs)", ShownPlace(place), err)
	}
	return src, err
}

// OpenOther opens another source than the flag's. The flag's key is not for it.
func (f *GatewayFlags) OpenOther(place string) (source.Source, error) {
	if withoutPassword(place) != place {
		return nil, errors.New("a password in a URL could be seen by others on this machine")
	}
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	options.APIKey = ""
	return f.open(place, source.Options{Options: options})
}

// Options checks the flags, and says how the gateway is asked.
func (f *GatewayFlags) Options() (httpclient.Options, error) {
	if err := checkSecrets("--gateway", f.Gateway, "FEES_GATEWAY"); err != nil {
		return httpclient.Options{}, err
	}
	if f.RPS < 0 || math.IsNaN(f.RPS) {
		return httpclient.Options{Concurrency: f.Concurrency}, fmt.Errorf("--rps %v: want a number of 0 or more", f.RPS)
	}
	c, err := f.Connection()
	if f.WithoutKey {
		c.apiKey = ""
	}
	return httpclient.Options{Total: c.Timeout, RPS: f.RPS, Concurrency: f.Concurrency, APIKey: c.apiKey, APIKeyHeader: c.apiKeyHeader, RootCAs: c.RootCAs, Observer: f.Observer}, err
}

// Concurrent adds the flag for how many questions are asked at once, and checks it.
func (f *GatewayFlags) Concurrent(c *cobra.Command) { addConcurrency(c, &f.Concurrency) }
