package grandpa_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/grandpa"
)

// made are vectors whose results come from another implementation, of a node's rules.
type made struct {
	Justifications []struct {
		Name, AuthorityList, SetID, Justification, Node string
		Number                                          uint64
	}
	Handovers []struct{ Name, SetID, AuthorityList, WarpSyncProof, Expect, EndSet string }
}

// The rule here differs from a node's in the named cases only.
func TestVectors(t *testing.T) {
	var f made
	shared(t, "synthetic.json", &f)
	onlyNodes := []string{"duplicate header in ancestries", "vote below the target beside enough", "duplicate vote, enough without", "stranger's vote beside enough"}
	onlyHere := []string{"every vote higher than the target", "ghost is higher than the target"}
	require.Greater(t, len(f.Justifications), 30)
	for _, c := range f.Justifications {
		set, err := grandpa.NewSet(number(t, c.SetID), unhex(t, c.AuthorityList))
		require.NoError(t, err)
		_, err = set.Verify(readJustification(t, c.Justification))
		want := c.Node == "accept" && !slices.Contains(onlyNodes, c.Name) || slices.Contains(onlyHere, c.Name)
		require.Equal(t, want, err == nil, "%s: %v", c.Name, err)
	}
}

func TestHandOffVectors(t *testing.T) {
	var f made
	shared(t, "synthetic.json", &f)
	require.Len(t, f.Handovers, 9)
	for _, c := range f.Handovers {
		set, err := grandpa.NewSet(number(t, c.SetID), unhex(t, c.AuthorityList))
		require.NoError(t, err)
		p, err := grandpa.ReadWarpProof(unhex(t, c.WarpSyncProof))
		require.NoError(t, err)
		chain := grandpa.NewChain(set)
		err = chain.FollowWarp(p)
		require.Equal(t, strings.HasPrefix(c.Expect, "accept"), err == nil, "%s: %v", c.Name, err)
		if next, _, _ := chain.Announced(); err == nil && next != nil {
			require.Equal(t, number(t, c.EndSet), next.ID, c.Name)
		}
	}
}
