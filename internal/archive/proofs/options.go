package proofs

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
	// Trusted is a block of the range that the node's chain must contain. Blocks below it are then proved as they are
	// written.
	Trusted chain.Optional[chain.Anchor]
	// Accounts are the accounts whose balances are recorded at each block; none by default.
	Accounts []chain.Address
	// ParameterKey returns the key of FeesTreasuryProportion in a runtime, "" for none; nil for no runtime.
	ParameterKey func(RuntimeName) string
	// BaseFeeItem returns the storage item with the base fee in a runtime, "" for none; nil for no runtime.
	BaseFeeItem func(RuntimeName) string
	// Concurrency limits concurrent messages; [httpclient.DefaultConcurrency] by default.
	Concurrency int
	// Progress, if not nil, receives the number of blocks stored.
	Progress func(done, total uint64)

	segmentSize uint64 // for tests; 1,000 by default
}

func (o RecordOptions) normal() (RecordOptions, error) {
	if err := archive.CheckRange(o.First, o.Last); err != nil {
		return o, err
	}
	t, trusted := o.Trusted.Get()
	switch {
	case trusted && t.Height > o.Last:
		return o, fmt.Errorf("checkpoint block %d is above the range, which ends with block %d. Record up to it, or take a block of the range from an explorer.", t.Height, o.Last)
	case trusted && t.Height < o.First:
		return o, fmt.Errorf("checkpoint block %d is below the range, which begins with block %d, and proves nothing above it. Use a block of the range.", t.Height, o.First)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = httpclient.DefaultConcurrency
	}
	if o.segmentSize == 0 {
		o.segmentSize = archive.SegmentSize
	}
	var err error
	o.Accounts, err = archive.Accounts(o.Accounts)
	return o, err
}
