package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// storedBaseFee returns the table of a network whose runtimes store the base fee, which counts at the parent or at the block.
func storedBaseFee(t *testing.T, at string) network.Tables {
	t.Helper()
	tables, err := network.BuiltIn().With("own.json", []byte(`{"networks": [{"name": "own", "spec_name": "moonbeam", "symbol": "OWN", "last_runtime": 2302,
		"rows": [{"from_runtime": 1, "base_fee_stored": {"pallet": "BaseFee", "item": "BaseFeePerGas", "at": "`+at+`"}, "source": "s"}]}]}`))
	require.NoError(t, err)
	return tables
}

// A stored base fee is read at the parent, or at the block itself, and must belong to that block.
func TestStoredBaseFee(t *testing.T) {
	for at, want := range map[string]uint64{"parent": 8, "block": 9} {
		src := &synthetic{}
		reader := &source.Reader{Source: src, Tables: storedBaseFee(t, at), Network: "own"}
		item, err := reader.Read(context.Background(), source.Height(9))
		require.NoError(t, err)
		require.Equal(t, chain.Some(chain.StoredMultiplier{At: 8, Value: chain.NewMultiplier(8), BaseFee: chain.Some(chain.NewGasPrice(want))}), item.Multiplier)
		require.Equal(t, map[string]int{"block9": 1, "multiplier8": 1, "runtime8": 1, "BaseFee.BaseFeePerGas" + string('0'+rune(want)): 1}, src.asked)

		stored, err := reader.StoredMultiplier(context.Background(), item)
		require.NoError(t, err)
		after := chain.StoredMultiplier{At: 9, Value: chain.NewMultiplier(9)}
		if at == "parent" {
			after.BaseFee = chain.Some(chain.NewGasPrice(9))
		}
		require.Equal(t, chain.Some(after), stored)

		multipliers, _, err := reader.Neighbours(context.Background(), item)
		require.NoError(t, err)
		require.Len(t, multipliers, 2)
		require.Equal(t, chain.Some(chain.NewGasPrice(want-1)), multipliers[0].BaseFee)

		src.baseFee = func(b *chain.AtBlock[chain.GasPrice]) error { b.AtHash = chain.Some(hashOf(1)); return nil }
		_, err = reader.Read(context.Background(), source.Height(9))
		require.ErrorIs(t, err, chain.ErrWrongBlock)
		down := errors.New("down")
		src.baseFee = func(*chain.AtBlock[chain.GasPrice]) error { return down }
		_, err = reader.Read(context.Background(), source.Height(9))
		require.ErrorIs(t, err, down)
	}
}
