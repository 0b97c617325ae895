package cli

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/httpclient"
)

// ConnectionFlags say how a gateway or a node is reached.
type ConnectionFlags struct {
	Observer     httpclient.Observer // sees each request; may be nil
	timeout      time.Duration
	apiKeyFile   string
	apiKeyHeader string
	caFile       string
	opened       *opened
}

// opened is what a command opened, and closes when it has ended.
type opened struct{ list []io.Closer }

// Closes has something closed when the command has ended, however it did.
func (f *ConnectionFlags) Closes(c any) {
	if c, ok := c.(io.Closer); ok {
		f.opened.list = append(f.opened.list, c)
	}
}

// Add adds the flags. The command closes what it opened with them.
func (f *ConnectionFlags) Add(c *cobra.Command) {
	f.opened = &opened{} // which copies of the flags share
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		defer func() {
			for _, one := range f.opened.list {
				one.Close() // nothing was written to it
			}
		}()
		return run(c, args)
	}
	flags := c.Flags()
	flags.DurationVar(&f.timeout, "timeout", httpclient.DefaultTotal, "give an answer up after this time, further attempts included")
	flags.StringVar(&f.apiKeyFile, "api-key-file", "", "a file with the API key that the provider wants (default: FEES_API_KEY in the environment)")
	flags.StringVar(&f.apiKeyHeader, "api-key-header", httpclient.DefaultAPIKeyHeader, "the header that carries the API key")
	flags.StringVar(&f.caFile, "ca-file", "", "a PEM file with the certificates to trust instead of the system's")
}

// Connection is what the flags come to.
type Connection struct {
	Timeout      time.Duration
	apiKey       string
	apiKeyHeader string
	RootCAs      *x509.CertPool // nil for the system's
}

// maxCertificateBytes is more than a bundle of all authorities has.
const maxCertificateBytes = 1 << 20

// maxKeyBytes is far more than an API key has.
const maxKeyBytes = 4096

// Connection checks the flags and reads the files that they name.
func (f *ConnectionFlags) Connection() (Connection, error) {
	c := Connection{Timeout: f.timeout, apiKeyHeader: f.apiKeyHeader, apiKey: os.Getenv("FEES_API_KEY")}
	if f.timeout <= 0 {
		return c, fmt.Errorf("--timeout %v: want a time above 0, such as 30s", f.timeout)
	}
	if f.apiKeyFile != "" {
		key, err := app.ReadSmallFile(f.apiKeyFile, maxKeyBytes)
		if err != nil {
			return c, fmt.Errorf("--api-key-file: %w", err)
		}
		c.apiKey = strings.TrimSpace(string(key))
	}
	if strings.ContainsFunc(c.apiKey, unicode.IsControl) {
		return c, errors.New("the API key has control characters in it: want one line")
	}
	if f.caFile != "" {
		certificates, err := app.ReadSmallFile(f.caFile, maxCertificateBytes)
		if err != nil {
			return c, fmt.Errorf("--ca-file: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(certificates) {
			return c, fmt.Errorf("--ca-file %s: no certificate in PEM form in it", f.caFile)
		}
	}
	return c, nil
}

// checkSecrets refuses an argument that shows others on this machine a password, or a key.
func checkSecrets(flag, place, variable string) error {
	secret := ""
	switch {
	case withoutPassword(place) != place:
		secret = "user name or password"
	case showsKey(place):
		secret = "key"
	default:
		return nil
	}
	return fmt.Errorf("%s: a %s in an argument can be seen by others on this machine: put the URL in %s in the environment", flag, secret, variable)
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

// minKey is how long a provider's key is at least.
const minKey = 16

// showsKey tells whether a node's URL seems to hold a provider's key: it has a query, or a
// long part with a digit in its path.
func showsKey(place string) bool {
	u, err := url.Parse(place)
	if err != nil || !strings.Contains(place, "://") {
		return false
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) >= minKey && strings.ContainsAny(part, "0123456789") {
			return true
		}
	}
	return u.RawQuery != ""
}

// maxConcurrency is more than any gateway or node answers at once.
const maxConcurrency = 256

func addConcurrency(c *cobra.Command, to *int) {
	c.Flags().IntVar(to, "concurrency", httpclient.DefaultConcurrency, "ask this many questions at once")
	before(c, func(*cobra.Command) error {
		if *to < 1 || *to > maxConcurrency {
			return fmt.Errorf("--concurrency %d: want a number from 1 to %d", *to, maxConcurrency)
		}
		return nil
	})
}

// ShownPlace is a place as it may be shown: of a URL neither user name nor password,
// nor its path, where some providers have a key.
func ShownPlace(place string) string {
	if !strings.Contains(place, "://") {
		return place
	}
	u, err := url.Parse(place)
	if err != nil {
		return "the gateway"
	}
	return u.Scheme + "://" + u.Host
}
