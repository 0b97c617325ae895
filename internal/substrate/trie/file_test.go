package trie_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/trie"
)

// The accepted forms of a proof: each contains the leaf with the key aa and the value bb.
func TestParseProof(t *testing.T) {
	const leaf = `"0x42aa04bb"`
	root := blake2b.Sum256([]byte{0x42, 0xaa, 0x04, 0xbb})
	for _, text := range []string{
		`[` + leaf + `]`,
		`{"proof":[` + leaf + `]}`,
		` {"at":"0xef08","proof":["0x00",` + leaf + `,` + leaf + `]} `,
		`{"jsonrpc":"2.0","id":1,"result":{"at":"0xef08","proof":[` + leaf + `]}}`,
		`{"error":null,"result":{"proof":[` + leaf + `]}}`,
		`{"result":[` + leaf + `]}`,
		`[{"id":1,"result":{"at":"0xef08","proof":["0x00"]}},{"id":2,"result":{"at":"0xef08","proof":[` + leaf + `]}}]`,
		`[{"proof":[]},{"proof":[` + leaf + `]}]`,
		`["0x42AA04BB"]`,
	} {
		p, err := trie.ParseProof(text)
		require.NoError(t, err, text)
		value, has, err := p.Value(root, []byte{0xaa})
		require.NoError(t, err, text)
		require.True(t, has, text)
		require.Equal(t, []byte{0xbb}, value, text)
	}
	for text, want := range map[string]string{
		``:                                  "the text ends too early",
		`{`:                                 "the text ends too early",
		`"0x42aa04bb"`:                      `want a response of state_getReadProof, or an array of nodes in 0x-hex: have "0x42aa04bb"`,
		`null`:                              "have null",
		`{"result":null}`:                   "have null",
		`{"at":"0xef08"}`:                   "have an object without result and proof",
		`[1]`:                               "have 1",
		`["0x00","42aa04bb"]`:               `node 1 is "42aa04bb"`,
		`["0x42aa04b"]`:                     `node 0 is "0x42aa04b"`,
		`["0xzz"]`:                          `node 0 is "0xzz"`,
		`{"proof":["0x00"],"proof":[]}`:     "twice",
		`{"id":1,"error":{"code":4003}}`:    `the response is an error: {"code":4003}`,
		`[{"result":{"proof":[["0x00"]]}}]`: "have one inside others",
		`[{"id":1,"error":"no"}]`:           `the response is an error: "no"`,
	} {
		_, err := trie.ParseProof(text)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzParseProof: the result has all the nodes that another JSON parser finds.
func FuzzParseProof(f *testing.F) {
	for _, text := range []string{
		`["0x42aa04bb"]`, `{"jsonrpc":"2.0","id":1,"result":{"at":"0xef08","proof":["0x42aa04bb","0x00"]}}`,
		`[{"proof":["0x42aa04bb"]},{"result":["0x80120014430314 04ff"]}]`, `{"error":{"code":4003}}`, `[[["0x"]]]`, `[[[[["0x"]]]]]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := trie.ParseProof(text)
		if err != nil {
			require.Nil(t, p)
			return
		}
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		for _, encoded := range leaves(v) {
			node, err := hex.DecodeString(strings.TrimPrefix(encoded, "0x"))
			require.NoError(t, err, "it was read all the same: %s", encoded)
			root := blake2b.Sum256(node)
			if _, _, err = p.Value(root, nil); errors.Is(err, trie.ErrMissing) { // its value, not the node itself
				require.NotContains(t, err.Error(), hex.EncodeToString(root[:]), encoded)
			}
		}
	})
}

// leaves returns the strings of a proof in any of its forms.
func leaves(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, element := range v {
			list = append(list, leaves(element)...)
		}
	case map[string]any:
		inside, is := v["result"]
		if !is {
			inside = v["proof"]
		}
		return leaves(inside)
	}
	return list
}
