package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/jsonscan"
)

// topic is a kind of subscription.
type topic struct {
	subscribe, unsubscribe string // the methods
	read                   func(result jsonscan.Value) announcement
}

var (
	finalizedHeads = topic{"chain_subscribeFinalizedHeads", "chain_unsubscribeFinalizedHeads", readHead}
	storageChanges = topic{"state_subscribeStorage", "state_unsubscribeStorage", readChange}
)

// subscription is an open subscription on one connection.
type subscription struct {
	topic  topic
	newest chan announcement // holds one: only the highest, or the latest, counts
	id     string            // as JSON, "" until the node assigned it; guarded by the connection's mutex
	ended  bool              // no longer wanted; guarded likewise
}

// announcement is an announced head or change, or the reason for the end of the subscription.
type announcement struct {
	header Header
	stored Stored
	err    error
}

// subscribe opens a subscription on the connection.
func (c *connection) subscribe(ctx context.Context, to topic, params []any) (*subscription, error) {
	s := &subscription{topic: to, newest: make(chan announcement, 1)}
	answers, err := c.ask(ctx, []question{{to.subscribe, params}}, s)
	if err != nil {
		c.unsubscribe(s)
		return nil, err
	}
	m := answers[0]
	switch {
	case m.failure != nil:
		return nil, m.failure
	case !isSubscription(m.result):
		return nil, &DecodeError{"subscription", fmt.Errorf("want its id, have %v", m.result.Kind())}
	}
	return s, nil
}

// opened records the id that the node assigned.
func (c *connection) opened(s *subscription, id string) {
	c.mu.Lock()
	s.id = id
	unwanted := s.ended
	if !unwanted {
		c.subscriptions[id] = s
	}
	c.mu.Unlock()
	if unwanted {
		c.notify(s.topic.unsubscribe, []any{json.RawMessage(id)})
	}
}

// unsubscribe ends a subscription, even if the node has not opened it yet.
func (c *connection) unsubscribe(s *subscription) {
	c.mu.Lock()
	id := s.id
	s.ended = true
	delete(c.subscriptions, id)
	c.mu.Unlock()
	if id != "" {
		c.notify(s.topic.unsubscribe, []any{json.RawMessage(id)})
	}
}

// take stores an announcement. Only the connection's reader calls it.
func (s *subscription) take(n *notice) {
	a := s.read(n)
	select {
	case before := <-s.newest: // not yet delivered
		if before.err != nil || a.err == nil && a.header.Number < before.header.Number {
			a = before
		}
	default:
	}
	s.newest <- a
}

var errEnded = errors.New("the node ended the subscription")

func (s *subscription) read(n *notice) announcement {
	if n.end != nil {
		return announcement{err: fmt.Errorf("%w: %s", errEnded, jsonscan.Excerpt(n.end.Message))}
	}
	return s.topic.read(n.result)
}

func readHead(v jsonscan.Value) (a announcement) {
	if a.header, a.err = readHeader(v); a.err != nil {
		a.err = &DecodeError{"header", a.err}
	}
	return a
}
