package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Answers answers requests, given as paths with their queries, such as /blocks/25. A path that is not offered is
// [chain.ErrNotOffered]; other errors should be [render.RefusedError], as nothing of any other error is shown.
type Answers interface {
	Get(ctx context.Context, path string) (string, error)
}

// Handler serves answers.
func Handler(a Answers) http.Handler { return handler{a} }

type handler struct{ answers Answers }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notFound(w, r)
		return
	}
	text, err := h.answers.Get(r.Context(), r.URL.RequestURI())
	var refused *render.RefusedError
	switch {
	case err == nil:
		Send(w, http.StatusOK, JSON, text)
	case errors.Is(err, chain.ErrNotOffered):
		notFound(w, r)
	case errors.As(err, &refused):
		fail(w, refused.Status, refused.Message)
	default:
		fail(w, http.StatusInternalServerError, http.StatusText(http.StatusInternalServerError))
	}
}

func fail(w http.ResponseWriter, status int, message string) {
	text, err := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Level   string `json:"level"`
	}{status, message, "error"})
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	Send(w, status, JSON, string(text))
}

func notFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	Send(w, http.StatusNotFound, "text/html; charset=utf-8", fmt.Sprintf(
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot %s %s</pre>\n</body>\n</html>\n",
		html.EscapeString(r.Method), html.EscapeString(r.URL.EscapedPath())))
}

// Content types of answers.
const (
	JSON = "application/json; charset=utf-8"
	Text = "text/plain; charset=utf-8"
)

// Send sends a text. The client has limited time to receive it.
func Send(w http.ResponseWriter, status int, contentType, text string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxWriteTime)) // a test's writer has no deadline
	w.WriteHeader(status)
	w.Write([]byte(text)) // a client that is gone needs no answer
}
