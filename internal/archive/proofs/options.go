package proofs

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
)

// RecordOptions say what is recorded.
type RecordOptions struct {
	// First and Last are the heights of the range, both included.
	First, Last uint64
	// Trusted is a block of the range that the node's chain must have: what is below it is
	// then proved when it is written.
	Trusted chain.Optional[chain.Anchor]
	// Accounts are those whose balances are kept at each block; none by default.
	Accounts []chain.Address
	// ParameterKey tells by which key a runtime has FeesTreasuryProportion, "" for not at all;
	// nil for no runtime.
	ParameterKey func(RuntimeName) string
	// Concurrency is how many messages are under way at once; [httpclient.DefaultConcurrency] by
	// default.
	Concurrency int
	// Progress is told, if not nil, how many of the blocks are kept.
	Progress func(done, total uint64)

	segmentSize uint64 // for tests; 1,000 by default
}

// maxAccounts keeps the proof of a block within what nodes answer.
const maxAccounts = 100

func (o RecordOptions) normal() (RecordOptions, error) {
	t, trusted := o.Trusted.Get()
	switch {
	case o.Last < o.First:
		return o, fmt.Errorf("blocks %d to %d: the range ends before it begins", o.First, o.Last)
	case trusted && t.Height > o.Last:
		return o, fmt.Errorf("the trusted block %d is above the range, which ends with block %d: record up to it, or trust a block of the range as an explorer shows it", t.Height, o.Last)
	case trusted && t.Height < o.First:
		return o, fmt.Errorf("the trusted block %d is below the range, which begins with block %d, and what is above it is not proved by it: trust a block of the range", t.Height, o.First)
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
		return o, fmt.Errorf("%d accounts: an archive keeps the balances of at most %d", len(o.Accounts), maxAccounts)
	}
	return o, nil
}

// ErrNotFinal says that a block could still be replaced by another, and is not kept.
var ErrNotFinal = failure.New(failure.Unanswered, "not final yet")
