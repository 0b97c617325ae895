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

// SubscribeFinalizedHeads delivers the headers of final blocks as the node announces
// them, each with its hash. It is for knowing how far the chain is: whoever is slow gets
// the newest alone, and a header may be missing, come again, or be lower than the one
// before. While the node is silent it is asked, every [httpclient.Options].Timeout, where its
// head is.
//
// The iteration ends without an error when ctx does or the caller leaves the loop;
// either unsubscribes. Whatever else ends it is an error, which comes with a zero Header;
// [Temporary] tells whether it is worth subscribing again. Over HTTP it ends with
// [ErrNoSubscriptions] at once.
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

// Temporary tells whether what ended a subscription may be over when it is opened
// again: a node that is gone, busy, or refuses it for now.
func Temporary(err error) bool {
	var refused *RPCError
	return httpclient.Passes(err) ||
		errors.Is(err, errEnded) ||
		errors.Is(err, chain.ErrNoBlock) || // that it does not know any more
		errors.As(err, &refused) && !errors.Is(err, ErrNoMethod)
}

// listen delivers what is announced until something goes wrong, or the caller leaves.
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
		hash, err := c.BlockHash(ctx, a.header.Number) // which an announcement does not name
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

// finalizedHeader asks how far the chain is.
func (c *Client) finalizedHeader(ctx context.Context) (a announcement) {
	hash, err := c.FinalizedHead(ctx)
	if err != nil {
		return announcement{err: err}
	}
	a.header, a.err = c.Header(ctx, chain.Some(hash))
	return a
}
