package chain_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func TestOptional(t *testing.T) {
	var none chain.Optional[chain.Wei]
	have, known := none.Get()
	require.False(t, known)
	require.False(t, none.Known())
	require.True(t, have.IsZero())

	some := chain.Some(chain.NewWei(5))
	have, known = some.Get()
	require.True(t, known)
	require.True(t, some.Known())
	require.Equal(t, chain.NewWei(5), have)

	require.NotEqual(t, none, chain.Some(chain.Wei{}), "none and zero are not the same")
}

func TestOptionalJSON(t *testing.T) {
	for name, test := range map[string]struct {
		optional any
		want     string
	}{
		"none":           {chain.Optional[chain.Wei]{}, `null`},
		"wei":            {chain.Some(chain.NewWei(5)), `"5"`},
		"zero wei":       {chain.Some(chain.Wei{}), `"0"`},
		"false":          {chain.Some(false), `false`},
		"no bool":        {chain.Optional[bool]{}, `null`},
		"number":         {chain.Some(uint64(7)), `7`},
		"list":           {chain.Some([]string{"a"}), `["a"]`},
		"multiplier":     {chain.Some(chain.StoredMultiplier{At: 9, Value: chain.NewMultiplier(1e18)}), `{"at":9,"value":"1000000000000000000"}`},
		"in a structure": {struct{ A, B chain.Optional[int] }{B: chain.Some(1)}, `{"A":null,"B":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			have, err := json.Marshal(test.optional)
			require.NoError(t, err)
			require.Equal(t, test.want, string(have))
		})
	}
}

func TestOptionalJSONError(t *testing.T) {
	_, err := json.Marshal(chain.Some(func() {}))
	require.Error(t, err, "what JSON cannot write")
}

func TestOptionalUnmarshalJSON(t *testing.T) {
	var have struct{ A, B, C, D chain.Optional[chain.Wei] }
	have.C, have.D = chain.Some(chain.NewWei(7)), chain.Some(chain.NewWei(8))
	require.NoError(t, json.Unmarshal([]byte(`{"A": "5", "B": "0", "C": null}`), &have))
	require.Equal(t, chain.Some(chain.NewWei(5)), have.A)
	require.Equal(t, chain.Some(chain.Wei{}), have.B, "0 is a value")
	require.False(t, have.C.Known(), "null is none")
	require.Equal(t, chain.Some(chain.NewWei(8)), have.D, "what is not there stays")

	optional := chain.Some(chain.NewWei(7))
	require.Error(t, json.Unmarshal([]byte(`"x"`), &optional))
	require.False(t, optional.Known(), "an error leaves nothing")

	type pair struct{ First, Second int }
	part := chain.Some(pair{7, 8})
	require.Error(t, json.Unmarshal([]byte(`{"First": 1, "Second": "x"}`), &part))
	require.Equal(t, chain.Optional[pair]{}, part, "nor a part of it")

	require.NoError(t, json.Unmarshal([]byte(`{"First": 1}`), &part))
	again := part
	require.NoError(t, json.Unmarshal([]byte(`{"Second": 2}`), &again))
	require.Equal(t, chain.Some(pair{0, 2}), again, "what was known before is replaced")
}
