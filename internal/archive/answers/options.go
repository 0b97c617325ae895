package answers

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
)

// RecordOptions say what is recorded.
type RecordOptions struct {
	// First and Last are the heights of the range, both included.
	First, Last uint64
	// Accounts are those whose balances are kept at each height; none by default.
	Accounts []chain.Address
	// ParameterKey tells by which key FeesTreasuryProportion is asked for at each height,
	// where the last of them has left that runtime behind; "" for not at all, as by
	// default.
	ParameterKey func(chain.AtBlock[chain.Runtime]) string
	// BlockWeight tells whether system.blockWeight is kept of the blocks that a runtime
	// executed; nil for not at all.
	BlockWeight func(chain.AtBlock[chain.Runtime]) bool
	// Concurrency is how many questions are under way at once;
	// [httpclient.DefaultConcurrency] by default.
	Concurrency int
	// Segments keeps the answers in segment files, as is done by itself for more
	// than 300 blocks.
	Segments bool
	// Progress is told, if not nil, how many of the blocks are kept.
	Progress func(done, total uint64)

	segmentSize uint64 // heights in a segment, for tests; 1,000 by default
}

const (
	// maxPlain is how many blocks are kept in plain files, unless segments are
	// asked for.
	maxPlain = 300
	// segmentSize is how many heights a segment covers.
	segmentSize = 1000
	// maxSegments keeps the manifest, of 450 bytes a segment, below what is read of
	// one.
	maxSegments = 50_000
	// maxAccounts keeps a segment's list of pieces below what is read of one.
	maxAccounts = 100
)

// normal is the options with their defaults, the accounts rising, each once.
func (o RecordOptions) normal() (RecordOptions, error) {
	if o.Last < o.First {
		return o, fmt.Errorf("blocks %d to %d: the range ends before it begins", o.First, o.Last)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = httpclient.DefaultConcurrency
	}
	if o.segmentSize == 0 {
		o.segmentSize = segmentSize
	}
	o.Segments = o.Segments || o.Last-o.First >= maxPlain
	if o.Segments && o.Last/o.segmentSize-o.First/o.segmentSize >= maxSegments {
		return o, fmt.Errorf("blocks %d to %d: more than the %d segments that an archive may have: record %d blocks at a time",
			o.First, o.Last, maxSegments, (maxSegments-1)*o.segmentSize)
	}
	o.Accounts = slices.Clone(o.Accounts)
	slices.SortFunc(o.Accounts, func(a, b chain.Address) int { return slices.Compare(a[:], b[:]) })
	o.Accounts = slices.Compact(o.Accounts)
	if len(o.Accounts) > maxAccounts {
		return o, fmt.Errorf("%d accounts: an archive keeps the balances of at most %d", len(o.Accounts), maxAccounts)
	}
	return o, nil
}

// base is the height whose multiplier and runtime the first block had.
func (o RecordOptions) base() uint64 { return max(o.First, 1) - 1 }

// span is the heights from first to last, both included, whose answers are kept
// together.
type span struct{ first, last uint64 }

// spans are those of the range, rising: one for each segment, or one for all.
func (o RecordOptions) spans() []span {
	if !o.Segments {
		return []span{{o.First, o.Last}}
	}
	var spans []span
	for k := o.First / o.segmentSize; k <= o.Last/o.segmentSize; k++ {
		first := k * o.segmentSize
		spans = append(spans, span{max(first, o.First), min(first+(o.segmentSize-1), o.Last)})
	}
	return spans
}
