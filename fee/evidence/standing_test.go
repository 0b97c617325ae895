package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
)

// A verdict never stands without the failed checks, and is as good as the lowest of them.
func TestStanding(t *testing.T) {
	for want, s := range map[string]evidence.Standing{
		"match":                     {Verdict: evidence.Match},
		"match, 1 check failed":     {Verdict: evidence.Match, Failed: []string{"evm.split"}},
		"match, 2 checks failed":    {Verdict: evidence.Match, Failed: []string{"evm.split", "evm.hash"}},
		"cash only, 1 check failed": {Verdict: evidence.CashOnly, Failed: []string{"native.call"}},
		"no evidence":               {Verdict: evidence.NoEvidence},
		"1 check failed":            {Failed: []string{"extrinsic.order"}}, // of an inherent
		"":                          {},
	} {
		require.Equal(t, want, s.Words())
		require.Equal(t, string(s.Verdict), s.String())
		require.Equal(t, want == "match", s.Passed())
	}
}
