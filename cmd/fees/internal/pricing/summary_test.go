package pricing

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A summary states the evidence once, within the width, and how to prove blocks that are not proved.
func TestSummaryStatesEvidence(t *testing.T) {
	hash := "0xef08" + strings.Repeat("0", 60)
	const hint = "to prove blocks, record them with fees archive record --proofs"
	for _, c := range []struct {
		evidence evidence.Evidence
		says     string
		hint     bool
		level    evidence.Level // of a check made on two blocks, one of them possibly proved
	}{
		{evidence.Recorded(2), "evidence: recorded (reported by the gateway, not proved); " + hint, true, evidence.LevelRecorded},
		{evidence.Recorded(2).By(chain.Anchor{Height: 16_796_696, Hash: chain.Hash{0xef, 8}}, 1),
			"evidence: 1 of 2 blocks proved up to block 16796696, hash " + hash + "; the rest is recorded (reported by the gateway, not proved)", false, evidence.LevelRecorded},
		{evidence.Recorded(2).By(chain.Anchor{Height: 16_796_696, Hash: chain.Hash{0xef, 8}}, 2),
			"evidence: 2 of 2 blocks proved up to block 16796696, hash " + hash, false, evidence.LevelProved},
	} {
		s := evidence.NewSummary()
		s.Blocks, s.Evidence = 2, c.evidence
		s.Checks[1].Held, s.Checks[1].Proved = 2, int(c.evidence.Proved)
		var text bytes.Buffer
		require.NoError(t, writeSummary(&text, chain.Heights{First: 1, Last: 2}, s, source.Trust{From: "node", Kinds: []string{"this", "that"}}, 100))
		for line := range strings.Lines(text.String()) {
			require.LessOrEqual(t, len(line), 101, line)
		}
		require.Contains(t, strings.Join(strings.Fields(text.String()), " "), c.says)
		require.Equal(t, 1, strings.Count(text.String(), "evidence: "))
		require.True(t, strings.HasSuffix(text.String(), "every check passed\n2 kinds of data were taken on trust from the node: this, that\n"))
		require.Equal(t, c.hint, strings.Contains(text.String(), "--proofs"))

		n, _ := network.BuiltIn().Named("moonbeam")
		document, err := json.Marshal(summaryRecord(s, source.Trust{}, n))
		require.NoError(t, err)
		var read struct {
			Evidence evidence.Evidence
			Checks   []struct{ ID, Level string }
		}
		require.NoError(t, json.Unmarshal(document, &read))
		require.Equal(t, c.evidence, read.Evidence)
		require.Equal(t, string(c.level), read.Checks[1].Level)
		require.Equal(t, "unknown", read.Checks[0].Level, "the check was not made")
	}
}
