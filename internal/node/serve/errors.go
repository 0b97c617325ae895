package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/render"
)

// asSidecar returns an error as Sidecar would word it, without the node's address and without what its provider replies to a
// key.
func asSidecar(err error) error {
	var refused *render.RefusedError
	if err == nil || errors.As(err, &refused) || errors.Is(err, context.Canceled) {
		return err
	}
	status, message := statusOf(err)
	return render.Refused(status, "%s", message)
}

func statusOf(err error) (status int, message string) {
	var timeout *httpclient.TimeoutError
	var unreachable *httpclient.UnreachableError
	var code *httpclient.StatusError
	var refusal *rpc.RPCError
	switch {
	case errors.As(err, &timeout):
		return http.StatusInternalServerError, fmt.Sprintf("No response received from RPC endpoint in %.0fs", timeout.Limit.Seconds())
	case errors.Is(err, httpclient.ErrTooLarge), errors.Is(err, httpclient.ErrNotJSON):
		return http.StatusInternalServerError, "The node's answer is too large or not JSON"
	case errors.As(err, &unreachable), errors.Is(err, rpc.ErrClosed):
		return http.StatusInternalServerError, "WebSocket is not connected"
	case errors.As(err, &code) && httpclient.IsTransient(err): // transient; the client retries after this status
		return http.StatusServiceUnavailable, ofStatus(code)
	case errors.As(err, &code):
		return http.StatusInternalServerError, ofStatus(code)
	case errors.Is(err, rpc.ErrNoMethod) && errors.As(err, &refusal):
		return http.StatusInternalServerError, "The node does not have the method " + refusal.Method
	case errors.As(err, &refusal):
		return http.StatusInternalServerError, ofNode(refusal)
	case errors.Is(err, chain.ErrUnsupported):
		return http.StatusInternalServerError, "Not supported: " + short(err)
	}
	return http.StatusInternalServerError, short(err)
}

func ofStatus(e *httpclient.StatusError) string {
	return strings.TrimSpace(fmt.Sprintf("The node returned status %d %s", e.Code, http.StatusText(e.Code)))
}

// ofNode words a node's refusal as polkadot-js does. Other texts are left out: they may come from a proxy in front of the node and
// quote a key.
func ofNode(e *rpc.RPCError) string {
	code, coded := e.Code.Get()
	switch {
	case coded && strings.HasPrefix(e.Message, "Client error: "):
		return fmt.Sprintf("%d: %s", code, jsonscan.Excerpt(e.Message))
	case coded:
		return fmt.Sprintf("The node refuses %s (code %d)", e.Method, code)
	}
	return "The node refuses " + e.Method
}

// maxErrorBytes limits the length of a message.
const maxErrorBytes = 300

func short(err error) string {
	text := err.Error()
	if len(text) > maxErrorBytes {
		text = strings.ToValidUTF8(text[:maxErrorBytes], "") + "…"
	}
	return text
}
