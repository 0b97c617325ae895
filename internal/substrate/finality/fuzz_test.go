package finality_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
)

// Whatever the file, nothing is final with an error, and the result has a target if it is final.
func FuzzEvidence(f *testing.F) {
	e := finalitytest.Make()
	f.Add(text(f, e))
	f.Add(text(f, e.Root))
	e.Para, e.State = nil, nil
	f.Add(text(f, e))
	f.Add(`{"lightSyncState":{"grandpaAuthoritySet":"0x00"},"genesis":{"raw":{"top":{"0x3a6772616e6470615f617574686f726974696573":"0x01"}}}}`)
	f.Fuzz(func(t *testing.T, file string) {
		if root, err := finality.ParseRoot(file); err == nil {
			require.NotNil(t, root.Set)
		}
		e, err := finality.Parse(file)
		if err != nil {
			require.Zero(t, e)
			return
		}
		r, err := e.Prove(t.Context(), finality.Options{})
		require.Equal(t, err == nil, r.Final)
		require.True(t, err != nil || r.Target.Known())
	})
}
