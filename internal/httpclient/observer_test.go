package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// observer records its calls.
type observer struct {
	mu       sync.Mutex
	attempts []string
	bytes    int64
}

func (o *observer) Attempted(what string, attempt int, took time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var status *httpclient.StatusError
	errors.As(err, &status)
	code := 0
	if status != nil {
		code = status.Code
	}
	o.attempts = append(o.attempts, fmt.Sprintf("%s %d %d %v", what, attempt, code, took > 0))
}

func (o *observer) Received(_ string, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += bytes
}

// An observer receives each attempt with its error, and the bytes received.
func TestObserver(t *testing.T) {
	s := &sequence{steps: []http.HandlerFunc{status(503, "away"), status(429, "")}}
	seen := &observer{}
	c := clientOf(t, s, httpclient.Options{Observer: seen})
	text, err := get(context.Background(), c, "/")
	require.NoError(t, err)
	require.Equal(t, "well", text)
	require.Equal(t, []string{"gateway 1 503 true", "gateway 2 429 true", "gateway 3 0 true"}, seen.attempts)
	require.EqualValues(t, len("away")+len("well"), seen.bytes)

	require.NoError(t, c.Ask(context.Background(), func(ctx context.Context) error {
		_, _, err := c.Stream(ctx, "/", io.Discard)
		return err
	}))
	require.Len(t, seen.attempts, 4)
	require.Equal(t, "gateway 1 0 true", seen.attempts[3], "another question")
	require.EqualValues(t, len("away")+2*len("well"), seen.bytes)
}
