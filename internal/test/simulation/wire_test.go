package simulation

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// The program uses HTTP as always, but the connections are pipes within the process, so that waiting happens inside the
// bubble of a world.

// listeners are the worlds' listeners by address.
var listeners sync.Map

func init() {
	transport := http.DefaultTransport.(*http.Transport)
	// Whether a connection is free for the next request is up to the Go scheduler, and a request on a closed one
	// is retried. So each request has its own connection.
	transport.DisableKeepAlives = true
	transport.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		l, known := listeners.Load(address)
		if !known {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("no such host")}
		}
		return l.(*listener).dial(ctx)
	}
}

// listener accepts connections that are pipes.
type listener struct {
	arriving chan net.Conn
	closed   chan struct{}
}

// serve serves a handler at an address until it is ended.
func serve(address string, h http.Handler) (end func()) {
	l := &listener{arriving: make(chan net.Conn), closed: make(chan struct{})}
	listeners.Store(address+":80", l)
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)} // it would log every fault
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) })
	return func() {
		listeners.Delete(address + ":80")
		server.Close()
		serving.Wait()
	}
}

func (l *listener) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.arriving <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.arriving:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	close(l.closed)
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
