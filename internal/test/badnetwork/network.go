// Package badnetwork is a network that is slow, stands still, and breaks connections off,
// between a program and a server, for tests and measurements.
package badnetwork

import (
	"net"
	"regexp"
	"sync"
	"time"
)

// Network leads to a server. What either end sends arrives later by the latency.
type Network struct {
	server   string
	latency  time.Duration
	listener net.Listener

	mu          sync.Mutex
	still       time.Time // until then nothing is passed on
	connections map[*net.TCPConn]bool
	broken      int // connections
	lost        *regexp.Regexp
}

// New leads to the server at an address, such as 127.0.0.1:5432.
func New(server string, latency time.Duration) (*Network, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &Network{server: server, latency: latency, listener: listener, connections: map[*net.TCPConn]bool{}}
	go n.serve()
	return n, nil
}

// Address leads to the server over this network.
func (n *Network) Address() string { return n.listener.Addr().String() }

// Close takes no more connections.
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

// join passes on what either end of a connection sends, until one ends or it is broken off.
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

// packet is what was sent at a time.
type packet struct {
	bytes []byte
	at    time.Time
}

func (n *Network) passesAt() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.still
}

// Stall has nothing pass for a time.
func (n *Network) Stall(pause time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.still = time.Now().Add(pause)
}

// LoseAfter loses, once, whatever one connection sends to the server after a text.
func (n *Network) LoseAfter(text *regexp.Regexp) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = text
}

// losing is what passes of a packet, and whether all that follows is lost.
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
	return bytes[:place[1]], true
}

// Connected is how many connections there are.
func (n *Network) Connected() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.connections)
}

// Broken is how many connections were broken off.
func (n *Network) Broken() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.broken
}

// Reset breaks so many connections off, at both ends.
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
