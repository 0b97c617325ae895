package evidence_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/movement"
)

// A block whose values were made without text comes to the same figures and the same
// proof as the gateway's text of it.
func TestMadeBlocks(t *testing.T) {
	for _, runtime := range []uint32{1701, 2100} {
		h := load(t, runtime)
		for height, text := range h.blocks {
			var parent chain.Optional[chain.StoredMultiplier]
			if height > 0 {
				var err error
				parent, err = stored(h.multipliers[height-1])
				require.NoError(t, err)
			}
			sent, made := decoded(t, text), remade(decoded(t, text))
			require.Empty(t, evidence.Compare(sent, made), "block %d", height)

			wantPrice, havePrice := fee.Price(sent, h.rules, parent), fee.Price(made, h.rules, parent)
			require.Equal(t, asJSON(t, wantPrice), asJSON(t, havePrice), "block %d", height)
			want := evidence.Prove(sent, wantPrice, h.rules, thorough)
			have := evidence.Prove(made, havePrice, h.rules, thorough)
			require.Equal(t, asJSON(t, want), asJSON(t, have), "block %d", height)
			require.Equal(t, want.Tallies, have.Tallies, "block %d", height)

			wantMoved, wantUnknown := movement.Of(sent)
			haveMoved, haveUnknown := movement.Of(made)
			require.Equal(t, asJSON(t, wantMoved), asJSON(t, haveMoved), "block %d", height)
			require.Len(t, haveUnknown, len(wantUnknown), "block %d", height)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// remade is the block with values that were made.
func remade(b *chain.Block) *chain.Block {
	b.Logs = remadeValue(b.Logs)
	remadeEvents(b.OnInitialize)
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		x.Signer, x.Nonce, x.Tip, x.Args = remadeValue(x.Signer), remadeValue(x.Nonce), remadeValue(x.Tip), remadeValue(x.Args)
		remadeEvents(x.Events)
	}
	remadeEvents(b.OnFinalize)
	return b
}

func remadeEvents(events []chain.Event) {
	for i := range events {
		events[i].Data = remadeValue(events[i].Data)
	}
}

// remadeValue makes bytes of hex digits and of decimal ones, as a decoder of SCALE has them.
func remadeValue(v jsonscan.Value) jsonscan.Value {
	switch v.Kind() {
	case jsonscan.Object:
		var fields []jsonscan.Field
		for key, member := range v.Members() {
			fields = append(fields, jsonscan.Field{Key: key, Value: remadeValue(member)})
		}
		return jsonscan.OfObject(fields...)
	case jsonscan.Array:
		var elements []jsonscan.Value
		for element := range v.Elements() {
			elements = append(elements, remadeValue(element))
		}
		return jsonscan.OfArray(elements...)
	case jsonscan.Bool:
		is, _ := v.Bool()
		return jsonscan.OfBool(is)
	case jsonscan.Null:
		return jsonscan.OfNull()
	case jsonscan.String:
		text, _ := v.Text()
		if digits, prefixed := strings.CutPrefix(text, "0x"); prefixed {
			if bytes, err := hex.DecodeString(digits); err == nil {
				return jsonscan.OfBytes(bytes)
			}
		}
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return jsonscan.OfInteger(n.FillBytes(make([]byte, 16)))
		}
		return jsonscan.OfText(text)
	}
	return v
}
