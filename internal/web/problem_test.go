package web

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// What a gateway or a node answers is said in words: no page shows its requests and statuses.
func TestAnswersInWords(t *testing.T) {
	for _, c := range []struct {
		what, path string
		code       int
		want       string
	}{
		{httpclient.Gateway, "/blocks/28", http.StatusNotFound, "The gateway has no block 28."},
		{httpclient.Gateway, "/accounts/0x1/balance-info?at=28", http.StatusNotFound, "The gateway has no balances after block 28."},
		{httpclient.Gateway, "/node/version", http.StatusNotFound, "The gateway has no such block or account."},
		{httpclient.Node, "", http.StatusForbidden, "The node denies access. Ask the administrator of this server to check its key."},
		{httpclient.Gateway, "/blocks/28", http.StatusBadGateway, "The gateway cannot answer now. Try again later."},
		{httpclient.Gateway, "/blocks/28", http.StatusTooManyRequests, "The gateway cannot answer now. Try again later."},
		{httpclient.Node, "", http.StatusMethodNotAllowed, "The node refused the request. Ask the administrator of this server to check its address."},
	} {
		err := fmt.Errorf("block 28: %w", &httpclient.StatusError{Place: httpclient.Place{What: c.what}, Path: c.path, Code: c.code, Message: "<html>"})
		p := problemOf(t.Context(), err, time.Second)
		require.Equal(t, problem{http.StatusBadGateway, "Source not available", c.want}, *p)
	}
}
