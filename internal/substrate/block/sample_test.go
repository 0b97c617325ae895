package block_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/test/tier"
)

// runtime decodes blocks in both ways: from SCALE, and from the JSON that is written of it.
type runtime struct {
	decoder  *block.Decoder
	renderer *render.Runtime
}

func newRuntime(t testing.TB, m *metadata.Metadata) *runtime {
	r, err := render.NewRuntime(m)
	require.NoError(t, err)
	d, err := r.Decoder()
	require.NoError(t, err)
	return &runtime{d, r}
}

// viaText decodes a block from the JSON that is written of it.
func (r *runtime) viaText(e *block.Encoded) (*chain.Block, error) {
	text, err := r.renderer.AppendBlock(nil, &render.Block{
		Hash: e.Hash, Header: render.Header(e.Header), Extrinsics: e.Extrinsics, Events: e.Events, Finalized: e.Finalized,
	})
	if err != nil {
		return nil, err
	}
	return sidecar.DecodeBlock(string(text))
}

// shown returns all that rules read of a block.
func shown(b *chain.Block) string {
	same := *b
	same.Size, same.Reported, same.Encoded = 0, nil, nil
	return fmt.Sprintf("%+v", same)
}

// sample returns eight blocks of Moonbeam's runtime 2600, with Sidecar 18.0.0's responses. Together they have every call
// and event of that recording.
func sample(t testing.TB) (r *runtime, blocks []*block.Encoded, texts []string) {
	m, err := metadata.Parse(unzip(t, "../../test/chaingen/runtimes/moonbeam-2600.scale.zst"))
	require.NoError(t, err)
	for line := range strings.Lines(string(unzip(t, "../render/testdata/moonbeam-2600.blocks.zst"))) {
		var b struct {
			Hash       chain.Hash
			Header     json.RawMessage
			Extrinsics []string
			Events     *string
			Answer     string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &b))
		e := &block.Encoded{Hash: b.Hash, Header: readHeader(t, string(b.Header)), Finalized: chain.Some(true)}
		if b.Events != nil {
			e.Events = unhex(t, *b.Events)
		}
		for _, x := range b.Extrinsics {
			e.Extrinsics = append(e.Extrinsics, unhex(t, x))
		}
		blocks, texts = append(blocks, e), append(texts, b.Answer)
	}
	return newRuntime(t, m), blocks, texts
}

func readHeader(t testing.TB, text string) (h header.Header) {
	v, err := jsonscan.Parse(text)
	require.NoError(t, err)
	h.Number, err = jsonread.Uint64(v.Member("number"))
	require.NoError(t, err)
	h.ParentHash, err = jsonread.Hash(v.Member("parentHash"))
	require.NoError(t, err)
	for log := range v.Member("digest").Member("logs").Elements() {
		text, _ := log.Text()
		h.Logs = append(h.Logs, unhex(t, text))
	}
	return h
}

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

func unzip(t testing.TB, path string) []byte {
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	d, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	require.NoError(t, err)
	return text
}

// A block from SCALE equals the block from the real Sidecar's text, value by value.
func TestBlocksEqualSidecars(t *testing.T) {
	r, blocks, texts := sample(t)
	for i, e := range blocks {
		have, err := r.decoder.Decode(e)
		require.NoError(t, err)
		want, err := sidecar.DecodeBlock(texts[i])
		require.NoError(t, err)
		require.Equal(t, shown(want), shown(have))
	}
}

// Altered blocks are decoded like the text that is written of them. What is refused in one form only is a value that no
// rule reads, or a text that Sidecar cannot write.
func TestAlteredBlocks(t *testing.T) {
	r, blocks, _ := sample(t)
	random := rand.New(rand.NewPCG(1, 2))
	same, refused := 0, 0
	for range 40_000 / tier.Step(4) {
		e := *blocks[1+random.IntN(len(blocks)-1)]
		alter := func(bytes []byte) []byte {
			bytes = append([]byte(nil), bytes...)
			if len(bytes) > 0 {
				bytes[random.IntN(len(bytes))] ^= 1 << random.IntN(8)
			}
			return bytes
		}
		if random.IntN(2) == 0 {
			e.Events = alter(e.Events)
		} else {
			e.Extrinsics = append([][]byte(nil), e.Extrinsics...)
			i := random.IntN(len(e.Extrinsics))
			e.Extrinsics[i] = alter(e.Extrinsics[i])
		}
		have, err := r.decoder.Decode(&e)
		want, errOfText := r.viaText(&e)
		if err != nil {
			require.Error(t, errOfText, "refused from SCALE: %v", err)
		}
		if err != nil || errOfText != nil {
			refused++
			continue
		}
		require.Equal(t, shown(want), shown(have))
		same++
	}
	t.Logf("%d blocks are equal, %d are refused", same, refused)
	require.Greater(t, same, refused/10)
}
