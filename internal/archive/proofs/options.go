package proofs

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
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

// maxAccounts keeps the proof of a block below what nodes answer.
const maxAccounts = 100

func (o RecordOptions) normal() (RecordOptions, error) {
	t, trusted := o.Trusted.Get()
	switch {
	case o.Last < o.First:
		return o, fmt.Errorf("blocks %d to %d: the range ends before it begins", o.First, o.Last)
	case trusted && t.Height > o.Last:
		return o, fmt.Errorf("checkpoint block %d is above the range, which ends with block %d. Record up to it, or take a block of the range from an explorer.", t.Height, o.Last)
	case trusted && t.Height < o.First:
		return o, fmt.Errorf("checkpoint block %d is below the range, which begins with block %d, and proves nothing above it. Use a block of the range.", t.Height, o.First)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = httpclient.DefaultConcurrency
	}
	if o.segmentSize == 0 {
		o.segmentSize = segmentSize
	}
	o.Accounts = slices.Clone(o.Accounts)
	slices.SortFunc(o.Accounts, compareAddresses)
	o.Accounts = slices.Compact(o.Accounts)
	if len(o.Accounts) > maxAccounts {
		return o, fmt.Errorf("%d accounts exceed the limit of %d in an archive", len(o.Accounts), maxAccounts)
	}
	return o, nil
}

// ErrNotFinal reports a block that could still be replaced, and is therefore not recorded.
var ErrNotFinal = failure.New(failure.Unanswered, "not final yet")
