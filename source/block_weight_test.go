package source_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
	"github.com/feeledger/fees/source"
)

// stored is a source with a block's weight.
type stored struct {
	source.Source
	value string
	hash  chain.Optional[chain.Hash]
	err   error
	asked []uint64
}

func (s *stored) BlockWeight(_ context.Context, at uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	s.asked = append(s.asked, at)
	if s.err != nil {
		return none, s.err
	}
	value, err := jsonscan.Parse(s.value)
	if err != nil {
		return none, err
	}
	weights, err := jsonread.ClassWeights(value)
	if err != nil {
		return none, &sidecar.DecodeError{What: "block weight", Err: err}
	}
	return chain.AtBlock[chain.ClassWeights]{AtHash: s.hash, Value: weights}, nil
}

// The weight is that after the block itself. It is requested if the multiplier follows from nothing else.
func TestBlockWeight(t *testing.T) {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	const recorded = `{"normal":{"refTime":"198339375000","proofSize":"10111"},"operational":{"refTime":"0","proofSize":"0"},"mandatory":{"refTime":"6040553077","proofSize":"52517"}}`
	down := &source.TemporaryError{Err: errors.New("down")}
	own := chain.Hash{7}
	for what, c := range map[string]struct {
		runtime uint32
		stored
		want  string // the ref times
		asked bool
	}{
		"as recorded":             {2600, stored{value: recorded}, "198339375000 0 6040553077", true},
		"of the block":            {4500, stored{value: recorded, hash: chain.Some(own)}, "198339375000 0 6040553077", true},
		"of another block":        {2600, stored{value: recorded, hash: chain.Some(chain.Hash{8})}, "", true},
		"another shape":           {2600, stored{value: `{"normal":{"refTime":"1"}}`}, "", true},
		"null":                    {2600, stored{value: `null`}, "", true},
		"no such item":            {2600, stored{err: errors.New("unknown")}, "", true},
		"not stored":              {2600, stored{err: answers.ErrLacks}, "", true},
		"a byte has changed":      {2600, stored{err: fmt.Errorf("block-weight/9.json: %w", answers.ErrDamaged)}, "", true},
		"no answer for now":       {2600, stored{err: down}, "", true},
		"a node refuses":          {2600, stored{err: &rpc.RPCError{Message: "Internal error"}}, "", true},
		"a node has no state":     {2600, stored{err: fmt.Errorf("block 9: %w", chain.ErrPruned)}, "", true},
		"a node has another":      {2600, stored{err: fmt.Errorf("block 9: %w", chain.ErrWrongBlock)}, "", true},
		"it follows from events":  {2501, stored{value: recorded}, "", false},
		"it follows from the gas": {1701, stored{value: recorded}, "", false},
	} {
		rules, err := moonbeam.Rules(c.runtime)
		require.NoError(t, err)
		r := source.Reader{Source: &c.stored}
		weights, err := r.BlockWeight(t.Context(), source.Item{Block: &chain.Block{Number: 9, Hash: own}, Rules: rules})
		require.Equal(t, c.asked && c.want == "" && what != "no such item" && what != "not stored", err != nil, "%s: %v", what, err)
		have := ""
		if w, ok := weights.Get(); ok {
			have = w.Normal.RefTime.String() + " " + w.Operational.RefTime.String() + " " + w.Mandatory.RefTime.String()
		}
		require.Equal(t, c.want, have, what)
		if !c.asked {
			require.Empty(t, c.stored.asked, what)
			continue
		}
		require.Equal(t, []uint64{9}, c.stored.asked, what)
	}

	rules, err := moonbeam.Rules(2600)
	require.NoError(t, err)
	constant := network.Rules{Verification: rule.Verification{Update: chain.Some(rule.MultiplierUpdate{Constant: chain.Some(chain.NewMultiplier(1))})}}
	for _, c := range []struct {
		rules network.Rules
		asked bool
	}{{constant, true}, {network.Rules{}, false}} {
		r := source.Reader{Source: &stored{value: recorded}}
		weights, err := r.BlockWeight(t.Context(), source.Item{Block: &chain.Block{}, Rules: c.rules})
		require.NoError(t, err)
		require.Equal(t, c.asked, weights.Known())
	}
	// An archive recorded without weights has none.
	r := source.Reader{Source: demo.Open()}
	weights, err := r.BlockWeight(t.Context(), source.Item{Block: &chain.Block{Number: 9}, Rules: rules})
	require.NoError(t, err)
	require.False(t, weights.Known())
}
