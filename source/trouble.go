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

// headError means that a chain's final head does not rise: it is stuck, or went back, as when a gateway's node
// was replaced by one that lags.
type headError struct {
	Height uint64 // of the head
	Before uint64 // of the previous head, the same if it is stuck
}

func (e *headError) Error() string {
	if e.Height == e.Before {
		return fmt.Sprintf("the final head is stuck at block %d", e.Height)
	}
	return fmt.Sprintf("the final head went back from block %d to %d", e.Before, e.Height)
}

// lostNodeError means that a gateway responds, but has had no connection to its node for a time.
type lostNodeError struct{ For time.Duration }

func (e *lostNodeError) Error() string {
	return fmt.Sprintf("the gateway has had no connection to its node for more than %v. If the node is running, restart the gateway; it may not reconnect", e.For)
}

// temporary reports whether an error is transient, so that it is right to wait, however long it takes.
func temporary(err error) bool {
	if IsUnsupported(err) {
		return false
	}
	return errors.As(err, new(*TemporaryError)) || lags(err) || httpclient.IsTransient(err)
}

// IsUnsupported reports whether an error means that a source will never be able to answer a request: a gateway
// that does not know the request or cannot decode the chain's data, or an archive without the data. Other
// errors may not occur on a retry.
func IsUnsupported(err error) bool {
	return errors.Is(err, chain.ErrUnsupported) ||
		errors.Is(err, chain.ErrNotOffered) ||
		errors.Is(err, chain.ErrNotKept) ||
		errors.As(err, new(*unanswerable))
}

// IsMissing reports whether an error means that a source does not have a block, or will never be able to return
// it. A source of a part of a chain returns such an error for the blocks below it: a served archive, or a node
// that keeps only the newest blocks.
func IsMissing(err error) bool { return errors.Is(err, chain.ErrNoBlock) || IsUnsupported(err) }

// IsTransient reports whether a request could succeed later: the source is unreachable or busy, or the caller
// cancelled the request.
func IsTransient(err error) bool {
	return err != nil && (temporary(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// lags reports whether a source does not have a final block yet, because its node is behind.
func lags(err error) bool {
	return errors.Is(err, ErrNotFinal) || errors.Is(err, chain.ErrNoBlock)
}

// IsBadResponse reports whether a response is wrong, or was rejected by a proxy in front of the source, so that
// another attempt may succeed: the gateway may be starting, or its nodes may differ. Blocks that do not follow
// each other are not doubtful: below the final head, that is permanent.
func IsBadResponse(err error) bool {
	return !errors.As(err, new(*ForkError)) && errors.Is(err, chain.ErrWrongBlock) ||
		errors.As(err, new(*sidecar.DecodeError)) ||
		errors.As(err, new(*rpc.DecodeError)) ||
		errors.Is(err, chain.ErrNotOffered) ||
		errors.Is(err, httpclient.ErrTooLarge) ||
		httpclient.IsBadResponse(err)
}

// pauses are the delays between attempts.
var pauses = httpclient.Backoff{First: 250 * time.Millisecond, Max: 15 * time.Second}
