package rpc

// Waiting is how many questions a WebSocket's connection remembers.
func (c *Client) Waiting() int {
	c.socket.turn <- struct{}{}
	defer func() { <-c.socket.turn }()
	c.socket.current.mu.Lock()
	defer c.socket.current.mu.Unlock()
	return len(c.socket.current.waiting)
}
