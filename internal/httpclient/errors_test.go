package httpclient_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// What passes is asked again; what is in doubt, only of an address that has answered before.
func TestPassesAndDoubtful(t *testing.T) {
	status := func(code int, message string) error {
		return &httpclient.StatusError{Code: code, Message: message}
	}
	cut := errors.New("unexpected end")
	for _, c := range []struct {
		err              error
		passes, doubtful bool
	}{
		{nil, false, false},
		{errors.New("a mistake"), false, false},
		{status(http.StatusBadGateway, ""), true, false},
		{status(http.StatusTooManyRequests, ""), true, false},
		{status(http.StatusInternalServerError, "No response received from RPC endpoint in 60s"), true, false},
		{status(http.StatusForbidden, ""), false, true},
		{&httpclient.UnusableError{Err: cut}, false, true},
		{&httpclient.InterruptedError{Next: 7, Err: status(http.StatusBadGateway, "")}, true, false},
	} {
		require.Equal(t, c.passes, httpclient.IsTransient(c.err), "%v", c.err)
		require.Equal(t, c.doubtful, httpclient.IsBadResponse(c.err), "%v", c.err)
	}
	require.ErrorIs(t, &httpclient.UnusableError{Err: cut}, cut)
	require.EqualError(t, &httpclient.UnusableError{Err: cut}, "unexpected end")
	require.EqualError(t, &httpclient.InterruptedError{Err: cut}, "unexpected end")
}
