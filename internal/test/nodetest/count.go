package nodetest

import (
	"net"
	"sync/atomic"
)

// Counting counts a listener's open connections.
type Counting struct {
	net.Listener
	open atomic.Int64
}

// Open returns their number.
func (c *Counting) Open() int { return int(c.open.Load()) }

// Accept waits for the next connection.
func (c *Counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.open.Add(1)
		conn = &counted{Conn: conn, open: &c.open}
	}
	return conn, err
}

type counted struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *counted) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}
