package reply

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	maxHeaderTime  = 10 * time.Second
	maxHeaderBytes = 64 << 10
	maxWriteTime   = time.Minute
	maxIdleTime    = 2 * time.Minute
	maxFarewell    = time.Second // a program that was asked to end has half a second more
)

// Serve answers at a listener until the context ends, and lets the answers under
// way finish. Those that take too long for that are broken off.
func Serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: maxHeaderTime,
		MaxHeaderBytes:    maxHeaderBytes,
		WriteTimeout:      maxWriteTime, // which Send begins anew
		IdleTimeout:       maxIdleTime,
		// Or net/http answers OPTIONS * itself, past the handler and its guards.
		DisableGeneralOptionsHandler: true,
	}
	defer server.Close()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	farewell, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxFarewell)
	defer cancel()
	if err := server.Shutdown(farewell); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil // what is left is broken off: an answer that takes too long, or a connection on which nothing was asked yet
}
