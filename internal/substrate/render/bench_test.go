package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/substrate/block"
	headers "github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/test/pairs"
)

// BenchmarkBlock compares decoding a node's blocks with decoding the same ones from JSON: raw is from a node's
// bytes to a chain.Block, json is from Sidecar's response.
func BenchmarkBlock(b *testing.B) {
	for _, name := range pairs.RealRuntimes {
		p := openPair(b, name)
		blocks := make([]*rawAndJSON, len(p.heights))
		for i, at := range p.heights {
			raw := p.block(at)
			text, err := p.runtime.AppendBlock(nil, raw)
			require.NoError(b, err)
			blocks[i] = &rawAndJSON{raw, string(text)}
		}
		each := func(name string, do func(*rawAndJSON) error) {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					if err := do(blocks[n%len(blocks)]); err != nil {
						b.Fatal(err)
					}
					n++
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
			})
		}
		var room []byte
		decoder, err := p.runtime.Decoder()
		require.NoError(b, err)
		each(name+"/raw", func(x *rawAndJSON) error {
			_, err := decoder.Decode(&block.Encoded{Hash: x.raw.Hash, Header: headers.Header(x.raw.Header), Extrinsics: x.raw.Extrinsics, Events: x.raw.Events})
			return err
		})
		each(name+"/text", func(x *rawAndJSON) (err error) {
			room, err = p.runtime.AppendBlock(room[:0], x.raw)
			return err
		})
		each(name+"/json", func(x *rawAndJSON) error {
			_, err := sidecar.DecodeBlock(x.text)
			return err
		})
	}
}

type rawAndJSON struct {
	raw  *render.Block
	text string
}
