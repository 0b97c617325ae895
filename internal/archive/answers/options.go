package answers

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// RecordOptions state what to record.
type RecordOptions struct {
	// First and Last are the heights of the range, inclusive.
	First, Last uint64
	// Accounts are the accounts whose balances are recorded at each height; none by default.
	Accounts []chain.Address
	// ParameterKey returns the key of FeesTreasuryProportion for the runtime after the last block; "" to not request
	// it, as by default.
	ParameterKey func(chain.AtBlock[chain.Runtime]) string
	// BaseFeeItem returns the storage item with the base fee for the runtime after the last block; "" to not request it,
	// as by default.
	BaseFeeItem func(chain.AtBlock[chain.Runtime]) string
	// BlockWeight reports whether to record system.blockWeight for blocks executed by a runtime; nil for never.
	BlockWeight func(chain.AtBlock[chain.Runtime]) bool
	// Concurrency limits concurrent requests; [httpclient.DefaultConcurrency] by default.
	Concurrency int
	// Segments stores the answers in segment files; automatic above 300 blocks.
	Segments bool
	// Progress, if not nil, receives the number of blocks stored.
	Progress func(done, total uint64)

	segmentSize uint64 // heights in a segment, for tests; 1,000 by default
}

const (
	// maxPlain is how many blocks are stored in plain files, unless segments are requested.
	maxPlain = 300
	// maxSegments keeps the manifest, with 450 bytes per segment, below the size limit for reading.
	maxSegments = 50_000
)

// normal returns the options with defaults, and the accounts sorted without duplicates.
func (o RecordOptions) normal() (RecordOptions, error) {
	if err := archive.CheckRange(o.First, o.Last); err != nil {
		return o, err
	}
	if o.Concurrency <= 0 {
		o.Concurrency = httpclient.DefaultConcurrency
	}
	if o.segmentSize == 0 {
		o.segmentSize = archive.SegmentSize
	}
	o.Segments = o.Segments || o.Last-o.First >= maxPlain
	if o.Segments && o.Last/o.segmentSize-o.First/o.segmentSize >= maxSegments {
		return o, fmt.Errorf("blocks %d to %d exceed the limit of %d segments in an archive; record %d blocks at a time",
			o.First, o.Last, maxSegments, (maxSegments-1)*o.segmentSize)
	}
	var err error
	o.Accounts, err = archive.Accounts(o.Accounts)
	return o, err
}

// base returns the height whose multiplier and runtime apply to the first block.
func (o RecordOptions) base() uint64 { return max(o.First, 1) - 1 }

// spans splits the range, ascending: one span for each segment, or one for all.
func (o RecordOptions) spans() []chain.Heights {
	whole := chain.Heights{First: o.First, Last: o.Last}
	if !o.Segments {
		return []chain.Heights{whole}
	}
	return archive.Split(whole, o.segmentSize)
}
