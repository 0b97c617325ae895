package gateway_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every native signature of two recorded chains with accounts of 32 bytes (sr25519) is of the account that Sidecar names.
func TestSignersOf32Bytes(t *testing.T) {
	for name, last := range map[string]int{"creditcoin3-87": 27, "bittensor-218": 26} {
		t.Run(name, func(t *testing.T) {
			g, _ := served(t, name, "http")
			signatures := 0
			for height := 1; height <= last; height++ {
				text, err := g.Get(t.Context(), fmt.Sprintf("/blocks/%d", height))
				require.NoError(t, err)
				signatures += requireSigners(t, g, text)
			}
			require.Equal(t, 27, signatures)
		})
	}
}
