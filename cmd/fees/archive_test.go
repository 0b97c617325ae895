package main

import (
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// Plain and segmented archives give the same fees as the recordings, to the byte.
func TestArchivesPriceAlike(t *testing.T) {
	t.Parallel()
	recorded := filepath.Join(recordings(t), "moonbeam-2100")
	plain, segments := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "segments")
	gateway := httptest.NewServer(gatewaytest.Handler(recorded))
	t.Cleanup(gateway.Close)
	for directory, flag := range map[string]string{plain: "--quiet", segments: "--segments"} {
		_, stderr, code := fees("archive", "record", "0..27", "-o", directory, "--gateway", gateway.URL, flag)
		require.Equal(t, exitOK, code, stderr)
	}
	for height := range 28 {
		want, _, _ := fees("block", strconv.Itoa(height), "--format", "json", "--gateway", recorded)
		require.NotEmpty(t, want)
		for _, directory := range []string{plain, segments} {
			have, stderr, _ := fees("block", strconv.Itoa(height), "--format", "json", "--gateway", directory)
			require.Equal(t, want, have, stderr)
		}
	}
}
