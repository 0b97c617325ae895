package reply_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/reply"
)

// known are the answers of a gateway that knows little.
type known map[string]string

func (k known) Get(_ context.Context, path string) (string, error) {
	if text, there := k[path]; there {
		return text, nil
	}
	return "", fmt.Errorf("%s: %w", path, chain.ErrNotOffered)
}

// Send answers as Sidecar does.
func ExampleHandler() {
	handler := reply.Handler(known{"/node/version": `{"clientVersion":"0.8.5"}`})
	for _, path := range []string{"/node/version", "/weather"} {
		sent := httptest.NewRecorder()
		handler.ServeHTTP(sent, httptest.NewRequest("GET", path, nil))
		fmt.Println(sent.Code, sent.Header().Get("Content-Type"))
	}
	// Output:
	// 200 application/json; charset=utf-8
	// 404 text/html; charset=utf-8
}
