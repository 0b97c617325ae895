package ask_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
)

// What passes is asked again; what is in doubt, only of an address that has answered before.
func TestPassesAndDoubtful(t *testing.T) {
	status := func(code int, message string) error {
		return &ask.StatusError{Code: code, Message: message}
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
		{&ask.UnusableError{Err: cut}, false, true},
		{&ask.InterruptedError{Next: 7, Err: status(http.StatusBadGateway, "")}, true, false},
	} {
		require.Equal(t, c.passes, ask.Passes(c.err), "%v", c.err)
		require.Equal(t, c.doubtful, ask.Doubtful(c.err), "%v", c.err)
	}
	require.ErrorIs(t, &ask.UnusableError{Err: cut}, cut)
	require.EqualError(t, &ask.UnusableError{Err: cut}, "unexpected end")
	require.EqualError(t, &ask.InterruptedError{Err: cut}, "unexpected end")
}
