package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
	"github.com/feeledger/fees/source"
)

// parameters is a source of the parameter that records the request.
type parameters struct {
	source.Source
	value uint64
	unset bool
	hash  chain.Optional[chain.Hash]
	err   error
	asked string
	at    uint64
}

func (p *parameters) FeesTreasuryProportion(_ context.Context, key string, at uint64) (s chain.AtBlock[chain.Optional[chain.Perbill]], err error) {
	p.asked, p.at = key, at
	if p.err != nil {
		return s, p.err
	}
	s.At, s.AtHash = at, p.hash
	if !p.unset {
		value, err := chain.NewPerbill(p.value)
		if err != nil {
			return s, err
		}
		s.Value = chain.Some(value)
	}
	return s, nil
}

// The proportion is the value after the parent, requested by the table's key, or the runtime's default if it
// was never set. An unclear value is unknown: no share is ever assumed.
func TestFeesTreasuryProportion(t *testing.T) {
	parent := chain.Hash{7}
	away := &source.TemporaryError{Err: errors.New("busy")}
	malformed := &sidecar.DecodeError{What: "FeesTreasuryProportion", Err: errors.New("value")}
	for what, c := range map[string]struct {
		runtime uint32
		number  uint64
		parameters
		want       string // "" if unknown
		cannotTell bool
	}{
		"a third":           {3702, 9, parameters{value: 333_333_333}, "333333333", false},
		"none":              {3702, 9, parameters{value: 0, hash: chain.Some(parent)}, "0", false},
		"never set":         {3702, 9, parameters{unset: true}, "200000000", false},
		"of another block":  {3702, 9, parameters{hash: chain.Some(chain.Hash{8}), err: nil}, "", false},
		"away":              {3702, 9, parameters{err: away}, "", false},
		"malformed":         {3702, 9, parameters{err: malformed}, "", false},
		"cannot tell":       {3702, 9, parameters{err: chain.ErrUnsupported}, "", true},
		"no such endpoint":  {3702, 9, parameters{err: chain.ErrNotOffered}, "", true},
		"not in an archive": {3702, 9, parameters{err: answers.ErrLacks}, "", true},
	} {
		t.Run(what, func(t *testing.T) {
			moonbeam, _ := network.BuiltIn().Named("moonbeam")
			rules, err := moonbeam.Rules(c.runtime)
			require.NoError(t, err)
			item := source.Item{Block: &chain.Block{Number: c.number, ParentHash: parent}, Rules: rules}
			proportion, err := (&source.Reader{Source: &c.parameters}).FeesTreasuryProportion(context.Background(), item)
			require.Equal(t, "0x0000", c.asked)
			require.Equal(t, uint64(8), c.at)
			have, known := proportion.Get()
			require.Equal(t, c.want != "", known)
			require.Equal(t, c.want == "", err != nil, "why it is not known")
			require.Equal(t, c.cannotTell, source.IsUnsupported(err))
			if known {
				require.Equal(t, c.want, have.String())
			}
		})
	}
}

// No request is sent if nothing depends on it, or if the table has no key for it.
func TestFeesTreasuryProportionIsNotAskedFor(t *testing.T) {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	for what, c := range map[string]struct {
		runtime    uint32
		number     uint64
		withoutKey bool
	}{
		"block 0":           {3702, 0, false},
		"before it decided": {2100, 9, false},
		"no key":            {3702, 9, true},
	} {
		rules, err := moonbeam.Rules(c.runtime)
		require.NoError(t, err)
		if c.withoutKey {
			rules.Proportion = chain.Optional[rule.TreasuryProportion]{}
		}
		p := parameters{value: 1}
		proportion, err := (&source.Reader{Source: &p}).FeesTreasuryProportion(context.Background(), source.Item{Block: &chain.Block{Number: c.number}, Rules: rules})
		require.False(t, proportion.Known(), what)
		require.Empty(t, p.asked, what)
		require.Equal(t, c.withoutKey, source.IsUnsupported(err), what)
		if c.withoutKey {
			require.ErrorContains(t, err, "fees_treasury_proportion")
		} else {
			require.NoError(t, err)
		}
	}
}
