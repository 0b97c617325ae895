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
	maxFarewell    = time.Second // a program asked to end has half a second more
)

// Serve serves on a listener until the context ends, and lets running requests finish. It aborts those that take too
// long.
func Serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: maxHeaderTime,
		MaxHeaderBytes:    maxHeaderBytes,
		WriteTimeout:      maxWriteTime, // restarted by Send
		IdleTimeout:       maxIdleTime,
		// Without this, net/http answers OPTIONS * itself, bypassing the handler and its guards.
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
	return nil // aborts what is left: a slow answer, or an unused connection
}
