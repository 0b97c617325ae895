package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

const (
	// A dry run reads so many runs of neighbouring blocks, so long each.
	samples      = 8
	sampleLength = 8
	// diskFactor is how many hundredths of a byte of disk an encoded byte of a block's
	// rows takes in the end, totals and look-ups included; see bench/ledger.
	diskFactor = 100
)

// dryRun reads a few of the missing blocks, and says what all of them would take.
func dryRun(ctx context.Context, w wanted, flags syncFlags, reader *source.Reader, stdout io.Writer) error {
	covered, err := flags.coverage(ctx)
	if err != nil {
		return err
	}
	span, err := w.resolve(ctx, reader, covered)
	if err != nil {
		return err
	}
	missing := []ledger.Span{span}
	if covered.known {
		book, place, err := flags.openBook(ctx, ledger.Open)
		if err != nil {
			return err
		}
		defer book.Close()
		if missing, err = book.Missing(ctx, span); err != nil {
			return ofLedger(place, err)
		}
	}
	total := uint64(0)
	for _, s := range missing {
		total += s.Blocks()
	}
	if total == 0 {
		_, err := fmt.Fprintf(stdout, "blocks %v: all of them are there\n", span)
		return err
	}
	m, err := measure(ctx, missing, total, reader, flags)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, `blocks %v: %d are missing
requests   about %d
time       about %v, by %d of the blocks
disk       about %s
`, span, total, 2*total+uint64(2*len(missing)), m.time, m.blocks, byteSize(m.bytes))
	return err
}

// measurement is what a whole would take, by a part of it.
type measurement struct {
	blocks uint64 // of the part
	time   time.Duration
	bytes  uint64
}

// measure reads runs of blocks at equal distances.
func measure(ctx context.Context, missing []ledger.Span, total uint64, reader *source.Reader, flags syncFlags) (m measurement, err error) {
	prover := proof.Prover{Reader: reader, Concurrency: flags.concurrency, Options: evidence.Options{Signatures: flags.signatures}}
	encoded := uint64(0)
	start := time.Now()
	for i := range uint64(samples) {
		s := nth(missing, total/samples*i)
		s.Last = min(s.Last, s.First+sampleLength-1)
		if i > 0 && total < samples*sampleLength { // one run is all that it takes
			break
		}
		for x, err := range prover.Range(ctx, source.Range{First: s.First, Last: s.Last}, chain.Optional[evidence.Predecessor]{}) {
			e, err := entry(x, err)
			if err != nil {
				return m, err
			}
			encoded += e.Encoded()
			m.blocks++
		}
	}
	taken := time.Since(start)
	m.time = time.Duration(float64(taken) / float64(m.blocks) * float64(total)).Round(time.Second)
	m.bytes = encoded * diskFactor / 100 / m.blocks * total
	return m, nil
}

// nth is what follows, in its span, from the n-th missing block on.
func nth(missing []ledger.Span, n uint64) ledger.Span {
	for _, s := range missing {
		if n < s.Blocks() {
			return ledger.Span{First: s.First + n, Last: s.Last}
		}
		n -= s.Blocks()
	}
	return missing[len(missing)-1]
}

// byteSize is a number of bytes for people.
func byteSize(n uint64) string {
	for _, unit := range []string{"bytes", "KB", "MB", "GB"} {
		if n < 10_000 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%d TB", n)
}
