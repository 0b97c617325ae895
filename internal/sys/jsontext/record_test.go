package jsontext_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

// A record is an object with its fields in their order, also in a list of a field.
func TestRecord(t *testing.T) {
	r := jsontext.Record{{Name: "b", Value: 1}, {Name: "a", Value: nil}, {Name: "list", Value: []jsontext.Record{{{Name: "z", Value: "x"}, {Name: "y", Value: true}}}}}
	r.Set("a", "set")
	r.Set("nobody", 1)
	var out bytes.Buffer
	require.NoError(t, r.WriteJSON(&out))
	require.Equal(t, `{
  "b": 1,
  "a": "set",
  "list": [
    {
      "z": "x",
      "y": true
    }
  ]
}
`, out.String())
	require.Error(t, jsontext.Record{{Name: "no", Value: func() {}}}.WriteJSON(&out))
}
