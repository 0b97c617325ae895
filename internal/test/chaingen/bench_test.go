package chaingen_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// BenchmarkBlock builds the texts of consecutive blocks.
func BenchmarkBlock(b *testing.B) {
	for name, signed := range map[string]bool{"plain": false, "signed": true} {
		b.Run(name, func(b *testing.B) {
			c := chaingen.New(chaingen.Options{Signed: signed})
			b.ReportAllocs()
			height, size := uint64(0), 0
			for b.Loop() {
				height++
				size += len(c.Block(height))
			}
			b.ReportMetric(float64(height)/b.Elapsed().Seconds(), "blocks/s")
			b.ReportMetric(float64(size)/float64(height), "bytes/block")
		})
	}
}

// BenchmarkSource builds and decodes them, as an import does.
func BenchmarkSource(b *testing.B) {
	s := chaingen.New(chaingen.Options{}).Source()
	height := uint64(0)
	for b.Loop() {
		height++
		_, err := s.Block(b.Context(), height)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(height)/b.Elapsed().Seconds(), "blocks/s")
}

// BenchmarkMeans measures no time: it counts the content of an average block.
func BenchmarkMeans(b *testing.B) {
	c := chaingen.New(chaingen.Options{Seed: 1})
	const step = 37 // across all hours, not consecutive blocks
	var blocks, transactions, events, movements, size float64
	for b.Loop() {
		height := 10_000 + step*uint64(blocks)
		text := string(c.Block(height))
		block := decoded(b, c, height)
		moved, unclassified := movement.Of(block, chain.AddressSize)
		require.Empty(b, unclassified)
		blocks++
		size += float64(len(text))
		transactions += float64(len(block.Extrinsics) - 4)
		events += float64(len(block.OnInitialize) + len(block.OnFinalize))
		for i := range block.Extrinsics {
			events += float64(len(block.Extrinsics[i].Events))
		}
		movements += float64(len(moved))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(transactions/blocks, "transactions/block")
	b.ReportMetric(events/blocks, "events/block")
	b.ReportMetric(movements/blocks, "movements/block")
	b.ReportMetric(size/blocks, "bytes/block")
}

// BenchmarkNode builds consecutive blocks in a node's form: the block, and its state.
func BenchmarkNode(b *testing.B) {
	for name, o := range map[string]chaingen.Options{"plain": {}, "rooted": {Rooted: true}, "signed": {Signed: true}} {
		b.Run(name, func(b *testing.B) {
			o.Head = math.MaxUint32
			c := chaingen.New(o)
			node := c.Node()
			b.ReportAllocs()
			height := uint64(0)
			for b.Loop() {
				height++
				hash := json.RawMessage(`"` + c.Hash(height).String() + `"`)
				_, err := node.Methods["chain_getBlock"]([]json.RawMessage{hash})
				require.NoError(b, err)
				_, err = node.Methods["state_queryStorageAt"]([]json.RawMessage{keys, hash})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(height)/b.Elapsed().Seconds(), "blocks/s")
		})
	}
}

// keys are those of System.Events and TransactionPayment.NextFeeMultiplier.
var keys = json.RawMessage(`["0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7","0x3f1467a096bcd71a5b6a0c8155e208103f2edf3bdf381debe331ab7446addfdc"]`)
