package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/wire"
)

// parameters is a source that answers for the parameter, and keeps the question.
type parameters struct {
	source.Source
	value string
	hash  chain.Optional[chain.Hash]
	err   error
	asked []string
	at    chain.Optional[uint64]
}

func (p *parameters) Storage(_ context.Context, pallet, item string, keys []string, at chain.Optional[uint64]) (gatewayclient.Storage, error) {
	p.asked, p.at = append([]string{pallet, item}, keys...), at
	if p.err != nil {
		return gatewayclient.Storage{}, p.err
	}
	value, err := wire.Parse(p.value)
	return gatewayclient.Storage{AtHash: p.hash, Value: value}, err
}

// The proportion is what the parent left behind. What is not plainly it is not
// known: no share is ever assumed.
func TestFeesTreasuryProportion(t *testing.T) {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	parent := chain.Hash{7}
	for what, c := range map[string]struct {
		runtime uint32
		number  uint64
		parameters
		want string
	}{
		"20 %":              {3702, 9, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"200000000"}}`}, "200000000"},
		"none":              {3702, 9, parameters{value: `{"runtimeConfig":{"feesTreasuryProportion":0}}`, hash: chain.Some(parent)}, "0"},
		"null":              {3702, 9, parameters{value: `null`}, ""},
		"more than all":     {3702, 9, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"1000000001"}}`}, ""},
		"not a number":      {3702, 9, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"20%"}}`}, ""},
		"another shape":     {3702, 9, parameters{value: `["200000000"]`}, ""},
		"of another block":  {3702, 9, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"200000000"}}`, hash: chain.Some(chain.Hash{8})}, ""},
		"no answer":         {3702, 9, parameters{err: errors.New("down")}, ""},
		"block 0":           {3702, 0, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"200000000"}}`}, ""},
		"before it decided": {2100, 9, parameters{value: `{"RuntimeConfig":{"FeesTreasuryProportion":"200000000"}}`}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			rules, err := moonbeam.Rules(c.runtime)
			require.NoError(t, err)
			item := source.Item{Block: &chain.Block{Number: c.number, ParentHash: parent}, Rules: rules}
			reader := source.Reader{Source: &c.parameters}
			proportion, err := reader.FeesTreasuryProportion(context.Background(), item)
			require.NoError(t, err)
			have, known := proportion.Get()
			require.Equal(t, c.want != "", known)
			if known {
				require.Equal(t, c.want, have.String())
				require.Equal(t, []string{"parameters", "parameters", `{"RuntimeConfig":"FeesTreasuryProportion"}`}, c.asked)
				require.Equal(t, chain.Some(uint64(8)), c.at)
			}
		})
	}
	rules, err := moonbeam.Rules(3702)
	require.NoError(t, err)
	reader := source.Reader{Source: &synthetic{}} // which has no storage
	item := source.Item{Block: &chain.Block{Number: 9}, Rules: rules}
	proportion, err := reader.FeesTreasuryProportion(context.Background(), item)
	require.NoError(t, err)
	require.False(t, proportion.Known())

	// A source that is away for the moment is no source that cannot tell.
	away := &source.TemporaryError{Err: errors.New("busy")}
	reader = source.Reader{Source: &parameters{err: away}}
	_, err = reader.FeesTreasuryProportion(context.Background(), item)
	require.ErrorIs(t, err, away)
}
