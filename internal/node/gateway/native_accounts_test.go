package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// Sidecar's responses for chains with accounts of 32 bytes come from their nodes, to the byte.
func TestAnswersWithAccountsOf32Bytes(t *testing.T) {
	for _, name := range []string{"creditcoin3-87", "bittensor-218"} {
		t.Run(name, func(t *testing.T) {
			g, _ := served(t, name, "http")
			dir := pairs.Path(t, name, "gateway")
			for pattern, question := range map[string]string{
				"blocks/*.json": "/blocks/%[2]s", "headers/*.json": "/blocks/%[2]s/header", "runtime-spec/*.json": "/runtime/spec?at=%[2]s",
				"multiplier/*.json":     "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%[2]s",
				"base-fee/*.json":       "/pallets/baseFee/storage/baseFeePerGas?at=%[2]s",
				"balance-info/*/*.json": "/accounts/%[1]s/balance-info?at=%[2]s",
			} {
				files, err := filepath.Glob(filepath.Join(dir, pattern))
				require.NoError(t, err)
				require.Greater(t, len(files), 20, pattern)
				for _, file := range files {
					same(t, g, fmt.Sprintf(question, filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".json")), file)
				}
			}
		})
	}
}
