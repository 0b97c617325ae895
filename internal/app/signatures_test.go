package app_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/devkeys"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/realmetadata"
	"github.com/feeledger/fees/network"
)

// Drafts are signed to the bytes that @polkadot/api and ethers make of the same values: 20 native extrinsics, ten of them
// with the digest of the metadata, and 20 EVM transactions (testdata/signatures.mjs).
func TestSignaturesOfOtherTools(t *testing.T) {
	text, err := os.ReadFile("testdata/signatures.json")
	require.NoError(t, err)
	var list struct{ Native, EVM []json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list.Native, 20)
	require.Len(t, list.EVM, 20)
	key := devkeys.All(t)[address(t, alith)]
	older, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "node/metadata.hex"))
	require.NoError(t, err)
	of2600 := rawBytes(t, string(older))
	metadata := map[uint32][]byte{2600: of2600, 3700: realmetadata.Named(t, "moonbase-3700-moonwall")}
	sign := func(d *app.Draft) *app.SignedTransaction {
		d.Signer = key.Address()
		p, err := app.Prepare(app.SignRequest{Draft: d, Tables: network.BuiltIn()})
		require.NoError(t, err)
		if p.Native != nil {
			require.Equal(t, app.PinnedMetadata, p.Native.Metadata)
			require.Equal(t, p.Native.SpecVersion == 3700, p.Native.BindsMetadata)
		}
		s, err := p.Sign(key)
		require.NoError(t, err)
		return s
	}
	for i, text := range list.Native {
		var d struct {
			app.NativeDraft
			Signature, Raw app.HexBytes
			Hash           chain.Hash
		}
		require.NoError(t, json.Unmarshal(text, &d))
		d.Metadata = gzipped(t, metadata[d.SpecVersion])
		s := sign(&app.Draft{Native: &d.NativeDraft})
		require.Equal(t, d.Raw.String(), s.Raw.String(), i)
		require.Equal(t, d.Hash, s.Hash, i)
	}
	for i, text := range list.EVM {
		var d struct {
			app.EVMDraft
			Raw app.HexBytes
		}
		require.NoError(t, json.Unmarshal(text, &d))
		require.Equal(t, d.Raw.String(), sign(&app.Draft{EVM: &d.EVMDraft}).Raw.String(), i)
	}
}
