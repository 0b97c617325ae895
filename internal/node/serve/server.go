package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
)

// Options say how a gateway is served. Zero values mean the defaults.
type Options struct {
	// Version is what the gateway says of itself at its root.
	Version string
	// AtOnce is how many answers are made at once; 32 by default.
	AtOnce int
	// Waiting is how many questions may wait for that; 1024 by default. Further ones are
	// refused with status 503.
	Waiting int
}

// Defaults of [Options].
const (
	DefaultAtOnce  = 32
	DefaultWaiting = 1024
)

// Handler is a gateway before a node. It observes the node's client, which must not have been
// used yet.
func Handler(node *rpc.Client, o Options) http.Handler {
	m := newMetrics()
	node.Observe(m.asked)
	turns := newTurns(cmp.Or(o.AtOnce, DefaultAtOnce), cmp.Or(o.Waiting, DefaultWaiting))
	s := &server{
		node:    node,
		answers: m.counting(reply.Handler(&answers{gateway.New(node), turns, o.Version})),
		metrics: m.page(),
	}
	return s
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
