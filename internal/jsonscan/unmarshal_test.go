package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Keys of one object that encoding/json would take for the same member are refused, wherever the object is.
func TestKeysThatDifferInCase(t *testing.T) {
	type inner struct{ Kind string }
	type value struct {
		Kind string  `json:"kind"`
		List []inner `json:"list"`
	}
	for _, text := range []string{
		`{"kind":"a","Kind":"b"}`, `{"KIND":"a","kind":"b"}`, `{"\u004bind":"a","kind":"b"}`, "{\"\u212aind\":\"a\",\"kind\":\"b\"}",
		`{"list":[{"kind":"a"},{"kind":"a","KinD":"b"}]}`,
	} {
		var v value
		require.NoError(t, json.Unmarshal([]byte(text), &v), "encoding/json takes it: %s", text)
		require.ErrorContains(t, jsonscan.Unmarshal([]byte(text), &v), "differ only in case", text)
		require.ErrorContains(t, jsonscan.Decode([]byte(text), &v), "differ only in case", text)
	}
	for _, text := range []string{`{"kind":"a","kind":"a"}`, `{"kind":"a"} {}`, `{"kind":"a"`, ``, `{"kind":1}`} {
		var v value
		require.Error(t, jsonscan.Unmarshal([]byte(text), &v), text)
		require.Error(t, jsonscan.Decode([]byte(text), &v), text)
	}
	var v value
	require.EqualError(t, jsonscan.Unmarshal([]byte(`{"other":1}`), &v), `unknown field "other"`)
	require.NoError(t, jsonscan.Decode([]byte(`{"other":1,"list":[{"kind":"a"},{"Kind":"b"}]}`), &v), "in different objects")
}

// The check reads a text once, however deep it is nested.
func TestKeysOfADeepText(t *testing.T) {
	depth := jsonscan.MaxDepth - 1
	text := strings.Repeat(`{"a":[`, depth/2) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("]}", depth/2)
	v, err := jsonscan.Parse(text)
	require.NoError(t, err)
	require.NoError(t, v.CheckKeys())
}
