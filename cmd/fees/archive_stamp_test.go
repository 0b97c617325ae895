package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/tsatest"
)

// An authority timestamps archives of both kinds; openssl verifies them.
func TestArchiveTimestamp(t *testing.T) {
	t.Parallel()
	address, certificates := tsatest.Serve(t, time.Now().Add(time.Hour))
	_, others := tsatest.Serve(t, time.Now().Add(time.Hour))
	_, http, _ := rootedNode(t, 33, 0, 30)
	recordings := httptest.NewServer(gatewaytest.Handler(recorded(t)))
	defer recordings.Close()
	for name, flags := range map[string][]string{"answers": {"--gateway", recordings.URL}, "proofs": {"--gateway", http, "--proofs"}} {
		t.Run(name, func(t *testing.T) {
			kept := filepath.Join(t.TempDir(), "kept")
			record := append([]string{"archive", "record", "3..9", "-o", kept}, flags...)
			stamped := outputOf(t, exitOK, append(record, "--timestamp", address)...)
			require.Regexp(t, `(?m)^timestamp +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\ntimestamp by +authority not checked; check it with --tsa-ca FILE\ntimestamp wrong +-$`, stamped)
			require.Equal(t, stamped, outputOf(t, exitOK, append(record, "--timestamp", "http://127.0.0.1:1")...), "it has one: nobody is asked")
			require.Equal(t, stamped, outputOf(t, exitOK, "archive", "verify", kept))
			require.Regexp(t, "(?m)^timestamp by +CN=a test's clock$", outputOf(t, exitOK, "archive", "verify", kept, "--tsa-ca", certificates))
			require.Regexp(t, "(?m)^timestamp wrong +manifest.json.tsr: the timestamp is not by a listed authority", outputOf(t, exitFinding, "archive", "verify", kept, "--tsa-ca", others))

			path := filepath.Join(kept, "manifest.json")
			said, err := tsatest.OpenSSL(t, "ts", "-verify", "-in", path+".tsr", "-data", path, "-CAfile", certificates)
			require.NoError(t, err, said)

			stamp, err := os.ReadFile(path + ".tsr")
			require.NoError(t, err)
			other := filepath.Join(t.TempDir(), "other")
			require.NoError(t, os.Remove(path+".tsr"))
			require.Regexp(t, "(?m)^timestamp wrong +the archive contains no manifest.json.tsr$", outputOf(t, exitFinding, "archive", "verify", kept, "--tsa-ca", certificates))
			record = append([]string{"archive", "record", "3..8", "-o", other}, flags...)
			outputOf(t, exitOK, record...)
			require.NoError(t, os.WriteFile(filepath.Join(other, "manifest.json.tsr"), stamp, 0o600))
			require.Contains(t, outputOf(t, exitFinding, "archive", "verify", other), "the timestamp is for other bytes or was altered")
			_, stderr, code := fees(append(record, "--timestamp", address)...)
			require.Equal(t, exitUsage, code)
			require.Contains(t, stderr, "manifest.json.tsr: the timestamp is for other bytes or was altered; remove the file to get a new timestamp")
		})
	}
	kept := filepath.Join(t.TempDir(), "kept")
	_, stderr, code := fees("archive", "record", "3..9", "--gateway", http, "--proofs", "-o", kept, "--timestamp", "http://127.0.0.1:1")
	require.Equal(t, exitGateway, code)
	require.Contains(t, stderr, "the time-stamping authority returned no timestamp")
	outputOf(t, exitOK, "archive", "verify", kept) // it is whole
}
