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

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/disk"
)

// ConnectionFlags configure the connection to a gateway or node.
type ConnectionFlags struct {
	Observer     httpclient.Observer // sees each request; may be nil
	timeout      time.Duration
	apiKeyFile   string
	apiKeyHeader string
	caFile       string
	opened       *opened
}

// opened lists what a command closes when it ends.
type opened struct{ list []io.Closer }

// Closes registers c, if it is an io.Closer, to be closed when the command ends.
func (f *ConnectionFlags) Closes(c any) {
	if c, ok := c.(io.Closer); ok {
		f.opened.list = append(f.opened.list, c)
	}
}

// Add adds the flags. The command closes what it opened with them.
func (f *ConnectionFlags) Add(c *cobra.Command) {
	f.opened = &opened{} // shared by copies of the flags
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
	flags.DurationVar(&f.timeout, "timeout", httpclient.DefaultTotal, "give up on a request after this time, including retries")
	flags.StringVar(&f.apiKeyFile, "api-key-file", "", "a file with the provider's API key (default: FEES_API_KEY)")
	flags.StringVar(&f.apiKeyHeader, "api-key-header", httpclient.DefaultAPIKeyHeader, "the header for the API key")
	flags.StringVar(&f.caFile, "ca-file", "", "a PEM file of certificates to trust instead of the system's")
}

// Connection holds the checked values of the flags.
type Connection struct {
	Timeout      time.Duration
	apiKey       string
	apiKeyHeader string
	RootCAs      *x509.CertPool // nil for the system's
}

// maxCertificateBytes exceeds a bundle of all authorities.
const maxCertificateBytes = 1 << 20

// maxKeyBytes exceeds any API key.
const maxKeyBytes = 4096

// Connection checks the flags and reads their files.
func (f *ConnectionFlags) Connection() (Connection, error) {
	c := Connection{Timeout: f.timeout, apiKeyHeader: f.apiKeyHeader, apiKey: os.Getenv("FEES_API_KEY")}
	if f.timeout <= 0 {
		return c, fmt.Errorf("--timeout %v must be more than 0, such as 30s", f.timeout)
	}
	if f.apiKeyFile != "" {
		key, err := disk.ReadSmall(f.apiKeyFile, maxKeyBytes)
		if err != nil {
			return c, fmt.Errorf("--api-key-file: %w", err)
		}
		c.apiKey = strings.TrimSpace(string(key))
	}
	if strings.ContainsFunc(c.apiKey, unicode.IsControl) {
		return c, errors.New("the API key contains control characters; it must be one line")
	}
	if f.caFile != "" {
		certificates, err := disk.ReadSmall(f.caFile, maxCertificateBytes)
		if err != nil {
			return c, fmt.Errorf("--ca-file: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(certificates) {
			return c, fmt.Errorf("--ca-file %s contains no PEM certificate", f.caFile)
		}
	}
	return c, nil
}

// checkSecrets rejects an argument that would show a password or key to other users of the machine.
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
	return fmt.Errorf("%s: other users of this machine can see a %s in an argument; put the URL in the environment variable %s", flag, secret, variable)
}

// withoutPassword returns a URL without user name and password, and any other text unchanged.
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

// minKey is the minimum length of a provider's key.
const minKey = 16

// showsKey reports whether a URL seems to contain a provider's key: it has a query, or a long path
// segment with a digit.
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

// maxConcurrency exceeds what any gateway or node can process at once.
const maxConcurrency = 256

func addConcurrency(c *cobra.Command, to *int) {
	c.Flags().IntVar(to, "concurrency", httpclient.DefaultConcurrency, "send up to this many requests at once")
	before(c, func(*cobra.Command) error {
		if *to < 1 || *to > maxConcurrency {
			return fmt.Errorf("--concurrency %d must be from 1 to %d", *to, maxConcurrency)
		}
		return nil
	})
}

// ShownPlace returns a source for display. It omits user name, password and path of a URL, since some
// providers put a key in the path.
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
