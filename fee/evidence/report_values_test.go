package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// A report without rules, such as one that was read back, has the usual token and accounts of 20 bytes.
func TestReportsWithoutRules(t *testing.T) {
	h := load(t, 2100)
	b := decoded(t, h.blocks[25])
	for _, r := range []*evidence.Report{{}, evidence.Prove(b, fee.Price(b, &h.rules, at(24, 999_850_000_000_000_000)), h.rules, evidence.Options{})} {
		require.Equal(t, 18, r.TokenDecimals())
		require.Equal(t, chain.AddressSize, r.AccountSize())
		require.False(t, r.SS58Prefix().Known())
	}
}

// A question without an answer is in the report, and in its notes as a sentence.
func TestNotAnswered(t *testing.T) {
	var r evidence.Report
	q := evidence.FailedRequest{About: evidence.AboutExtrinsics, At: 7, Why: "no connection"}
	r.NotAnswered(q)
	require.Equal(t, []evidence.FailedRequest{q}, r.Unanswered)
	require.Equal(t, []string{q.String()}, r.Notes)
	require.Contains(t, q.String(), "at block 7 could not be fetched; a later run can retry. Meanwhile the hashes of the extrinsics")
}

func TestStandingOfATransaction(t *testing.T) {
	x := evidence.Transaction{FailedChecks: []string{"evm.cash", "evm.split"}}
	require.Equal(t, "evm.cash evm.split", x.Standing().List())
}

// Final checkpoints come after others, then the higher ones.
func TestCheckpointsInOrder(t *testing.T) {
	low := evidence.Checkpoint{Anchor: chain.Anchor{Height: 5}}
	high := evidence.Checkpoint{Anchor: chain.Anchor{Height: 6}}
	require.Equal(t, -1, low.Compare(high))
	require.Equal(t, 1, high.Compare(low))
	require.Zero(t, low.Compare(low))
}
