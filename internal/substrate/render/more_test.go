package render_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
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

// A signature of each kind that a runtime has is written without its kind, and no other.
func TestKindsOfSignatures(t *testing.T) {
	account := strings.Repeat("ab", 32)
	for name, kinds := range map[string]int{"creditcoin3-87": 3, "stack-template-3": 4} {
		p := openPair(t, name)
		decoder, err := p.runtime.Decoder()
		require.NoError(t, err)
		for kind := range 5 {
			signature := strings.Repeat("cd", 64+kind/2%2)
			// Era, nonce and tip; then of the one runtime the mode of CheckMetadataHash; then system.remark 0x01.
			rest := map[string]string{"creditcoin3-87": "00080c", "stack-template-3": "00080c00"}[name] + "00000401"
			body := unhex(t, fmt.Sprintf("8400%s%02x%s%s", account, kind, signature, rest))
			encoded := scale.AppendBlob(nil, body)
			text, err := p.runtime.AppendBlock(nil, &render.Block{Extrinsics: [][]byte{encoded}})
			_, refused := decoder.Decode(&block.Encoded{Extrinsics: [][]byte{encoded}})
			if kind >= kinds {
				require.ErrorContains(t, err, fmt.Sprintf("unknown kind of signature %d", kind))
				require.Error(t, refused)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, refused)
			require.Contains(t, string(text), `"signature":{"signature":"0x`+signature+`","signer":{"id":"`)
			require.Contains(t, string(text), `"nonce":"2"`)
		}
	}
}
