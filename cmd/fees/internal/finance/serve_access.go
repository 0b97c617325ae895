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

	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/internal/web/users"
)

// accessFlags configure who may use fees serve, and how.
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
	f.StringVar(&a.header, "trusted-header", "", "the header in which a reverse proxy names the user, such as X-Forwarded-User")
	f.StringSliceVar(&a.proxies, "trusted-proxy", nil, "addresses of reverse proxies, comma-separated; with --users, their X-Forwarded-For names the client (default: this machine)")
	f.StringVar(&a.certificate, "tls-cert", "", "a PEM file of the certificate with its chain; enables TLS")
	f.StringVar(&a.key, "tls-key", "", "a PEM file of the certificate's private key")
}

// addUsers adds the flag for the file of users.
func addUsers(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "users", "", "the file of users who may log in")
}

// headerName matches the name of a header.
var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// check checks the combination of flags; other machines need a login.
func (a *accessFlags) check(listen, host string) error {
	switch {
	case a.users != "" && a.header != "":
		return errors.New("--users and --trusted-header cannot be combined; leave out one of them")
	case a.header != "" && !headerName.MatchString(a.header):
		return fmt.Errorf("--trusted-header %q must be a header's name, such as X-Forwarded-User", a.header)
	case len(a.proxies) > 0 && a.users == "" && a.header == "":
		return errors.New("--trusted-proxy needs --trusted-header or --users")
	case (a.certificate == "") != (a.key == ""):
		return errors.New("--tls-cert and --tls-key must be given together")
	case !loopback(host) && a.users == "" && a.header == "":
		return fmt.Errorf("--listen %s is open to other machines; add --users FILE (create it with fees serve password NAME --users FILE), or --trusted-header behind a reverse proxy", listen)
	}
	return nil
}

// isReadable reports whether passwords are sent unencrypted over a network.
func (a *accessFlags) isReadable(host string) bool {
	return a.users != "" && a.certificate == "" && !loopback(host)
}

// fill reads the files of the flags into the options. The configuration is nil without TLS.
func (a *accessFlags) fill(o *web.Options) (*tls.Config, error) {
	o.Header = a.header
	var err error
	if a.users != "" {
		if o.Users, err = users.Read(a.users); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--users %s does not exist; create it with fees serve password NAME --users %[1]s", a.users)
		} else if err != nil {
			return nil, fmt.Errorf("--users: %w", err)
		}
		o.Sessions = a.users + ".sessions"
	}
	for _, text := range a.proxies {
		p, err := prefixOf(text)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxy %s must be an address or a network, such as 10.0.0.7 or 10.0.0.0/8", text)
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

// prefixOf parses a network or one address.
func prefixOf(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return address.Prefix(address.BitLen())
	}
	return netip.ParsePrefix(text)
}

// maxCertificate limits the files of certificate and key, in bytes.
const maxCertificate = 1 << 20

func (a *accessFlags) readCertificate() (own tls.Certificate, err error) {
	certificate, err := disk.ReadSmall(a.certificate, maxCertificate)
	if err != nil {
		return own, fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := disk.ReadSmall(a.key, maxCertificate)
	if err != nil {
		return own, fmt.Errorf("--tls-key: %w", err)
	}
	if own, err = tls.X509KeyPair(certificate, key); err != nil {
		return own, fmt.Errorf("--tls-cert %s with --tls-key %s: %w", a.certificate, a.key, err)
	}
	return own, nil
}

// loopback reports whether a host is only reachable from this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
