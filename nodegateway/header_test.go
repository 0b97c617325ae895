package nodegateway

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/answer"
	"github.com/feeledger/fees/chain"
)

// A header of the real Moonbeam has the hash that the real gateway gave.
func TestHashOfARealHeader(t *testing.T) {
	text, err := os.ReadFile("../../shared/realnet/moonbeam-11728459.json")
	if err != nil {
		t.Skipf("SKIPPED, no real header was read: %v", err)
	}
	var b struct {
		Number                                      json.Number
		Hash, ParentHash, StateRoot, ExtrinsicsRoot string
		Logs                                        []struct {
			Type  string
			Value []string
		}
	}
	require.NoError(t, json.Unmarshal(text, &b))
	hash := func(text string) chain.Hash {
		h, err := chain.ParseHash(text)
		require.NoError(t, err)
		return h
	}
	number, err := strconv.ParseUint(b.Number.String(), 10, 32)
	require.NoError(t, err)
	h := answer.Header{Header: chain.Header{Number: number, ParentHash: hash(b.ParentHash), StateRoot: hash(b.StateRoot), ExtrinsicsRoot: hash(b.ExtrinsicsRoot)}}
	for _, log := range b.Logs {
		item := []byte{map[string]byte{"Consensus": 4, "Seal": 5, "PreRuntime": 6}[log.Type]}
		for i, value := range log.Value {
			bytes, err := hex.DecodeString(strings.TrimPrefix(value, "0x"))
			require.NoError(t, err)
			if i == 1 {
				item = appendCompact(item, uint64(len(bytes)))
			}
			item = append(item, bytes...)
		}
		h.Logs = append(h.Logs, item)
	}
	require.Len(t, h.Logs, 5)
	require.Equal(t, hash(b.Hash), hashOf(&h))
}
