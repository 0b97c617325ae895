package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
)

// How many answers are made at once, and how many requests may wait. Further requests are refused with status 503.
const (
	maxConcurrent = 32
	maxWaiting    = 1024
)

// Handler returns a gateway to a node; version is stated at its root. It observes the node's client, which must not have been used
// yet.
func Handler(node *rpc.Client, version string) http.Handler {
	return handler(node, version, newTurns(maxConcurrent, maxWaiting))
}

func handler(node *rpc.Client, version string, turns *turns) http.Handler {
	m := newMetrics()
	node.Observe(m.asked)
	return &server{node: node, answers: m.counting(reply.Handler(&answers{gateway.New(node), turns, version})), metrics: m.Page()}
}

type server struct {
	node             *rpc.Client
	answers, metrics http.Handler
	readiness        readiness
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
		reply.Send(w, http.StatusOK, reply.Text, "ok\n")
	case "/readyz":
		s.ready(w, r)
	case "/metrics":
		s.metrics.ServeHTTP(w, r)
	default:
		s.answers.ServeHTTP(w, r)
	}
}

// answers answers from a node's gateway, and the root itself.
type answers struct {
	gateway *gateway.Gateway
	turns   *turns
	version string
}

// Get answers a request when a slot is free. It retries an unresponsive node only for a few seconds, because clients of a
// gateway retry on their own.
func (a *answers) Get(ctx context.Context, path string) (string, error) {
	if u, err := url.ParseRequestURI(path); err == nil && u.Path == "/" {
		return a.root()
	}
	if err := a.turns.take(ctx); err != nil {
		return "", err
	}
	defer a.turns.leave()
	text, err := a.gateway.Get(httpclient.Briefly(ctx), path)
	return text, asSidecar(err)
}

// root returns what a recorder reads from a gateway's root.
func (a *answers) root() (string, error) {
	text, err := json.Marshal(map[string]string{"version": a.version})
	return string(text), err
}
