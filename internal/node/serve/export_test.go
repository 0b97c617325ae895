package serve

import (
	"cmp"
	"net/http"

	"github.com/feeledger/fees/internal/node/rpc"
)

// Options are a gateway's version and its limits, [Handler]'s by default.
type Options struct {
	Version         string
	AtOnce, Waiting int
}

// HandlerWith is [Handler] with other limits.
func HandlerWith(node *rpc.Client, o Options) http.Handler {
	return handler(node, o.Version, newTurns(cmp.Or(o.AtOnce, maxConcurrent), cmp.Or(o.Waiting, maxWaiting)))
}
