// Package port finds addresses for the servers that tests stop and start again.
package port

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Systems give listeners at port 0 one above these. While a server is stopped, such a listener would take its port.
const (
	first = 20_000
	after = 32_768
)

// maxTried ends the search on a machine where nothing may listen.
const maxTried = 100

// Free returns a port of 127.0.0.1 that is free, and that no listener at port 0 gets.
func Free() (int, error) {
	var failed error
	for range maxTried {
		port := first + rand.IntN(after-first)
		listener, err := net.Listen("tcp", address(port))
		if err == nil {
			return port, listener.Close()
		}
		failed = err
	}
	return 0, errors.Join(errors.New("no port is free"), failed)
}

// Address returns 127.0.0.1 with a port as by [Free].
func Address(t testing.TB) string {
	t.Helper()
	port, err := Free()
	require.NoError(t, err)
	return address(port)
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
