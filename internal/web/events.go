package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

const (
	maxListeners = 100
	pollInterval = 2 * time.Second  // polling interval while there are listeners
	keepAlive    = 15 * time.Second // interval of keep-alive comments
)

// errTooManyListeners rejects another page that waits for new blocks.
var errTooManyListeners = &problem{http.StatusTooManyRequests, "Busy", fmt.Sprintf("%d pages already wait for new blocks. Reload this page to see newer ones.", maxListeners)}

// news sends newly sealed states to all listeners. It polls the ledger once for all of them, and only
// while there are listeners.
type news struct {
	ledger *app.Ledger

	mutex     sync.Mutex
	listeners map[chan app.State]bool
	stop      context.CancelFunc // stops polling
}

// listen returns a channel of the states from now on.
func (n *news) listen() (states <-chan app.State, leave func(), err error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if len(n.listeners) >= maxListeners {
		return nil, nil, errTooManyListeners
	}
	if len(n.listeners) == 0 {
		ctx, stop := context.WithCancel(context.Background())
		n.listeners, n.stop = map[chan app.State]bool{}, stop
		go n.watch(ctx)
	}
	own := make(chan app.State, 1)
	n.listeners[own] = true
	return own, func() {
		n.mutex.Lock()
		defer n.mutex.Unlock()
		delete(n.listeners, own)
		if len(n.listeners) == 0 {
			n.stop()
		}
	}, nil
}

// watch polls the ledger.
func (n *news) watch(ctx context.Context) {
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	last := ""
	for {
		if state, err := n.ledger.State(ctx); err == nil && state.String() != last { // errors are retried at the next tick
			last = state.String()
			n.publish(ctx, state)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// publish sends a state to all listeners. A listener that has not read the previous state gets this one instead.
func (n *news) publish(ctx context.Context, state app.State) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if ctx.Err() != nil { // a newer watch has taken over
		return
	}
	for own := range n.listeners {
		select {
		case <-own:
		default:
		}
		own <- state
	}
}

// events sends the sealed state, now and after each change, as server-sent events.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	if _, err := parameters(r.URL.RawQuery); err != nil {
		s.fail(w, r, err)
		return
	}
	states, leave, err := s.news.listen()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	idle := time.NewTicker(keepAlive)
	defer idle.Stop()
	now, err := s.Ledger.State(r.Context())
	for err == nil {
		err = sendState(w, now)
		for wait := true; wait && err == nil; {
			select {
			case state := <-states:
				wait = state.String() == now.String()
				now = state
			case <-idle.C:
				if v := visitorOf(r); v.session && s.sessions.userOf(v.browser, false) == "" {
					return // the user has logged out
				}
				err = sendEvent(w, ": no change\n\n")
			case <-r.Context().Done():
				return
			case <-s.Ending:
				return
			}
		}
	}
}

// sendState sends a state as an event.
func sendState(w http.ResponseWriter, state app.State) error {
	var first, last, hash any
	if span, ok := state.Span.Get(); ok {
		first, last, hash = span.First, span.Last, state.Hash
	}
	text, err := jsontext.Line(jsontext.Record{{Name: "network", Value: state.Network}, {Name: "first", Value: first}, {Name: "last", Value: last}, {Name: "hash", Value: hash}})
	if err != nil {
		return err
	}
	return sendEvent(w, "event: sealed\ndata: "+string(text)+"\n\n")
}

// sendEvent sends a text at once. A client that does not read it in time is disconnected.
func sendEvent(w http.ResponseWriter, text string) error {
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(keepAlive)); err != nil {
		return err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	return c.Flush()
}
