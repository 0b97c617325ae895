package proofs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
)

// Validators' signatures prove the highest block of an archive that they cover; nothing else does.
func TestTrustFinal(t *testing.T) {
	made := rooted(40)
	directory := recorded(t, FromNode(served(t, made.Node())), RecordOptions{First: 10, Last: 30})
	set := finalitytest.NewValidators(7, 4)
	list := finalitytest.Hex(set.List())
	root, err := finality.ParseRoot(`{"setId": "7", "authorities": "` + list + `"}`)
	require.NoError(t, err)
	evidence := func(height uint64, by *finalitytest.Validators) []byte {
		step := map[string]string{"justification": finalitytest.Hex(by.SignHash(made.Hash(height), int(height)))}
		text, err := json.Marshal(map[string]any{"root": map[string]string{"setId": "7", "authorities": list}, "steps": []any{step}})
		require.NoError(t, err)
		return text
	}

	require.False(t, HasFinality(directory))
	_, err = TrustFinal(t.Context(), directory, root)
	require.ErrorIs(t, err, ErrNoFinality)
	require.Equal(t, failure.NotCovered, failure.Of(err))

	require.NoError(t, PutFinality(directory, evidence(30, set)))
	require.True(t, HasFinality(directory))
	final, err := TrustFinal(t.Context(), directory, root)
	require.NoError(t, err)
	require.Equal(t, chain.Anchor{Height: 30, Hash: made.Hash(30)}, final.Anchor)
	require.Equal(t, root, final.Root)
	_, err = Verify(t.Context(), directory, chain.Some(final.Anchor), nil)
	require.NoError(t, err)

	for what, text := range map[string][]byte{
		"a block after the archive's last": evidence(40, set),
		"a block before its first":         evidence(2, set),
	} {
		require.NoError(t, PutFinality(directory, text))
		_, err = TrustFinal(t.Context(), directory, root)
		require.ErrorIs(t, err, ErrNoFinality, what)
	}
	for what, text := range map[string][]byte{
		"signatures of another set": evidence(30, finalitytest.NewValidators(8, 4)),
		"not JSON":                  []byte("{"),
	} {
		require.NoError(t, PutFinality(directory, text))
		_, err = TrustFinal(t.Context(), directory, root)
		require.Equal(t, failure.Damaged, failure.Of(err), what)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, PutFinality(directory, evidence(30, set)))
	_, err = TrustFinal(stopped, directory, root)
	require.ErrorIs(t, err, context.Canceled)
	_, err = TrustFinal(t.Context(), filepath.Join(directory, "none"), root)
	require.Error(t, err)
	require.NoError(t, os.Remove(filepath.Join(directory, finalityPath)))
	require.NoError(t, os.Mkdir(filepath.Join(directory, finalityPath), 0o700))
	_, err = TrustFinal(t.Context(), directory, root)
	require.Error(t, err)
	require.Error(t, PutFinality(directory, nil))
}
