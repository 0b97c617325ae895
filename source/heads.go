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

// Heads delivers a chain's heads as they arrive, the current one first. It reports how far the chain is, so
// heads may be missing, repeated, or lower than earlier ones. It ends with ctx; with an error, which is its
// last element; or without one, if there will be no more heads. [Reader.Follow] restarts it after a transient
// error, such as a [TemporaryError].
type Heads func(ctx context.Context) iter.Seq2[chain.Head, error]

// TemporaryError wraps an error that may not occur on a retry.
type TemporaryError struct{ Err error }

func (e *TemporaryError) Error() string { return e.Err.Error() }

func (e *TemporaryError) Unwrap() error { return e.Err }

// Poll requests the final head of a source, then again after an interval from each response. For a source that
// never grows it delivers one head.
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
