package fee_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
)

// An error of a report is read back with its place and the text of its reason.
func TestErrorIsReadBack(t *testing.T) {
	want := &fee.Error{Block: 25, Extrinsic: 4, Err: errors.New("weight: missing")}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.Equal(t, `"block 25, extrinsic 4: weight: missing"`, string(text))
	back := &fee.Error{}
	require.NoError(t, json.Unmarshal(text, back))
	require.Equal(t, want, back)
	require.ErrorContains(t, json.Unmarshal([]byte(`"weight: missing"`), back), `"weight" does not begin with a block and an extrinsic`)
}
