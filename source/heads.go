package source

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sidecar"
)

// Head is the newest block that is final. Hash is not known where whoever told of
// it did not say.
type Head struct {
	Number uint64
	Hash   chain.Optional[chain.Hash]
}

// Heads delivers a chain's heads as they come, the one there is first: it is for
// saying how far the chain is, so some may be missing, repeated, or lower than
// those before. It ends with ctx; with an error, which is its last element; or
// without, where there will be no other head. [Reader.Follow] goes through it
// again after an error that passes, such as a [TemporaryError].
type Heads func(ctx context.Context) iter.Seq2[Head, error]

// TemporaryError says that what failed may work later.
type TemporaryError struct{ Err error }

func (e *TemporaryError) Error() string { return e.Err.Error() }

func (e *TemporaryError) Unwrap() error { return e.Err }

// Poll asks a source for its final head, and again an interval after each answer.
// A directory of recordings or the demo never grows: its head is the only one.
func Poll(src Source, interval time.Duration) Heads {
	_, complete := src.(*archive.Archive)
	return func(ctx context.Context) iter.Seq2[Head, error] {
		return func(yield func(Head, error) bool) {
			for {
				head, err := headOf(ctx, src)
				if !yield(head, err) || err != nil || complete || !sleep(ctx, interval) {
					return
				}
			}
		}
	}
}

// headOf asks for the head's header, where the source has it apart: the block
// itself is read anyway.
func headOf(ctx context.Context, src Source) (Head, error) {
	if light, ok := src.(interface {
		HeadHeader(ctx context.Context, unfinalized bool) (chain.Header, error)
	}); ok {
		h, err := light.HeadHeader(ctx, false)
		if err == nil && h.Number > maxHeight {
			err = &sidecar.DecodeError{What: "header", Err: fmt.Errorf("number: %d: %w", h.Number, errTooHigh)}
		}
		return Head{Number: h.Number}, err
	}
	b, err := src.Head(ctx, false)
	if err != nil {
		return Head{}, err
	}
	return Head{b.Number, chain.Some(b.Hash)}, nil
}

// sleep returns false if ctx ended it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
