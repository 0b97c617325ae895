package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
)

// readyTime is how long the node may take to say that it is well.
const readyTime = 5 * time.Second

// readyFor is how long it is believed what the node said of itself: many probes are few
// questions to the node.
const readyFor = time.Second

// readiness is why the gateway was not ready, "" if it was.
type readiness struct {
	guard  sync.Mutex
	asked  time.Time
	reason string
}

func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if reason := s.notReady(r.Context()); reason != "" {
		reply.Send(w, http.StatusServiceUnavailable, reply.Text, reason+"\n")
		return
	}
	reply.Send(w, http.StatusOK, reply.Text, "ready\n")
}

// notReady is why the gateway is not ready now. The question is not the prober's alone: it
// goes on where he goes away.
func (s *server) notReady(ctx context.Context) string {
	known := &s.readiness
	known.guard.Lock()
	defer known.guard.Unlock()
	if time.Since(known.asked) > readyFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTime)
		defer cancel()
		known.reason = s.askNode(httpclient.Briefly(ctx))
		known.asked = time.Now()
	}
	return known.reason
}

// askNode asks the node how it is, or for its newest final block where it does not tell.
func (s *server) askNode(ctx context.Context) string {
	health, err := s.node.Call(ctx, "system_health")
	if err == nil {
		if syncing, told := health.Member("isSyncing").Bool(); told && syncing {
			return "the node is syncing"
		}
		return ""
	}
	var refused *rpc.RPCError
	if errors.As(err, &refused) {
		_, err = s.node.FinalizedHead(ctx)
	}
	if err != nil {
		_, message := told(err)
		return "the node does not answer: " + message
	}
	return ""
}
