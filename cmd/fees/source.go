package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive/demo"
	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// sourceFlags say where blocks come from and what prices them.
type sourceFlags struct {
	network      string
	networkFile  string
	rules        string
	multiplierAt string
	unfinalized  bool
	gatewayFlags
}

func (f *sourceFlags) add(c *cobra.Command) {
	f.addFinal(c)
	c.Flags().BoolVar(&f.unfinalized, "unfinalized", false, "accept a block that is not final; head is then the newest of all")
}

// addFinal is for commands that take final blocks alone.
func (f *sourceFlags) addFinal(c *cobra.Command) {
	flags := c.Flags()
	f.gatewayFlags.add(c, "where blocks come from: a gateway's URL, a directory of recordings, or demo")
	flags.StringVar(&f.network, "network", "", "the network, where the gateway does not tell; an error if it tells another")
	flags.StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	flags.StringVar(&f.rules, "rules", "auto", "auto: the rules of the runtime that executed the block; spec: the specification's own table")
	flags.StringVar(&f.multiplierAt, "multiplier-at", "", "use the multiplier stored at the block or at its parent, whatever the rules say (block, parent)")
	complete(c, "gateway", demo.Name)
	complete(c, "network", network.BuiltIn().Names()...)
	complete(c, "rules", "auto", "spec")
	complete(c, "multiplier-at", "block", "parent")
}

func complete(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // the flag does not exist
	}
}

// reader checks the flags and opens the source.
func (f *sourceFlags) reader() (*source.Reader, error) {
	if f.rules != "auto" && f.rules != "spec" {
		return nil, fmt.Errorf("--rules %q: want auto or spec", f.rules)
	}
	at := network.MultiplierAt(f.multiplierAt)
	if at != "" && at != network.AtBlock && at != network.AtParent {
		return nil, fmt.Errorf("--multiplier-at %q: want block or parent", f.multiplierAt)
	}
	tables, err := desk.ReadTables(f.networkFile)
	if err != nil {
		return nil, err
	}
	src, err := f.open()
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

// desk is the ledger, or one that is made for the moment where a gateway is named.
func (f *sourceFlags) desk(ctx context.Context, book *ledgerFlags, asked desk.Period, p *progress) (*desk.Desk, error) {
	if f.gateway == "" {
		return book.open(ctx, f.networkFile)
	}
	reader, err := f.reader()
	if err != nil {
		return nil, err
	}
	return f.temporary(ctx, reader, asked, p)
}

// temporary makes a ledger for the moment of what a gateway has.
func (f *sourceFlags) temporary(ctx context.Context, reader *source.Reader, asked desk.Period, p *progress) (*desk.Desk, error) {
	return desk.Temporary(ctx, "of "+shownPlace(f.place()), asked, desk.FillOptions{Reader: reader, Concurrency: f.concurrency, Progress: p.asked()})
}

// gatewayFlags say which gateway is asked, and how.
type gatewayFlags struct {
	gateway     string
	rps         float64
	concurrency int  // the client's default if 0
	withoutKey  bool // the API key is another's
	connectionFlags
}

func (f *gatewayFlags) add(c *cobra.Command, what string) {
	flags := c.Flags()
	flags.StringVar(&f.gateway, "gateway", "", what+" (default: FEES_GATEWAY, else "+defaultGateway+")")
	flags.Float64Var(&f.rps, "rps", 0, "send at most this many requests in a second (0: any number)")
	f.connectionFlags.add(c)
}

// defaultGateway is the gateway's own default address.
const defaultGateway = "http://127.0.0.1:8080"

// place is what the flag says, or the environment, or the default.
func (f *gatewayFlags) place() string {
	return cmp.Or(f.gateway, os.Getenv("FEES_GATEWAY"), defaultGateway)
}

// open checks the flags and opens the source.
func (f *gatewayFlags) open() (source.Source, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	return source.Open(f.place(), options)
}

// openOther opens another source than the flag's. The flag's key is not for it.
func (f *gatewayFlags) openOther(place string) (source.Source, error) {
	if withoutPassword(place) != place {
		return nil, errors.New("a password in a URL could be seen by others on this machine")
	}
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	options.APIKey = ""
	return source.Open(place, options)
}

// options checks the flags, and says how the gateway is asked.
func (f *gatewayFlags) options() (ask.Options, error) {
	if withoutPassword(f.gateway) != f.gateway {
		return ask.Options{}, errPasswordShown("--gateway", "FEES_GATEWAY")
	}
	if f.rps < 0 || math.IsNaN(f.rps) {
		return ask.Options{Concurrency: f.concurrency}, fmt.Errorf("--rps %v: want a number of 0 or more", f.rps)
	}
	c, err := f.connection()
	if f.withoutKey {
		c.apiKey = ""
	}
	return ask.Options{Total: c.timeout, RPS: f.rps, Concurrency: f.concurrency, APIKey: c.apiKey, APIKeyHeader: c.apiKeyHeader, RootCAs: c.rootCAs}, err
}

// mostConcurrency is more than any gateway answers at once.
const mostConcurrency = 256

func (f *gatewayFlags) addConcurrency(c *cobra.Command) {
	c.Flags().IntVar(&f.concurrency, "concurrency", ask.DefaultConcurrency, "ask this many questions at once")
}

func (f *gatewayFlags) checkConcurrency() error {
	if f.concurrency < 1 || f.concurrency > mostConcurrency {
		return fmt.Errorf("--concurrency %d: want a number from 1 to %d", f.concurrency, mostConcurrency)
	}
	return nil
}
