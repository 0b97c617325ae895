package render_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
)

// TestMoreIsSidecars compares further responses recorded for Moonbeam's runtime 2600, and Sidecar's refusals.
func TestMoreIsSidecars(t *testing.T) {
	p := openPair(t, "moonbeam-2600")
	more := func(n int) string {
		text, err := os.ReadFile(filepath.Join(p.dir, "gateway/more", strconv.Itoa(n)+".body"))
		require.NoError(t, err)
		return string(text)
	}
	at := p.heights[12]

	b := p.block(at)
	b.NoFees = true
	text, err := p.runtime.AppendBlock(nil, b)
	require.NoError(t, err)
	require.Equal(t, more(7), string(text), "?noFees=true")
	b = p.block(at)
	b.Finalized = chain.Optional[bool]{}
	text, err = p.runtime.AppendBlock(nil, b)
	require.NoError(t, err)
	require.Equal(t, more(9), string(text), "?finalizedKey=false")

	for n, asked := range map[int]struct {
		pallet, name string
		keys         []string
	}{
		21: {"transactionPayment", "NextFeeMultiplier", nil},
		24: {"system", "number", nil},
		25: {"system", "account", []string{"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"}},
		27: {"timestamp", "now", nil},
		28: {"balances", "totalIssuance", nil},
	} {
		item, stored := p.item(at, asked.pallet, asked.name, asked.keys...)
		text, err := item.Answer(at, stored)
		require.NoError(t, err)
		require.Equal(t, more(n), string(text))
	}
	for n, asked := range map[int]struct {
		pallet, name string
	}{
		26: {"system", "account"},
		29: {"foo", "bar"},
		30: {"system", "bar"},
	} {
		_, err := p.runtime.Item(asked.pallet, asked.name, nil)
		var refused *render.RefusedError
		require.True(t, errors.As(err, &refused))
		var want struct {
			Code    int
			Message string
		}
		require.NoError(t, json.Unmarshal([]byte(more(n)), &want))
		require.Equal(t, want.Message, refused.Message)
		require.Equal(t, want.Code, refused.Status)
	}
}
