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

// How many answers are made at once, and how many questions may wait for that. Further ones are
// refused with status 503.
const (
	mostAtOnce  = 32
	mostWaiting = 1024
)

// Handler is a gateway before a node; version is what it says of itself at its root. It
// observes the node's client, which must not have been used yet.
func Handler(node *rpc.Client, version string) http.Handler {
	return handler(node, version, newTurns(mostAtOnce, mostWaiting))
}

func handler(node *rpc.Client, version string, turns *turns) http.Handler {
	m := newMetrics()
	node.Observe(m.asked)
	return &server{node: node, answers: m.counting(reply.Handler(&answers{gateway.New(node), turns, version})), metrics: m.page()}
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

// answers are those of a node's gateway, and the root's.
type answers struct {
	gateway *gateway.Gateway
	turns   *turns
	version string
}

// Answer answers a question when it is its turn. The node is asked again for a few seconds
// only where it does not answer: whoever asks a gateway asks again by himself.
func (a *answers) Answer(ctx context.Context, question string) (string, error) {
	if u, err := url.ParseRequestURI(question); err == nil && u.Path == "/" {
		return a.root()
	}
	if err := a.turns.take(ctx); err != nil {
		return "", err
	}
	defer a.turns.leave()
	text, err := a.gateway.Answer(httpclient.Briefly(ctx), question)
	return text, asSidecar(err)
}

// root is what a recorder reads of a gateway's root.
func (a *answers) root() (string, error) {
	text, err := json.Marshal(map[string]string{"version": a.version})
	return string(text), err
}
