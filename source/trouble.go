package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// headError says that a chain's final head does not rise: it stands still, or
// went back, as it does where a gateway's node was replaced by one that lags.
type headError struct {
	Height uint64 // of the head
	Before uint64 // of the head before, the same where it stands still
}

func (e *headError) Error() string {
	if e.Height == e.Before {
		return fmt.Sprintf("the final head stands still at block %d", e.Height)
	}
	return fmt.Sprintf("the final head went back from block %d to %d", e.Before, e.Height)
}

// lostNodeError says that a gateway answers, and has had no connection to its node for
// longer than a time.
type lostNodeError struct{ For time.Duration }

func (e *lostNodeError) Error() string {
	return fmt.Sprintf("the gateway has had no connection to its node for more than %v: if the node runs, restart the gateway, which may not find it again by itself", e.For)
}

// temporary tells whether an error passes by itself, so that waiting for it is
// right, for however long it takes.
func temporary(err error) bool {
	if CannotTell(err) {
		return false
	}
	return errors.As(err, new(*TemporaryError)) || lags(err) || httpclient.Passes(err)
}

// CannotTell tells whether a source has said, by an error, that it will never answer a
// question: a gateway that does not know it or cannot read what the chain has there, an
// archive that does not have it. Whatever else went wrong may go well the next time.
func CannotTell(err error) bool {
	return errors.Is(err, chain.ErrCannotTell) ||
		errors.Is(err, chain.ErrNotOffered) ||
		errors.Is(err, chain.ErrNotKept) ||
		errors.As(err, new(*unanswerable))
}

// Lacks reports whether a source has said that it does not have a block, or will never answer
// for it. A source of a part of a chain says so of the blocks below it: an archive that is
// served, or a node that keeps the newest blocks only.
func Lacks(err error) bool { return errors.Is(err, chain.ErrNoBlock) || CannotTell(err) }

// Passes tells whether what was asked could be answered the next time: the source is
// away or busy, or whoever asked broke it off.
func Passes(err error) bool {
	return err != nil && (temporary(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// lags tells whether a source does not have a final block yet, as one whose node
// is behind.
func lags(err error) bool {
	return errors.Is(err, ErrNotFinal) || errors.Is(err, chain.ErrNoBlock)
}

// Doubtful tells whether an answer is wrong, or is refused by what stands before the source,
// which another may not be: of a gateway that starts or whose nodes differ. Two blocks that
// do not follow each other are not: below the final head, that is for ever.
func Doubtful(err error) bool {
	return !errors.As(err, new(*ForkError)) && errors.Is(err, chain.ErrWrongBlock) ||
		errors.As(err, new(*sidecar.DecodeError)) ||
		errors.As(err, new(*rpc.DecodeError)) ||
		errors.Is(err, chain.ErrNotOffered) ||
		errors.Is(err, httpclient.ErrTooLarge) ||
		httpclient.Doubtful(err)
}

// pauses are those between attempts.
var pauses = httpclient.Backoff{First: 250 * time.Millisecond, Max: 15 * time.Second}
