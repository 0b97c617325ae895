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
	mostListeners = 100
	lookAgain     = 2 * time.Second  // how often the ledger is asked while somebody listens
	stillThere    = 15 * time.Second // how often a listener is told that nothing is new
)

// errTooManyListeners says that too many wait for new blocks.
var errTooManyListeners = &problem{http.StatusTooManyRequests, "Busy", fmt.Sprintf("%d pages wait for new blocks already: this one stays as it is.", mostListeners)}

// news tells what a ledger has sealed, to all who listen. It asks the ledger once for all of them,
// and while there are any.
type news struct {
	desk *app.Desk

	mutex     sync.Mutex
	listeners map[chan app.State]bool
	stop      context.CancelFunc // of who asks the ledger
}

// listen gives the states as they come, from now on.
func (n *news) listen() (states <-chan app.State, leave func(), err error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if len(n.listeners) >= mostListeners {
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

// watch asks the ledger again and again.
func (n *news) watch(ctx context.Context) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	last := ""
	for {
		if state, err := n.desk.State(ctx); err == nil && state.String() != last { // what fails is asked again
			last = state.String()
			n.tell(ctx, state)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// tell hands a state over. Who has not read the one before gets this one instead.
func (n *news) tell(ctx context.Context, state app.State) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if ctx.Err() != nil { // another one watches by now
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

// events sends what the ledger has sealed, now and whenever that changes, as server-sent events.
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
	idle := time.NewTicker(stillThere)
	defer idle.Stop()
	now, err := s.Desk.State(r.Context())
	for err == nil {
		err = sendState(w, now)
		for wait := true; wait && err == nil; {
			select {
			case state := <-states:
				wait = state.String() == now.String()
				now = state
			case <-idle.C:
				if v := visitorOf(r); v.session && s.sessions.userOf(v.browser, false) == "" {
					return // who has logged out meanwhile
				}
				err = sendEvent(w, ": nothing is new\n\n")
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

// sendEvent sends a text at once. Who does not take it in time has gone.
func sendEvent(w http.ResponseWriter, text string) error {
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(stillThere)); err != nil {
		return err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	return c.Flush()
}
