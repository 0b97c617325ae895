package main

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive/demo"
	"github.com/feeledger/fees/gatewayclient"
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
	flags := c.Flags()
	f.gatewayFlags.add(c, "where blocks come from: a gateway's URL, a directory of recordings, or demo")
	flags.StringVar(&f.network, "network", "", "the network, where the gateway does not tell; an error if it tells another")
	flags.StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	flags.StringVar(&f.rules, "rules", "auto", "auto: the rules of the runtime that executed the block; spec: the specification's own table")
	flags.StringVar(&f.multiplierAt, "multiplier-at", "", "use the multiplier stored at the block or at its parent, whatever the rules say (block, parent)")
	flags.BoolVar(&f.unfinalized, "unfinalized", false, "accept a block that is not final; head is then the newest of all")
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
	tables, err := loadTables(f.networkFile)
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

// withoutPassword is a URL without its user name and password; any other text
// stays as it is.
func withoutPassword(place string) string {
	if !strings.Contains(place, "@") {
		return place
	}
	u, err := url.Parse(place)
	if err != nil || u.User == nil {
		return place
	}
	u.User = nil
	return u.String()
}

// gatewayFlags say which gateway is asked, and how.
type gatewayFlags struct {
	gateway      string
	timeout      time.Duration
	rps          float64
	apiKeyFile   string
	apiKeyHeader string
	caFile       string
}

func (f *gatewayFlags) add(c *cobra.Command, what string) {
	flags := c.Flags()
	flags.StringVar(&f.gateway, "gateway", "", what+" (default: FEES_GATEWAY, else "+defaultGateway+")")
	flags.DurationVar(&f.timeout, "timeout", gatewayclient.DefaultTotal, "give an answer up after this time, further attempts included")
	flags.Float64Var(&f.rps, "rps", 0, "send at most this many requests in a second (0: any number)")
	flags.StringVar(&f.apiKeyFile, "api-key-file", "", "a file with the API key that the gateway wants (default: FEES_API_KEY in the environment)")
	flags.StringVar(&f.apiKeyHeader, "api-key-header", gatewayclient.DefaultAPIKeyHeader, "the header that carries the API key")
	flags.StringVar(&f.caFile, "ca-file", "", "a PEM file with the certificates to trust instead of the system's")
}

// defaultGateway is the gateway's own default address.
const defaultGateway = "http://127.0.0.1:8080"

// place is what the flag says, or the environment, or the default.
func (f *gatewayFlags) place() string {
	return cmp.Or(f.gateway, os.Getenv("FEES_GATEWAY"), defaultGateway)
}

// open checks the flags and opens the source.
func (f *gatewayFlags) open() (source.Source, error) {
	if withoutPassword(f.gateway) != f.gateway {
		return nil, errors.New("--gateway: a user name or password in an argument can be seen by others on this machine: put the URL in FEES_GATEWAY in the environment")
	}
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	return source.Open(f.place(), options)
}

// mostKeyBytes is far more than an API key has.
const mostKeyBytes = 4096

func (f *gatewayFlags) options() (gatewayclient.Options, error) {
	o := gatewayclient.Options{Total: f.timeout, RPS: f.rps, APIKeyHeader: f.apiKeyHeader, APIKey: os.Getenv("FEES_API_KEY")}
	switch {
	case f.timeout <= 0:
		return o, fmt.Errorf("--timeout %v: want a time above 0, such as 30s", f.timeout)
	case f.rps < 0:
		return o, fmt.Errorf("--rps %v: want a number of 0 or more", f.rps)
	}
	if f.apiKeyFile != "" {
		key, err := readSmallFile(f.apiKeyFile, mostKeyBytes)
		if err != nil {
			return o, fmt.Errorf("--api-key-file: %w", err)
		}
		o.APIKey = strings.TrimSpace(string(key))
	}
	if strings.ContainsFunc(o.APIKey, unicode.IsControl) {
		return o, errors.New("the API key has control characters in it: want one line")
	}
	if f.caFile != "" {
		certificates, err := readSmallFile(f.caFile, mostTableBytes)
		if err != nil {
			return o, fmt.Errorf("--ca-file: %w", err)
		}
		o.RootCAs = x509.NewCertPool()
		if !o.RootCAs.AppendCertsFromPEM(certificates) {
			return o, fmt.Errorf("--ca-file %s: no certificate in PEM form in it", f.caFile)
		}
	}
	return o, nil
}
