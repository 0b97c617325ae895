// Package tsatest runs a real time-stamping authority for tests, on loopback.
package tsatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// OpenSSL runs the program openssl, of Debian's package openssl.
func OpenSSL(t testing.TB, arguments ...string) (string, error) {
	t.Helper()
	program.Path(t, program.OpenSSL, "openssl")
	out, err := exec.Command("openssl", arguments...).CombinedOutput()
	return string(out), err
}

// Serve runs an authority on loopback, with openssl, whose certificate is valid for a day, up to the given
// time.
func Serve(t testing.TB, end time.Time) (address, certificates string) {
	t.Helper()
	_, err := OpenSSL(t, "version") // skips the test if openssl is missing
	require.NoError(t, err)
	begin := end.Add(-24 * time.Hour)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, kind string, der []byte) {
		require.NoError(t, os.WriteFile(in(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	root, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test's root"}, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, root.Public(), root)
	require.NoError(t, err)
	save("ca.pem", "CERTIFICATE", der)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	usage, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}}) // for timestamps, and critical
	require.NoError(t, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "a test's clock"}, NotBefore: begin, NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage}},
	}
	der, err = x509.CreateCertificate(rand.Reader, own, ca, key.Public(), root)
	require.NoError(t, err)
	save("tsa.pem", "CERTIFICATE", der)
	der, err = x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	save("tsa.key", "PRIVATE KEY", der)
	require.NoError(t, os.WriteFile(in("config"), []byte("[tsa]\ndefault_tsa=own\n[own]\nserial="+in("serial")+
		"\ncrypto_device=builtin\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ness_cert_id_alg=sha256\ndigests=sha256\n"), 0o600))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(in("query"), question, 0o600)
		}
		if err == nil {
			_, err = OpenSSL(t, "ts", "-reply", "-config", in("config"), "-queryfile", in("query"), "-signer", in("tsa.pem"), "-inkey", in("tsa.key"), "-out", in("reply"))
		}
		answer, _ := os.ReadFile(in("reply"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, in("ca.pem")
}
