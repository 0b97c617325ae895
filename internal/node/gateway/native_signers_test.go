package gateway_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Every native signature of two recorded chains with accounts of 32 bytes (sr25519) is of the account that Sidecar names.
func TestSignersOf32Bytes(t *testing.T) {
	for name, last := range map[string]int{"creditcoin3-87": 27, "bittensor-218": 26} {
		t.Run(name, func(t *testing.T) {
			g, _ := served(t, name, "http")
			signatures := 0
			for height := 1; height <= last; height++ {
				text, err := g.Answer(t.Context(), fmt.Sprintf("/blocks/%d", height))
				require.NoError(t, err)
				block, err := jsonscan.Parse(text)
				require.NoError(t, err)
				hash, err := chain.Read[chain.Hash](block.Member("hash"))
				require.NoError(t, err)
				want := []chain.NativeSigner{}
				i := 0
				for x := range block.Member("extrinsics").Elements() {
					signer := x.Member("signature").Member("signer")
					id, signed := signer.Text()
					if !signed {
						id, signed = signer.Member("id").Text()
					}
					if signed {
						account, err := chain.ParseAccount(id)
						require.NoError(t, err)
						want = append(want, chain.NativeSigner{Extrinsic: i, Signer: chain.Some(account)})
					}
					i++
				}
				have, err := g.NativeSigners(t.Context(), hash, chain.Optional[chain.Hash]{})
				require.NoError(t, err)
				require.Equal(t, want, have, "block %d", height)
				signatures += len(have)
			}
			require.Equal(t, 27, signatures)
		})
	}
}
