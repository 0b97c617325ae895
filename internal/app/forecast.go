package app

import (
	"context"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

const (
	// A forecast samples this many runs of consecutive blocks, each of this length.
	samples      = 8
	sampleLength = 8
	// One run is longer, to measure the steady speed.
	longSample     = 1024
	longSampleTime = 5 * time.Second
	// diskFactor is the disk space per byte of a block's record, in percent: it includes the SQL rows of
	// its transactions, the sums and the indexes; see bench/ledger.
	diskFactor = 180
)

// Forecast estimates what filling a ledger takes, from a sample of the blocks.
type Forecast struct {
	Name     string // of the days, for display; "" for a range of heights
	Blocks   chain.Heights
	Missing  uint64 // number of these blocks that the ledger lacks
	Requests uint64 // approximate
	Measured uint64 // number of blocks sampled
	Time     time.Duration
	Bytes    uint64 // disk space
}

// ForecastSync samples the missing blocks and estimates what filling the ledger takes. It stores nothing.
func ForecastSync(ctx context.Context, place string, w Wanted, o FillOptions) (*Forecast, error) {
	extent, err := ExtentOf(ctx, place)
	if err != nil {
		return nil, err
	}
	span, err := w.resolve(ctx, o.Reader, extent)
	if err != nil {
		return nil, err
	}
	f := &Forecast{Name: w.Name(), Blocks: span, Missing: span.Blocks()}
	missing := []chain.Heights{span}
	if extent.Known {
		d, err := Open(ctx, place, o.Reader.Tables)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		if missing, f.Missing, err = d.missing(ctx, span); err != nil {
			return nil, err
		}
	}
	if f.Missing == 0 {
		return f, nil
	}
	blocks, requests := source.BatchSize(o.Reader.Source)
	f.Requests = (f.Missing*requests+blocks-1)/blocks + uint64(2*len(missing))
	return f, f.measure(ctx, missing, o.prover())
}

// measure reads runs of blocks at equal distances.
func (f *Forecast) measure(ctx context.Context, missing []chain.Heights, prover prove.Prover) error {
	encoded, taken := uint64(0), time.Duration(0)
	batch, _ := source.BatchSize(prover.Reader.Source)
	for i := range uint64(samples) {
		s := nth(missing, f.Missing/samples*i)
		length := uint64(sampleLength)
		if i == samples/2 {
			length = longSample
		}
		s.Last = min(s.Last, s.First+length-1)
		r := run{began: time.Now(), long: i == samples/2, atOnce: 4*batch + httpclient.DefaultConcurrency}
		for x, err := range prover.Range(ctx, s, chain.Optional[evidence.Predecessor]{}) {
			e, err := entry(x, err)
			if err != nil {
				return err
			}
			encoded += e.Encoded()
			f.Measured++
			if !r.more() {
				break
			}
		}
		taken += time.Since(r.began)
		if speed, known := r.speed(); known {
			f.Time = time.Duration(float64(f.Missing) / speed * float64(time.Second)).Round(time.Second)
		}
		if f.Missing < samples*sampleLength { // one run is enough
			break
		}
	}
	if f.Time == 0 {
		f.Time = time.Duration(float64(taken) / float64(f.Measured) * float64(f.Missing)).Round(time.Second)
	}
	f.Bytes = encoded * diskFactor / 100 / f.Measured * f.Missing
	return nil
}

// run measures the reading of consecutive blocks.
type run struct {
	began, settled time.Time
	blocks         uint64
	atOnce         uint64 // blocks in flight; the speed is measured after them
	long           bool
}

// more counts a block and reports whether to read another.
func (r *run) more() bool {
	if r.blocks++; r.blocks == r.atOnce {
		r.settled = time.Now()
	}
	return !r.long || r.blocks < max(samples*sampleLength, 2*r.atOnce) || time.Since(r.began) < longSampleTime
}

// speed returns blocks per second in the steady state.
func (r *run) speed() (blocks float64, known bool) {
	if r.blocks < 2*r.atOnce {
		return 0, false
	}
	return float64(r.blocks-r.atOnce) / time.Since(r.settled).Seconds(), true
}

// nth returns the gap from the n-th missing block to its end.
func nth(missing []chain.Heights, n uint64) chain.Heights {
	for _, s := range missing {
		if n < s.Blocks() {
			return chain.Heights{First: s.First + n, Last: s.Last}
		}
		n -= s.Blocks()
	}
	return missing[len(missing)-1]
}
