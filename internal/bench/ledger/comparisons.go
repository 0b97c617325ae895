package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// archived is the number of blocks in the comparisons.
const archived = 10_000

// comparisons compares importing from an archive with plain pricing of the same blocks on one core, and with an import
// that verifies signatures.
func comparisons(ctx context.Context, directory string) error {
	kept := filepath.Join(directory, "archive")
	signed := chaingen.New(chaingen.Options{Seed: 1, Signed: true, Head: archived})
	if err := signed.WriteDirectory(kept, 0, archived-1); err != nil {
		return err
	}
	src, err := answers.OpenDirectory(kept)
	if err != nil {
		return err
	}
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	plain, err := price(ctx, signed, reader)
	if err != nil {
		return err
	}
	show("plain pricing, one core", "%.0f blocks/s", plain)
	for _, how := range []struct {
		what       string
		signatures bool
	}{{"import from an archive", false}, {"the same with signatures", true}} {
		book, err := ledger.OpenWriter(ctx, filepath.Join(directory, how.what+".db"))
		if err != nil {
			return err
		}
		if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0); err != nil {
			return err
		}
		start := time.Now()
		if err := store(ctx, book, reader, how.signatures, chain.Heights{First: 0, Last: archived - 1}, func(uint64) {}); err != nil {
			return err
		}
		rate := archived / time.Since(start).Seconds()
		show(how.what, "%.0f blocks/s, 1/%.1f of plain pricing", rate, plain/rate)
		if err := book.Close(); err != nil {
			return err
		}
	}
	return os.RemoveAll(kept)
}

// price decodes and prices blocks, as bench does with the recorded ones, and returns the blocks per second.
func price(ctx context.Context, made *chaingen.Chain, reader *source.Reader) (float64, error) {
	const bodies = 500
	var texts []string
	var items []source.Item
	for height := uint64(1); height <= bodies; height++ {
		item, err := reader.Read(ctx, source.Height(height*(archived/bodies)-1))
		if err != nil {
			return 0, err
		}
		texts, items = append(texts, string(made.Block(item.Block.Number))), append(items, item)
	}
	done := 0
	start := time.Now()
	for time.Since(start) < 3*time.Second {
		for i := range texts {
			b, err := sidecar.DecodeBlock(texts[i])
			if err != nil {
				return 0, err
			}
			fee.Price(b, &items[i].Rules, items[i].Multiplier)
		}
		done += len(texts)
	}
	return float64(done) / time.Since(start).Seconds(), nil
}
