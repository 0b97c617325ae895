package timestamp

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/asn1"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/tsatest"
)

var text = []byte("what was closed\n")

func asked(t testing.TB, address string) []byte {
	a, err := NewAuthority(address)
	require.NoError(t, err)
	response, err := a.Ask(t.Context(), text)
	require.NoError(t, err)
	return response
}

func listed(t testing.TB, path string) *x509.CertPool {
	certificates, err := os.ReadFile(path)
	require.NoError(t, err)
	pool, err := ReadAuthorities(certificates)
	require.NoError(t, err)
	return pool
}

// A real authority's timestamp is valid for one text and one authority, and no byte of it may change. The authority's
// own program accepts the stored form.
func TestStamp(t *testing.T) {
	before := time.Now().Add(-time.Second)
	address, certificates := tsatest.Serve(t, time.Now().Add(23*time.Hour))
	response := asked(t, address)
	stamp, err := Read(response)
	require.NoError(t, err)
	require.WithinRange(t, stamp.Time(), before.Truncate(time.Second), time.Now())
	require.NoError(t, stamp.Check(text))
	require.ErrorContains(t, stamp.Check(text[1:]), "for other bytes")
	pool := listed(t, certificates)
	name, err := stamp.By(t.Context(), pool)
	require.NoError(t, err)
	require.Equal(t, "CN=a test's clock", name)
	_, another := tsatest.Serve(t, time.Now().Add(23*time.Hour))
	_, err = stamp.By(t.Context(), listed(t, another))
	require.ErrorContains(t, err, "not by a listed authority")

	data, kept := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "kept")
	require.NoError(t, os.WriteFile(data, text, 0o600))
	require.NoError(t, os.WriteFile(kept, response, 0o600))
	out, err := tsatest.OpenSSL(t, "ts", "-verify", "-data", data, "-in", kept, "-CAfile", certificates)
	require.NoError(t, err, out)

	for i := range response {
		changed := bytes.Clone(response)
		changed[i] ^= 1
		s, err := Read(changed)
		if err == nil {
			err = s.Check(text)
		}
		if err == nil {
			_, err = s.By(t.Context(), pool)
		}
		if err == nil { // a byte that is not of the timestamp: the same was said by the same authority
			require.Equal(t, stamp.Time(), s.Time(), "byte %d", i)
		}
	}
}

// The result of a check is readable text.
func TestCheck(t *testing.T) {
	address, certificates := tsatest.Serve(t, time.Now().Add(23*time.Hour))
	_, another := tsatest.Serve(t, time.Now().Add(23*time.Hour))
	response := asked(t, address)
	checked := Check(t.Context(), response, text, nil)
	require.Empty(t, checked.Wrong)
	require.Empty(t, checked.Authority, "no authorities were given")
	require.WithinDuration(t, time.Now(), checked.Time, time.Minute)
	require.Equal(t, &Checked{Time: checked.Time, Authority: "CN=a test's clock"}, Check(t.Context(), response, text, listed(t, certificates)))
	require.Contains(t, Check(t.Context(), response, text, listed(t, another)).Wrong, "not by a listed authority")
	require.Equal(t, &Checked{Time: checked.Time, Wrong: "the timestamp is for other bytes or was altered"}, Check(t.Context(), response, text[1:], listed(t, certificates)))
	require.Equal(t, &Checked{Wrong: "not a response of a time-stamping authority"}, Check(t.Context(), text, text, nil))
}

// A timestamp stays valid after its authority's certificate has expired, but not if it was issued
// after that.
func TestStampAndTheCertificatesTime(t *testing.T) {
	end := time.Now().Add(4 * time.Second)
	address, certificates := tsatest.Serve(t, end)
	pool := listed(t, certificates)
	early, err := Read(asked(t, address))
	require.NoError(t, err)
	time.Sleep(time.Until(end.Add(time.Second)))
	late, err := Read(asked(t, address))
	require.NoError(t, err)
	_, err = early.By(t.Context(), pool)
	require.NoError(t, err)
	_, err = late.By(t.Context(), pool)
	require.ErrorContains(t, err, "expired")
}

// Anything but a timestamp is rejected.
func TestRead(t *testing.T) {
	rejection, err := asn1.Marshal(struct{ Status struct{ Status int } }{struct{ Status int }{2}})
	require.NoError(t, err)
	granted, err := asn1.Marshal(struct{ Status struct{ Status int } }{})
	require.NoError(t, err)
	for given, message := range map[string]string{
		"":                               "not a response of a time-stamping authority",
		"something":                      "not a response of a time-stamping authority",
		string(rejection):                "not a timestamp",
		string(granted):                  "not a timestamp",
		string(rejection) + "more":       "not a response of a time-stamping authority",
		string(make([]byte, MaxBytes+1)): "larger than",
	} {
		_, err := Read([]byte(given))
		require.ErrorContains(t, err, message)
	}
	_, err = ReadAuthorities(text)
	require.ErrorContains(t, err, "no PEM certificate")
}

// An authority that does not respond, or not with a timestamp, is named by its host only: its path may contain a
// key.
func TestNoAnswer(t *testing.T) {
	for _, address := range []string{"", "ftp://localhost/", "https://", "/tsa", "http://a b/", "http://mia:sesame@localhost/", "http://localhost/?key=sesame"} {
		_, err := NewAuthority(address)
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "sesame")
	}
	answers := map[string]http.HandlerFunc{
		"an error":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusServiceUnavailable) },
		"something else": func(w http.ResponseWriter, _ *http.Request) { w.Write(text) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/sesame/again", http.StatusTemporaryRedirect)
		},
		"nothing": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/timestamp-reply")
		},
	}
	for name, answer := range answers {
		server := httptest.NewServer(answer)
		a, err := NewAuthority(server.URL + "/sesame")
		require.NoError(t, err)
		_, err = a.Ask(t.Context(), text)
		require.ErrorIs(t, err, ErrNoAnswer, name)
		require.NotContains(t, err.Error(), "sesame", name)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		_, err = a.Ask(ctx, text)
		require.ErrorIs(t, err, context.Canceled)
		server.Close()
		_, err = a.Ask(t.Context(), text)
		require.ErrorIs(t, err, ErrNoAnswer)
		require.ErrorContains(t, err, server.URL)
		require.NotContains(t, err.Error(), "sesame")
		_, err = a.Ask(t.Context(), nil)
		require.Error(t, err)
	}
}

// FuzzRead mutates responses of a real authority.
func FuzzRead(f *testing.F) {
	f.Add([]byte{0x30, 5, 0x30, 3, 2, 1, 0})
	if _, err := exec.LookPath("openssl"); err == nil && program.OpenSSL.Asked() {
		address, _ := tsatest.Serve(f, time.Now().Add(23*time.Hour))
		f.Add(asked(f, address))
	}
	empty := x509.NewCertPool()
	f.Fuzz(func(t *testing.T, response []byte) {
		if s, err := Read(response); err == nil {
			s.Check(text)
			_, err := s.By(t.Context(), empty)
			require.Error(t, err)
		}
	})
}
