package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The listing of a hub names the runtimes without an EVM, the gas scale, the pots by runtime, and what no block was compared
// with.
func TestNetworksOfHubs(t *testing.T) {
	t.Parallel()
	for name, wanted := range map[string][]string{
		"polkadot-hub": {
			"polkadot-hub (DOT), unverified: figures from source and metadata, read 2026-11-28",
			"\n1003000  no EVM\n", "\n2003002  0.1 × multiplier × gas scale 80000      800  pallet revive\n",
			"\nstaking pot: 13UVJyLgBASGhE2ok3TvxUfaQBGUt88JCcdYjHvUhvQkFTTx\n", "\ndap staging account, from runtime 2003000: 13UVJyLkAxdQn6zM3Gz49SmCLi8SZW3bdtm7DTY29ScavqW2\n",
			"\n2003000  pot       pot       pot     pot  dap staging account, burned below the deposit\n",
			"0.003966837240668015", "class Normal 85 %", "108,157,000 in frame_support and 126,045,000",
		},
		"kusama-hub": {
			"\n1004002  no EVM                                           uncertain\n", "\n1006000  0.000001 static                        0.000001  uncertain, pallet revive\n",
			"\nstaking pot: F3opxRUwkBj1LqjZ7DyiHCRh9Z4zVPLaVjoxfD5ddbip8mt\n", "Native fees were measured on 29 transactions of runtime 2000002", "weight fee + 30819395 billionths",
		},
		"passet-hub": {
			"passet-hub (PAS), checked up to runtime 1019002\n", "\n1019001  0.1 × multiplier     0.01  pallet revive\n",
			"\nstaking pot: 5EYCAe5cKPAoFh2HnQQvpKqRYZGqBpaA87u4Zzw89qPE58is\n", "0.008  1525.87890625", "reclaims proof",
		},
	} {
		out, stderr, code := fees("networks", name)
		require.Zero(t, code, stderr)
		text := strings.ReplaceAll(out, "\n    ", " ") // wrapped notes
		for _, want := range wanted {
			require.Contains(t, text, want, name)
		}
	}
}
