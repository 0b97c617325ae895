//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fees serve requires a login over TLS, and warns if passwords are sent unencrypted.
func TestServeUsers(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	users, certificate, key := filepath.Join(directory, "users.txt"), filepath.Join(directory, "fees.pem"), filepath.Join(directory, "fees.key")
	set := exec.Command("fees", "serve", "password", "anna", "--users", users)
	set.Stdin = strings.NewReader("correct horse\n")
	out, err := set.CombinedOutput()
	require.NoError(t, err, "%s", out)
	trusted := writeCertificate(t, certificate, key)

	served := func(flags ...string) (p *process, address string) {
		p = start(t, append([]string{"serve", "--gateway", "demo", "--labels", "none", "--quiet", "--users", users}, flags...)...)
		return p, p.served(t)
	}
	p, address := served("--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key)
	require.True(t, strings.HasPrefix(address, "https://127.0.0.1:"), address)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(path, host, password string) (*http.Response, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		require.NoError(t, err)
		if r.Host = host; password != "" {
			r.SetBasicAuth("anna", password)
		}
		answer, err := client.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer, string(text)
	}
	answer, _ := ask("/overview", "fees.example.org", "") // a name of the certificate
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)
	require.Equal(t, "HTTP/2.0", answer.Proto)
	require.Equal(t, "max-age=31536000", answer.Header.Get("Strict-Transport-Security"))
	answer, _ = ask("/overview", "evil.example", "")
	require.Equal(t, http.StatusMisdirectedRequest, answer.StatusCode)
	answer, text := ask("/api/v1/blocks/25", "", "correct horse")
	require.Equal(t, http.StatusOK, answer.StatusCode, text)
	require.Contains(t, text, `"number": 25,`)
	answer, _ = ask("/api/v1/blocks/25", "", "another horse")
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}}
	_, err = old.Get(address + "/healthz")
	require.ErrorContains(t, err, "protocol version")
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
	require.Contains(t, p.stderr.String(), "user=anna")
	require.NotContains(t, p.stderr.String(), "horse")
	require.NotContains(t, p.stderr.String(), "warning")

	p, address = served("--listen", "0.0.0.0:0")
	_, port, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "]:")
	silent, err := net.Dial("tcp", "127.0.0.1:"+port) // as a browser opens one ahead, and asks nothing
	require.NoError(t, err)
	defer silent.Close()
	time.Sleep(100 * time.Millisecond) // until it was taken
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
	require.Contains(t, p.stderr.String(), "fees: warning: passwords and figures are sent unencrypted; use --tls-cert and --tls-key")
}

// writeCertificate creates a certificate for fees.example.org and this machine, with its key.
func writeCertificate(t *testing.T, certificate, key string) *x509.CertPool {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"fees.example.org"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	require.NoError(t, err)
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs}), 0o600))
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return pool
}
