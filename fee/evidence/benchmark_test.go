package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// BenchmarkPrice prices the blocks of a recording from the text of the gateway's two responses, in sequence.
func BenchmarkPrice(b *testing.B) { benchmark(b, false) }

// BenchmarkProve prices and proves them, without signatures.
func BenchmarkProve(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, prove bool) {
	h := load(b, 2100)
	b.ReportAllocs()
	done := 0
	for b.Loop() {
		height := 1 + done%(len(h.blocks)-1)
		done++
		block, err := sidecar.DecodeBlock(h.blocks[height])
		require.NoError(b, err)
		parent, err := stored(h.multipliers[height-1])
		require.NoError(b, err)
		r := fee.Price(block, &h.rules, parent)
		if prove {
			require.True(b, len(evidence.Prove(block, r, h.rules, evidence.Options{}).Findings) == 0)
		}
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "blocks/s")
}
