package rpc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
)

// SubscribeFinalizedHeads yields the headers of final blocks as the node announces them, each with its hash. It serves to
// follow the height of the chain: a slow caller gets only the newest header, and a header may be missing, repeated, or lower
// than the previous one. While the node is silent, its head is requested every
// [httpclient.Options].Timeout.
//
// The iteration ends without an error when ctx ends or the caller leaves the loop; both unsubscribe. Any other end is an error,
// yielded with a zero Header; [Temporary] reports whether to subscribe again. Over HTTP it ends at once with
// [ErrNoSubscriptions].
func (c *Client) SubscribeFinalizedHeads(ctx context.Context) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		if c.socket == nil {
			yield(Header{}, ErrNoSubscriptions)
			return
		}
		if err := c.listen(ctx, yield); err != nil && ctx.Err() == nil {
			yield(Header{}, c.reason(err))
		}
	}
}

// Temporary reports whether subscribing again may succeed after an error: the node is gone, busy, or refuses for now.
func Temporary(err error) bool {
	var refused *RPCError
	return httpclient.IsTransient(err) ||
		errors.Is(err, errEnded) ||
		errors.Is(err, chain.ErrNoBlock) || // a block the node no longer knows
		errors.As(err, &refused) && !errors.Is(err, ErrNoMethod)
}

// listen yields announcements until an error, or until the caller leaves.
func (c *Client) listen(ctx context.Context, yield func(Header, error) bool) error {
	connection, s, err := c.subscribe(ctx, finalizedHeads, nil)
	if err != nil {
		return err
	}
	defer connection.unsubscribe(s)
	for {
		var a announcement
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-connection.broken:
			return connection.err
		case a = <-s.newest:
		case <-time.After(c.asker.Options().Timeout):
			a = c.finalizedHeader(ctx)
		}
		if a.err != nil {
			return a.err
		}
		hash, err := c.BlockHash(ctx, a.header.Number) // announcements lack the hash
		if err != nil {
			return err
		}
		a.header.Hash = chain.Some(hash)
		if !yield(a.header, nil) {
			return nil
		}
	}
}

func (c *Client) subscribe(ctx context.Context, to topic, params []any) (connection *connection, s *subscription, err error) {
	ctx, done := c.untilClosed(ctx)
	defer done()
	err = c.asker.Ask(ctx, func(ctx context.Context) (err error) {
		if connection, err = c.socket.connection(ctx); err == nil {
			s, err = connection.subscribe(ctx, to, params)
		}
		return c.attempted(err)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", to.subscribe, err)
	}
	return connection, s, nil
}

// finalizedHeader requests the newest final header.
func (c *Client) finalizedHeader(ctx context.Context) (a announcement) {
	hash, err := c.FinalizedHead(ctx)
	if err != nil {
		return announcement{err: err}
	}
	a.header, a.err = c.Header(ctx, chain.Some(hash))
	return a
}
