package finance

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/internal/web/users"
)

// accessFlags say who may ask fees serve, and how.
type accessFlags struct {
	users       string
	header      string
	proxies     []string
	certificate string
	key         string
}

func (a *accessFlags) add(c *cobra.Command) {
	f := c.Flags()
	addUsers(c, &a.users)
	f.StringVar(&a.header, "trusted-header", "", "the header in which a server before this one names the user, such as X-Forwarded-User")
	f.StringSliceVar(&a.proxies, "trusted-proxy", nil, "addresses of servers before this one, such as 10.0.0.7, with commas; with --users, their X-Forwarded-For names the client (default: this machine)")
	f.StringVar(&a.certificate, "tls-cert", "", "the certificate with its chain, a PEM file: it is asked by TLS")
	f.StringVar(&a.key, "tls-key", "", "the certificate's private key, a PEM file")
}

// addUsers adds the flag of the file of users.
func addUsers(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "users", "", "the file of those who may log in")
}

// headerName is what a header is called.
var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// check wants somebody to be asked who they are where others than those of this machine can ask.
func (a *accessFlags) check(listen, host string) error {
	switch {
	case a.users != "" && a.header != "":
		return errors.New("--users and --trusted-header: name one of them")
	case a.header != "" && !headerName.MatchString(a.header):
		return fmt.Errorf("--trusted-header %q: want a header's name, such as X-Forwarded-User", a.header)
	case len(a.proxies) > 0 && a.users == "" && a.header == "":
		return errors.New("--trusted-proxy: it goes with --trusted-header, or with --users")
	case (a.certificate == "") != (a.key == ""):
		return errors.New("--tls-cert and --tls-key: name both, or none")
	case !loopback(host) && a.users == "" && a.header == "":
		return fmt.Errorf("--listen %s: others can ask there: --users FILE says who may log in (fees serve password NAME --users FILE makes it), or --trusted-header names the user, by a server before this one", listen)
	}
	return nil
}

// isReadable tells whether passwords go over a network as they are.
func (a *accessFlags) isReadable(host string) bool {
	return a.users != "" && a.certificate == "" && !loopback(host)
}

// fill reads what the flags name into the options. The configuration is nil without TLS.
func (a *accessFlags) fill(o *web.Options) (*tls.Config, error) {
	o.Header = a.header
	var err error
	if a.users != "" {
		if o.Users, err = users.Read(a.users); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--users %s: there is no such file: fees serve password NAME --users %[1]s makes it", a.users)
		} else if err != nil {
			return nil, fmt.Errorf("--users: %w", err)
		}
	}
	for _, text := range a.proxies {
		p, err := prefixOf(text)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxy %s: want an address or a network, such as 10.0.0.7 or 10.0.0.0/8", text)
		}
		o.Proxies = append(o.Proxies, p)
	}
	if a.certificate == "" {
		return nil, nil
	}
	own, err := a.readCertificate()
	if err != nil {
		return nil, err
	}
	o.TLS = true
	o.Hosts = append(o.Hosts, own.Leaf.DNSNames...)
	for _, address := range own.Leaf.IPAddresses {
		o.Hosts = append(o.Hosts, address.String())
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// prefixOf is a network, or one address.
func prefixOf(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return address.Prefix(address.BitLen())
	}
	return netip.ParsePrefix(text)
}

// mostCertificate is how large a file of a certificate or a key may be, in bytes.
const mostCertificate = 1 << 20

func (a *accessFlags) readCertificate() (own tls.Certificate, err error) {
	certificate, err := app.ReadSmallFile(a.certificate, mostCertificate)
	if err != nil {
		return own, fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := app.ReadSmallFile(a.key, mostCertificate)
	if err != nil {
		return own, fmt.Errorf("--tls-key: %w", err)
	}
	if own, err = tls.X509KeyPair(certificate, key); err != nil {
		return own, fmt.Errorf("--tls-cert %s with --tls-key %s: %w", a.certificate, a.key, err)
	}
	return own, nil
}

// loopback tells whether a host is this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
