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

// readyTime is how long the node may take to answer a health check.
const readyTime = 5 * time.Second

// readyFor is how long a health check is cached, so that many probes cause few requests to the node.
const readyFor = time.Second

// readiness is the cached reason why the gateway was not ready, "" if it was.
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

// notReady returns why the gateway is not ready, or "". The check is shared: it continues if the prober disconnects.
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

// askNode checks the node's health, or its newest final block if the node does not support health checks.
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
		_, message := statusOf(err)
		return "the node is not ready: " + message
	}
	return ""
}
