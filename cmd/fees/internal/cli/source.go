package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// SourceFlags select the source of blocks and the rules that price them.
type SourceFlags struct {
	network      string
	NetworkFile  string
	rules        string
	multiplierAt string
	unfinalized  bool
	node         string
	GatewayFlags
}

// Add adds the flags.
func (f *SourceFlags) Add(c *cobra.Command) {
	f.AddFinal(c)
	c.Flags().BoolVar(&f.unfinalized, "unfinalized", false, "also use blocks that are not final")
}

// AddHead adds the flags for commands that take "head" as a block.
func (f *SourceFlags) AddHead(c *cobra.Command) {
	f.Add(c)
	c.Flags().Lookup("unfinalized").Usage = "accept blocks that are not final; head is then the newest block"
}

// AddFinal adds the flags for commands that only accept final blocks.
func (f *SourceFlags) AddFinal(c *cobra.Command) {
	flags := c.Flags()
	f.GatewayFlags.Add(c, "the source of blocks: the URL of a gateway or node, an archive, a directory of recorded responses, or demo")
	flags.StringVar(&f.network, "network", "", "the network, if the gateway does not report it; if it does, both must agree")
	flags.StringVar(&f.NetworkFile, "network-file", "", "a file with your own network tables, in the format of fees networks --format json")
	flags.StringVar(&f.node, "node", "", "the URL of a node of the same chain, for what the gateway does not serve (default: FEES_NODE)")
	flags.StringVar(&f.rules, "rules", "auto", "auto: rules of the block's runtime; spec: the table in fee rule 6 of the specification")
	flags.StringVar(&f.multiplierAt, "multiplier-at", "", "override where the multiplier is read: block or parent")
	f.AddTrust(c)
	Complete(c, "gateway", app.Demo)
	Complete(c, "network", network.BuiltIn().Names()...)
	Complete(c, "rules", "auto", "spec")
	Complete(c, "multiplier-at", "block", "parent")
}

// Reader checks the flags and opens the source.
func (f *SourceFlags) Reader() (*source.Reader, error) {
	if f.rules != "auto" && f.rules != "spec" {
		return nil, fmt.Errorf("--rules %q must be auto or spec", f.rules)
	}
	at := network.MultiplierAt(f.multiplierAt)
	if at != "" && at != network.AtBlock && at != network.AtParent {
		return nil, fmt.Errorf("--multiplier-at %q must be block or parent", f.multiplierAt)
	}
	tables, err := app.ReadTables(f.NetworkFile)
	if err != nil {
		return nil, err
	}
	f.tables = chain.Some(tables)
	src, err := f.Open()
	if err != nil {
		return nil, err
	}
	beside, err := f.beside()
	if err != nil {
		return nil, err
	}
	return &source.Reader{
		Source:        src,
		Beside:        beside,
		Tables:        tables,
		Network:       f.network,
		Specification: f.rules == "spec",
		MultiplierAt:  at,
		Unfinalized:   f.unfinalized,
	}, nil
}

// beside returns the node named by --node or the environment as a source, nil if none is. It is not connected yet.
func (f *SourceFlags) beside() (source.Source, error) {
	node, _, err := f.NodeBeside(nil)
	if err != nil || node == nil {
		return nil, err
	}
	return app.NodeSource(node), nil
}

// OpenLedger opens the ledger, or a temporary one if a gateway is named.
func (f *SourceFlags) OpenLedger(ctx context.Context, book *LedgerFlags, asked app.Period, p *Progress) (*app.Ledger, error) {
	if f.Gateway == "" {
		return book.Open(ctx, f.NetworkFile)
	}
	reader, err := f.Reader()
	if err != nil {
		return nil, err
	}
	return f.Temporary(ctx, reader, asked, p)
}

// Temporary returns a temporary ledger of a gateway's blocks.
func (f *SourceFlags) Temporary(ctx context.Context, reader *source.Reader, asked app.Period, p *Progress) (*app.Ledger, error) {
	return app.Temporary(ctx, "of "+ShownPlace(f.Place()), asked, app.FillOptions{Reader: reader, Concurrency: f.Concurrency, Progress: p.Asked()})
}

// GatewayFlags select the gateway.
type GatewayFlags struct {
	Gateway     string
	gateways    []string // all that the flag names
	RPS         float64  // 0 for unlimited
	Concurrency int      // the client's default if 0
	WithoutKey  bool     // the API key is not for the gateway
	trust       string
	trustSet    string
	context     context.Context                // of the command, for the proof from trustSet
	tables      chain.Optional[network.Tables] // the built-in ones if unknown
	ConnectionFlags
}

// Of returns a function that adds the flags; what is the usage of --gateway.
func (f *GatewayFlags) Of(what string) func(*cobra.Command) {
	return func(c *cobra.Command) { f.Add(c, what) }
}

// Add adds the flags; what is the usage of --gateway.
func (f *GatewayFlags) Add(c *cobra.Command, what string) {
	flags := c.Flags()
	flags.Var(&repeated{&f.Gateway, &f.gateways}, "gateway", what+" (default: FEES_GATEWAY, else GATEWAY_NODE_URL, else "+DefaultGateway+")")
	flags.Float64Var(&f.RPS, "rps", 0, "maximum requests per second (0: unlimited)")
	f.ConnectionFlags.Add(c)
}

