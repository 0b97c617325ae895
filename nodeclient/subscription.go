package nodeclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/feeledger/fees/wire"
)

// subscription is one of heads, on one connection. It keeps only what was
// announced last: whoever is slow asks for what is in between.
type subscription struct {
	feed  feed
	news  chan announced // has room for one
	id    string         // as JSON, "" until the node gave it; the connection's mutex guards it
	ended bool           // nobody wants it any more; guarded likewise
}

// announced is what a subscription heard since somebody looked.
type announced struct {
	first uint64 // a height
	last  uint64
	err   error // why the subscription ended, if it did
}

// feed is what there is to subscribe to.
type feed struct {
	subscribe   string // the method's name
	unsubscribe string
	final       bool
}

var (
	newHeads       = feed{"chain_subscribeNewHeads", "chain_unsubscribeNewHeads", false}
	finalizedHeads = feed{"chain_subscribeFinalizedHeads", "chain_unsubscribeFinalizedHeads", true}
)

// subscribe opens a subscription on the socket's connection.
func (c *connection) subscribe(ctx context.Context, f feed) (*subscription, error) {
	s := &subscription{feed: f, news: make(chan announced, 1)}
	m, err := c.ask(ctx, f.subscribe, nil, s)
	switch {
	case err != nil:
		c.unsubscribe(s)
		return nil, fmt.Errorf("%s: %w", f.subscribe, err)
	case m.failure != nil:
		m.failure.Method = f.subscribe
		return nil, m.failure
	case !isSubscription(m.result):
		return nil, &DecodeError{"subscription", fmt.Errorf("want its id, have %v", m.result.Kind())}
	}
	return s, nil
}

// opened notes the id that the node gave a subscription.
func (c *connection) opened(s *subscription, id string) {
	c.mu.Lock()
	s.id = id
	unwanted := s.ended
	if !unwanted {
		c.subscriptions[id] = s
	}
	c.mu.Unlock()
	if unwanted {
		c.tell(s.feed.unsubscribe, []any{json.RawMessage(id)})
	}
}

// unsubscribe ends a subscription, also one that the node has not opened yet.
func (c *connection) unsubscribe(s *subscription) {
	c.mu.Lock()
	id := s.id
	s.ended = true
	delete(c.subscriptions, id)
	c.mu.Unlock()
	if id != "" {
		c.tell(s.feed.unsubscribe, []any{json.RawMessage(id)})
	}
}

// take notes what the node announces. Only the connection's reader calls it.
func (s *subscription) take(n *notice) {
	news := read(n)
	select {
	case before := <-s.news: // which nobody has seen
		switch {
		case before.err != nil || s.feed.final && news.err == nil && news.last < before.last:
			news = before
		default:
			news.first = before.first
		}
	default:
	}
	s.news <- news
}

var errEnded = errors.New("the node ended the subscription")

func read(n *notice) announced {
	if n.end != nil {
		return announced{err: fmt.Errorf("%w: %s", errEnded, wire.Excerpt(n.end.Message))}
	}
	h, err := readHeader(n.result)
	if err != nil {
		err = &DecodeError{"header", err}
	}
	return announced{h.Number, h.Number, err}
}
