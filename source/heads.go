package source

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// Heads delivers a chain's heads as they come, the one there is first: it is for
// saying how far the chain is, so some may be missing, repeated, or lower than
// those before. It ends with ctx; with an error, which is its last element; or
// without, where there will be no other head. [Reader.Follow] goes through it
// again after an error that passes, such as a [TemporaryError].
type Heads func(ctx context.Context) iter.Seq2[chain.Head, error]

// TemporaryError says that what failed may work later.
type TemporaryError struct{ Err error }

func (e *TemporaryError) Error() string { return e.Err.Error() }

func (e *TemporaryError) Unwrap() error { return e.Err }

// Poll asks a source for its final head, and again an interval after each answer. The
// head of a source that never grows is the only one.
func Poll(src Source, interval time.Duration) Heads {
	return func(ctx context.Context) iter.Seq2[chain.Head, error] {
		return func(yield func(chain.Head, error) bool) {
			for {
				head, err := src.FinalHead(ctx)
				if err == nil && head.Number > maxHeight {
					err = &sidecar.DecodeError{What: "header", Err: fmt.Errorf("number: %d: %w", head.Number, errTooHigh)}
				}
				if !yield(head, err) || err != nil || !grows(src) || !httpclient.Sleep(ctx, interval) {
					return
				}
			}
		}
	}
}
