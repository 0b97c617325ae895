package header_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return b
}

func hashOf(t testing.TB, text string) chain.Hash {
	t.Helper()
	h, err := chain.ParseHash(text)
	require.NoError(t, err)
	return h
}

// A header of the real Moonbeam has the real gateway's hash.
func TestHashOfARealHeader(t *testing.T) {
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-11728459.json"))
	require.NoError(t, err)
	var b struct {
		Number                                      json.Number
		Hash, ParentHash, StateRoot, ExtrinsicsRoot string
		Logs                                        []struct {
			Type  string
			Value []string
		}
	}
	require.NoError(t, json.Unmarshal(text, &b))
	number, err := strconv.ParseUint(b.Number.String(), 10, 32)
	require.NoError(t, err)
	h := header.Header{Header: chain.Header{Number: number, ParentHash: hashOf(t, b.ParentHash), StateRoot: hashOf(t, b.StateRoot), ExtrinsicsRoot: hashOf(t, b.ExtrinsicsRoot)}}
	for _, log := range b.Logs {
		item := []byte{map[string]byte{"Consensus": 4, "Seal": 5, "PreRuntime": 6}[log.Type]}
		item = append(item, unhex(t, log.Value[0])...)
		h.Logs = append(h.Logs, scale.AppendBlob(item, unhex(t, log.Value[1])))
	}
	require.Len(t, h.Logs, 5)
	require.Equal(t, hashOf(t, b.Hash), h.Hash())
	requireReadAgain(t, &h)
	parent, err := header.Prove(chain.Anchor{Height: 11_728_459, Hash: hashOf(t, b.Hash)}, &h)
	require.NoError(t, err)
	require.Equal(t, chain.Some(chain.Anchor{Height: 11_728_458, Hash: hashOf(t, b.ParentHash)}), parent)
}

// requireReadAgain requires a header to decode from its encoding unchanged, and not from a prefix or a longer
// text.
func requireReadAgain(t testing.TB, h *header.Header) {
	t.Helper()
	encoded := h.Encode()
	read, err := header.Read(encoded)
	require.NoError(t, err)
	require.Equal(t, *h, read)
	_, err = header.Read(append(encoded[:len(encoded):len(encoded)], 0))
	require.ErrorContains(t, err, "1 bytes left over")
	for n := range encoded {
		_, err = header.Read(encoded[:n])
		require.ErrorContains(t, err, "header: SCALE at byte ")
	}
}

// The blocks of five chains are proved from the newest down to block 0, only by its hash; any change is
// detected. Only the headers are requested, by their hashes.
func TestChains(t *testing.T) {
	proved := 0
	for _, name := range tier.Some(1, pairs.RealRuntimes) {
		headers, newest := recorded(t, pairs.Path(t, name, "node"))
		for next, more := newest, true; more; proved++ {
			h := headers[next.Hash]
			require.NotNil(t, h, "%s, block %d", name, next.Height)
			requireReadAgain(t, h)
			encoded := h.Encode()
			for bit := range 8 * len(encoded) {
				changed := append([]byte(nil), encoded...)
				changed[bit/8] ^= 1 << (bit % 8)
				if other, err := header.Read(changed); err == nil {
					_, err = header.Prove(next, &other)
					require.ErrorIs(t, err, chain.ErrWrongBlock)
				}
			}
			parent, err := header.Prove(next, h)
			require.NoError(t, err)
			require.Equal(t, next.Height > 0, parent.Known())
			next, more = parent.Get()
		}
	}
	t.Log(proved, "blocks")
	require.Greater(t, proved, 130/tier.Step(6))
}

// recorded returns the headers of a recorded chain by hash, and the newest one.
func recorded(t *testing.T, dir string) (headers map[chain.Hash]*header.Header, newest chain.Anchor) {
	text, err := os.ReadFile(filepath.Join(dir, "chain_getBlock.json"))
	require.NoError(t, err)
	var answers map[string]struct {
		Result struct {
			Block struct {
				Header struct {
					ParentHash, Number, StateRoot, ExtrinsicsRoot string
					Digest                                        struct{ Logs []string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &answers))
	headers = map[chain.Hash]*header.Header{}
	for params, answer := range answers {
		var hashes []string
		require.NoError(t, json.Unmarshal([]byte(params), &hashes))
		a := answer.Result.Block.Header
		if len(hashes) == 0 { // the newest
			continue
		}
		number, err := strconv.ParseUint(a.Number, 0, 32)
		require.NoError(t, err)
		h := &header.Header{Header: chain.Header{Number: number, ParentHash: hashOf(t, a.ParentHash), StateRoot: hashOf(t, a.StateRoot), ExtrinsicsRoot: hashOf(t, a.ExtrinsicsRoot)}}
		for _, log := range a.Digest.Logs {
			h.Logs = append(h.Logs, unhex(t, log))
		}
		require.Equal(t, hashOf(t, hashes[0]), h.Hash())
		headers[h.Hash()] = h
	}
	var heights []struct {
		Height uint64
		Hash   string
	}
	text, err = os.ReadFile(filepath.Join(dir, "heights.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &heights))
	last := heights[len(heights)-1]
	return headers, chain.Anchor{Height: last.Height, Hash: hashOf(t, last.Hash)}
}