// DefaultGateway is the default address of a gateway.
const DefaultGateway = "http://127.0.0.1:8080"

// Place returns the flag's value, the environment's or the default.
func (f *GatewayFlags) Place() string {
	return cmp.Or(f.Gateway, gatewayOfEnvironment(), DefaultGateway)
}

// Remembered returns the place for a ledger to remember: without secrets, and with "…" for what was left out.
func (f *GatewayFlags) Remembered() string { return remembered(f.Place()) }

func remembered(place string) string {
	shown := ShownPlace(place)
	if place != shown && place != shown+"/" {
		shown += "/…"
	}
	return shown
}

// gatewayOfEnvironment returns FEES_GATEWAY, else GATEWAY_NODE_URL: the specification's name for the address of a
// gateway's node.
func gatewayOfEnvironment() string {
	return cmp.Or(os.Getenv("FEES_GATEWAY"), os.Getenv("GATEWAY_NODE_URL"))
}

// AddTrust adds the flag for a checkpoint.
func (f *GatewayFlags) AddTrust(c *cobra.Command) {
	c.Flags().StringVar(&f.trust, "trust", "", "checkpoint to check the archive's proofs against: HEIGHT:HASH of a block you trust; not needed if the network table contains the block")
	f.addTrustSet(c)
}

// Trusted returns the checkpoint of the flag.
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
	final, err := f.Final(f.Place())
	if err != nil {
		return nil, err
	}
	trusted, err := f.TrustedBy(final)
	if err != nil {
		return nil, err
	}
	o := source.Options{Options: options, Trusted: trusted, Known: f.networks().Anchors}
	if block, proved := final.Get(); proved {
		o.Final = app.FinalityOf(block)
	}
	return f.open(f.Place(), o)
}

// OpenOf opens the source of one of several networks, which --gateway NETWORK=PLACE names. The API key is for none of them.
func (f *GatewayFlags) OpenOf(network string) (source.Source, error) {
	if f.trust+f.trustSet != "" {
		return nil, errors.New("--trust and --trust-set are for one chain. Leave them out, or name one --ledger")
	}
	for _, text := range f.gateways {
		if place, named := strings.CutPrefix(text, network+"="); named {
			one := *f
			one.Gateway, one.WithoutKey = place, true
			return one.Open()
		}
	}
	return nil, fmt.Errorf("no --gateway names the source of %s. Name one for each chain, such as --gateway %s=PLACE", network, network)
}

// NamesOf reports whether --gateway NETWORK=PLACE names the source of a network.
func (f *GatewayFlags) NamesOf(network string) bool {
	return slices.ContainsFunc(f.gateways, func(text string) bool { return strings.HasPrefix(text, network+"=") })
}

// networks returns the network tables.
func (f *GatewayFlags) networks() network.Tables {
	if tables, known := f.tables.Get(); known {
		return tables
	}
	return network.BuiltIn()
}

func (f *GatewayFlags) open(place string, options source.Options) (source.Source, error) {
	src, err := source.Open(place, options)
	f.Closes(src)
	if errors.Is(err, source.ErrNoProofs) {
		err = fmt.Errorf("--trust: %s: %w (fees archive record --proofs)", ShownPlace(place), err)
	}
	return src, SuggestDemo(place, err)
}

// SuggestDemo adds the demo to the error of a place that does not exist, if the place was probably meant as the demo.
func SuggestDemo(place string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && len(similar(place, app.Demo)) > 0 {
		return fmt.Errorf("%w; did you mean %s?", err, app.Demo)
	}
	return err
}

// OpenOther opens another source than the flag's, without its API key.
func (f *GatewayFlags) OpenOther(place string) (source.Source, error) {
	if withoutPassword(place) != place {
		return nil, errors.New("other users of this machine can see a password in an argument; leave it out")
	}
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	options.APIKey = ""
	return f.open(place, source.Options{Options: options})
}

// Options checks the flags and returns the client options.
func (f *GatewayFlags) Options() (gatewayclient.Options, error) {
	if err := checkSecrets("--gateway", f.Gateway, "FEES_GATEWAY"); err != nil {
		return gatewayclient.Options{}, err
	}
	if f.RPS < 0 || math.IsNaN(f.RPS) {
		return gatewayclient.Options{Concurrency: f.Concurrency}, fmt.Errorf("--rps %v must be 0 or more", f.RPS)
	}
	c, err := f.Connection()
	if f.WithoutKey {
		c.apiKey = ""
	}
	return gatewayclient.Options{Total: c.Timeout, RPS: f.RPS, Concurrency: f.Concurrency, APIKey: c.apiKey, APIKeyHeader: c.apiKeyHeader, RootCAs: c.RootCAs, Observer: f.Observer}, err
}

// Concurrent adds and checks the flag for the number of concurrent requests.
func (f *GatewayFlags) Concurrent(c *cobra.Command) { addConcurrency(c, &f.Concurrency) }
