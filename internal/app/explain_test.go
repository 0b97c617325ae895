package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
)

// A transaction has several names: each gives the fee that its sender paid.
func TestExplain(t *testing.T) {
	reader := demo(t)
	for _, s := range allSent(t) {
		if s.Height != 25 && s.Height != 7 {
			continue
		}
		names := [][2]string{{s.place(), ""}, {s.Hash, s.height()}}
		if s.EVMHash != "" {
			names = append(names, [2]string{s.EVMHash, s.height()})
		}
		for _, name := range names {
			which, err := app.ParseTransactionRef(name[0], name[1])
			require.NoError(t, err)
			v, err := app.Explain(t.Context(), reader, which)
			require.NoError(t, err)
			require.Equal(t, s.Index, v.Index)
			require.Equal(t, s.Charged, known(t, v.Transaction.Fee))
		}
	}
	which, err := app.ParseTransactionRef("head-4", "")
	require.NoError(t, err)
	v, err := app.Explain(t.Context(), reader, which)
	require.NoError(t, err)
	require.EqualValues(t, 27, v.Block)
}

// An invalid name, or one without a transaction, is an error.
func TestExplainNothing(t *testing.T) {
	hash, none := allSent(t)[0].Hash, "0x"+strings.Repeat("12", 32)
	for name, c := range map[string]struct {
		name, block string
		fields      []app.Field
		error       string
	}{
		"a hash alone":       {hash, "", []app.Field{app.FieldBlock, app.FieldLedger}, "a hash does not identify the block. State the block with block"},
		"a block that is no": {hash, "x", []app.Field{app.FieldBlock}, `block: block "x": want a height`},
		"a block twice":      {"3-4", "3", []app.Field{app.FieldBlock}, `transaction "3-4" already states its block; use block only with a hash`},
		"no index":           {"3", "", nil, `transaction "3": want a block and an index such as 25-7`},
		"a wrong index":      {"3-x", "", nil, `"x" is not an extrinsic index`},
		"a huge index":       {"3-2147483648", "", nil, `"2147483648" is not an extrinsic index`},
		"a wrong block":      {"x-3", "", nil, `transaction "x-3": block "x": want a height`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := app.ParseTransactionRef(c.name, c.block)
			require.ErrorContains(t, err, c.error)
			require.Equal(t, c.fields, fieldsOf(t, err))
		})
	}
	reader := demo(t)
	explain := func(name, block string) error {
		which, err := app.ParseTransactionRef(name, block)
		require.NoError(t, err)
		_, err = app.Explain(t.Context(), reader, which)
		require.Equal(t, failure.NotFound, app.KindOf(err))
		return err
	}
	require.EqualError(t, explain(none, "3"), "block 3 has no EVM transaction or extrinsic with the hash "+none)
	reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		b.Extrinsics[5].Hash = b.Extrinsics[4].Hash
		return nil
	}}
	require.ErrorContains(t, explain(hash, "3"), "block 3 has 2 transactions with the hash "+hash+". Name one by its index, such as 3-4.")
}
