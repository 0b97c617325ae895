// Package badnetwork simulates a slow network that stalls and breaks connections, between a program and a
// server, for tests and measurements.
package badnetwork

import (
	"net"
	"regexp"
	"sync"
	"time"
)

// Network forwards connections to a server. Data in either direction arrives later by the latency.
type Network struct {
	server   string
	latency  time.Duration
	listener net.Listener

	mu          sync.Mutex
	still       time.Time // nothing is forwarded until then
	connections map[*net.TCPConn]bool
	broken      int            // connections
	lost        *regexp.Regexp // see LoseAfter
	beforeLoss  func()
}

// New forwards to the server at an address, such as 127.0.0.1:5432.
func New(server string, latency time.Duration) (*Network, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &Network{server: server, latency: latency, listener: listener, connections: map[*net.TCPConn]bool{}}
	go n.serve()
	return n, nil
}

// Address returns the address of the server over this network.
func (n *Network) Address() string { return n.listener.Addr().String() }

// Close accepts no more connections.
func (n *Network) Close() error { return n.listener.Close() }

func (n *Network) serve() {
	for {
		near, err := n.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", n.server)
		if err != nil {
			near.Close()
			continue
		}
		n.join(near.(*net.TCPConn), far.(*net.TCPConn))
	}
}

// join forwards the data of both ends of a connection, until one ends or it is broken.
func (n *Network) join(near, far *net.TCPConn) {
	n.mu.Lock()
	n.connections[near] = true
	n.mu.Unlock()
	for _, x := range [][2]*net.TCPConn{{near, far}, {far, near}} {
		sent := make(chan packet, 1000)
		go func() {
			defer close(sent)
			for {
				bytes := make([]byte, 16<<10)
				size, err := x[0].Read(bytes)
				if size > 0 {
					sent <- packet{bytes[:size], time.Now()}
				}
				if err != nil {
					return
				}
			}
		}()
		go func() {
			defer func() {
				n.mu.Lock()
				delete(n.connections, near)
				n.mu.Unlock()
				near.Close()
				far.Close()
				for range sent {
				}
			}()
			for p := range sent {
				time.Sleep(time.Until(p.at.Add(n.latency)))
				time.Sleep(time.Until(n.passesAt()))
				passed, lost := p.bytes, false
				if x[0] == near {
					passed, lost = n.losing(p.bytes)
				}
				if _, err := x[1].Write(passed); err != nil {
					return
				}
				if lost {
					for range sent {
					}
				}
			}
		}()
	}
}

// packet is data with the time at which it was sent.
type packet struct {
	bytes []byte
	at    time.Time
}

func (n *Network) passesAt() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.still
}

// Stall stops all traffic for a time.
func (n *Network) Stall(pause time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.still = time.Now().Add(pause)
}

// LoseAfter drops, once, everything that one connection sends to the server after a text. Before the text is forwarded, it
// calls a function.
func (n *Network) LoseAfter(text *regexp.Regexp, before func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost, n.beforeLoss = text, before
}

// losing returns the part of a packet to forward, and whether everything after it is lost.
func (n *Network) losing(bytes []byte) ([]byte, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lost == nil {
		return bytes, false
	}
	place := n.lost.FindIndex(bytes)
	if place == nil {
		return bytes, false
	}
	n.lost = nil
	n.beforeLoss()
	return bytes[:place[1]], true
}

// Connected returns the number of open connections.
func (n *Network) Connected() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.connections)
}

// Broken returns the number of broken connections.
func (n *Network) Broken() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.broken
}

// Reset breaks that many connections, at both ends.
func (n *Network) Reset(count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.connections {
		if count--; count < 0 {
			return
		}
		c.SetLinger(0)
		c.Close()
		n.broken++
		delete(n.connections, c)
	}
}
