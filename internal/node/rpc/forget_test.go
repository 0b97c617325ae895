package rpc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// A question that was not sent is not waited for: nothing of it stays for the life of
// the connection.
func TestQuestionsThatWereNotSentAreForgotten(t *testing.T) {
	c := &connection{asker: new(httpclient.Client), outbox: make(chan []byte), broken: make(chan struct{}), waiting: map[string]*waiter{}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 3 {
		_, err := c.ask(ctx, []question{{"chain_getHeader", nil}, {"chain_getBlock", nil}}, nil) // the answer is not taken
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, c.waiting)
		c.notify("chain_unsubscribeNewHeads", nil)
		require.Empty(t, c.waiting)
	}
	c.outbox = make(chan []byte, 1)
	c.notify("chain_unsubscribeNewHeads", nil)
	require.Len(t, c.waiting, 1, "one that was sent is")
}
