package proofs

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Forecast estimates what recording a range takes, from a sample of its blocks.
type Forecast struct {
	Blocks uint64 // including the one below the range
	// Requests is the number of requests, which providers' rate limits count.
	Requests uint64
	// Messages is the number of messages if the node accepts batches.
	Messages uint64
	// Duration is the expected time at the rate of the sample and the permitted requests per second.
	Duration time.Duration
	Bytes    int64 // of the archive
}

// Requests per recording besides its blocks: the final head, the last block and the node's statements; and per runtime its
// version, metadata and code.
const (
	onceAsked     = 2 + 1 + 4
	asksOfRuntime = 3
)

// sampled is the number of blocks that a forecast requests at one position, per concurrent message.
const sampled = 4 * batchSize

// NewForecast records a few blocks of the range in a temporary directory: some at its end, its middle and its beginning. It
// does not count runtimes that executed none of these, and finds less redundancy than a file of a thousand blocks has: the
// archive tends to be smaller than forecast. If requestsPerSecond is not 0, the sample is
// smaller.
func NewForecast(ctx context.Context, from Origin, o RecordOptions, requestsPerSecond float64) (f Forecast, err error) {
	if o, err = o.normal(); err != nil {
		return f, err
	}
	directory, err := os.MkdirTemp("", "fees-forecast-")
	if err != nil {
		return f, err
	}
	defer func() {
		if failed := os.RemoveAll(directory); err == nil {
			err = failed
		}
	}()
	f.Blocks = o.Last - base(o.First) + 1
	s := sample{from: withoutCode{from}, options: o, perSecond: requestsPerSecond, runtimes: map[RuntimeName]int64{}}
	for _, places := range s.places() {
		if err := s.record(ctx, fmt.Sprintf("%s/%d", directory, places.First), places); err != nil {
			return f, err
		}
	}
	batches := (f.Blocks + batchSize - 1) / batchSize
	runtimes := uint64(len(s.runtimes))
	f.Requests = 2*f.Blocks + batches + onceAsked + asksOfRuntime*runtimes
	f.Messages = 2*batches + onceAsked + asksOfRuntime*runtimes
	share := float64(f.Blocks) / float64(s.blocks)
	f.Duration = time.Duration(float64(s.took) * share)
	if requestsPerSecond > 0 {
		f.Duration = max(f.Duration, time.Duration(float64(f.Requests)/requestsPerSecond*float64(time.Second)))
	}
	f.Bytes = int64(float64(s.bytes) * share)
	for _, size := range s.runtimes {
		f.Bytes += size
	}
	return f, nil
}

// sample contains the measurements of a forecast.
type sample struct {
	from      Origin
	options   RecordOptions
	perSecond float64 // requests; 0 for no limit
	blocks    uint64
	bytes     int64 // of their segments, including their share of the manifest
	took      time.Duration
	runtimes  map[RuntimeName]int64 // size of their metadata
}

// places returns the blocks to sample; for a short range, all.
func (s *sample) places() []chain.Heights {
	first, last := base(s.options.First), s.options.Last
	size := uint64(s.options.Concurrency * sampled)
	if s.perSecond > 0 { // two requests per block, at three positions: about twelve seconds
		size = min(size, max(uint64(2*s.perSecond), 2))
	}
	if last-first+1 <= 3*size {
		return []chain.Heights{{First: first, Last: last}}
	}
	middle := first + (last-first)/2
	return []chain.Heights{
		{First: last - size + 1, Last: last}, {First: middle, Last: middle + size - 1}, {First: first, Last: first + size - 1},
	}
}

// segmentText is the approximate number of bytes in the manifest per segment.
const segmentText = 450

func (s *sample) record(ctx context.Context, directory string, blocks chain.Heights) error {
	o := s.options
	o.First, o.Last, o.Progress = blocks.First+1, blocks.Last, nil
	o.Trusted = chain.Optional[chain.Anchor]{} // a forecast proves nothing
	if blocks.First == blocks.Last {
		o.First = blocks.First
	}
	r, err := newRecorder(ctx, s.from, disk.New(directory), o)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := r.blocks(ctx, r.batches); err != nil {
		return err
	}
	s.took += time.Since(begin)
	s.blocks += uint64(blocks.Blocks())
	for _, kept := range r.manifest.Segments {
		s.bytes += kept.Headers.Size + kept.Blocks.Size
	}
	s.bytes += int64(blocks.Blocks()) * segmentText / archive.SegmentSize
	for _, runtime := range r.manifest.Runtimes {
		s.runtimes[runtime.RuntimeName] = runtime.Metadata.Size
	}
	return nil
}

// withoutCode skips the code of runtimes, which is large.
type withoutCode struct{ Origin }

func (o withoutCode) Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error) {
	if len(keys) == 1 && string(keys[0]) == string(codeKey) {
		return nil, chain.ErrNotKept
	}
	return o.Origin.Proof(ctx, block, keys...)
}
