package proofs

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Forecast is what recording a range will come to, by what a few of its blocks came to.
type Forecast struct {
	Blocks uint64 // with the one below the range
	// Questions is how many are asked: providers that limit how many a second count these.
	Questions uint64
	// Messages is in how many messages they go to a node that takes many at once.
	Messages uint64
	// Duration is how long it takes at the rate of those that were asked for, and at the most
	// questions a second that are allowed.
	Duration time.Duration
	Bytes    int64 // of the archive
}

// What one recording asks beside its blocks: what is final, the last block, and the words; and
// of each runtime its version, its metadata and its code.
const (
	onceAsked     = 2 + 1 + 4
	asksOfRuntime = 3
)

// sampled is how many blocks a forecast asks for in a place, for each message under way at once.
const sampled = 4 * portionSize

// NewForecast records a few blocks of the range in a temporary directory: some at its end, in
// its middle and at its beginning. A runtime that executed none of these is not counted, and
// what a file of a thousand blocks has alike it finds in fewer blocks: the archive is rather
// smaller than larger. Where at most so many questions a second are asked, not 0, fewer
// blocks are asked for.
func NewForecast(ctx context.Context, from Origin, o RecordOptions, questionsPerSecond float64) (f Forecast, err error) {
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
	s := sample{from: withoutCode{from}, options: o, perSecond: questionsPerSecond, runtimes: map[RuntimeName]int64{}}
	for _, places := range s.places() {
		if err := s.record(ctx, fmt.Sprintf("%s/%d", directory, places.first), places); err != nil {
			return f, err
		}
	}
	portions := (f.Blocks + portionSize - 1) / portionSize
	runtimes := uint64(len(s.runtimes))
	f.Questions = 2*f.Blocks + portions + onceAsked + asksOfRuntime*runtimes
	f.Messages = 2*portions + onceAsked + asksOfRuntime*runtimes
	share := float64(f.Blocks) / float64(s.blocks)
	f.Duration = time.Duration(float64(s.took) * share)
	if questionsPerSecond > 0 {
		f.Duration = max(f.Duration, time.Duration(float64(f.Questions)/questionsPerSecond*float64(time.Second)))
	}
	f.Bytes = int64(float64(s.bytes) * share)
	for _, size := range s.runtimes {
		f.Bytes += size
	}
	return f, nil
}

// sample is the blocks that a forecast asked for.
type sample struct {
	from      Origin
	options   RecordOptions
	perSecond float64 // questions, 0 for any number
	blocks    uint64
	bytes     int64 // of their segments, with what the manifest says of them
	took      time.Duration
	runtimes  map[RuntimeName]int64 // how large their metadata are
}

// places are the blocks that are asked for, which are all of a short range.
func (s *sample) places() []span {
	first, last := base(s.options.First), s.options.Last
	size := uint64(s.options.Concurrency * sampled)
	if s.perSecond > 0 { // two questions a block, in three places: within some twelve seconds
		size = min(size, max(uint64(2*s.perSecond), 2))
	}
	if last-first+1 <= 3*size {
		return []span{{first, last}}
	}
	middle := first + (last-first)/2
	return []span{{last - size + 1, last}, {middle, middle + size - 1}, {first, first + size - 1}}
}

// segmentText is about how many bytes the manifest has of a segment.
const segmentText = 450

func (s *sample) record(ctx context.Context, directory string, blocks span) error {
	o := s.options
	o.First, o.Last, o.Progress = blocks.first+1, blocks.last, nil
	o.Trusted = chain.Optional[chain.Anchor]{} // a recording proves, and a forecast does not
	if blocks.first == blocks.last {
		o.First = blocks.first
	}
	r, err := newRecorder(ctx, s.from, disk.New(directory), o)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := r.blocks(ctx, r.portions); err != nil {
		return err
	}
	s.took += time.Since(begin)
	s.blocks += uint64(blocks.size())
	for _, kept := range r.manifest.Segments {
		s.bytes += kept.Headers.Size + kept.Blocks.Size
	}
	s.bytes += int64(blocks.size()) * segmentText / segmentSize
	for _, runtime := range r.manifest.Runtimes {
		s.runtimes[runtime.RuntimeName] = runtime.Metadata.Size
	}
	return nil
}

// withoutCode does not ask for the code of runtimes, which is large.
type withoutCode struct{ Origin }

func (o withoutCode) Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error) {
	if len(keys) == 1 && string(keys[0]) == string(codeKey) {
		return nil, chain.ErrNotKept
	}
	return o.Origin.Proof(ctx, block, keys...)
}
