package gatewayclient_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// If its own request fails, the successor responds with status 200 and no extrinsics: the client retries, and
// finally rejects the block. Block 0 has none.
func TestBlocksWithoutExtrinsics(t *testing.T) {
	var asked atomic.Int32
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		height, isBlock := strings.CutPrefix(r.URL.Path, "/v1/blocks/")
		if !isBlock {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		io.WriteString(w, `{"number":"`+height+`","extrinsics":[]}`)
	}), gatewayclient.Options{})
	_, err := c.Block(t.Context(), 5)
	require.ErrorIs(t, err, sidecar.ErrNoInherents)
	require.Greater(t, asked.Load(), int32(1))
	_, err = c.Block(t.Context(), 0)
	require.NotErrorIs(t, err, sidecar.ErrNoInherents)
}
