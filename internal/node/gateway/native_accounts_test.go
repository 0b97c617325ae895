package gateway_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// Sidecar's responses for chains with accounts of 32 bytes come from their nodes, to the byte.
func TestAnswersWithAccountsOf32Bytes(t *testing.T) {
	frontier := []string{"creditcoin3-87", "bittensor-218"}
	for _, name := range append([]string{"passet-1019002", "stack-template-3"}, frontier...) {
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
				if !slices.Contains(frontier, name) && (pattern == "base-fee/*.json" || pattern == "balance-info/*/*.json") {
					continue // there is no pallet BaseFee, and their nodes did not record all accounts
				}
				compared := 0
				for _, file := range files {
					height := strings.TrimSuffix(filepath.Base(file), ".json")
					if name == "passet-1019002" && len(height) == 2 && height > "31" { // only Sidecar recorded further blocks
						continue
					}
					path := fmt.Sprintf(question, filepath.Base(filepath.Dir(file)), height)
					same(t, g, path, file)
					if pattern == "blocks/*.json" {
						sameBlock(t, g, path, file)
					}
					compared++
				}
				require.Greater(t, compared, 20, pattern)
			}
		})
	}
}
