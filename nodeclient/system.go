package nodeclient

import (
	"context"
	"fmt"
)

// Methods are the names of the methods that the node has (rpc_methods).
func (c *Client) Methods(ctx context.Context) ([]string, error) {
	v, err := c.Call(ctx, "rpc_methods")
	if err != nil {
		return nil, err
	}
	names, err := readList(v.Member("methods"), readText)
	if err != nil {
		return nil, &DecodeError{"list of methods", fmt.Errorf("methods%w", err)}
	}
	return names, nil
}

// Chain is the name of the node's chain (system_chain).
func (c *Client) Chain(ctx context.Context) (string, error) {
	v, err := c.Call(ctx, "system_chain")
	if err != nil {
		return "", err
	}
	name, err := readText(v)
	if err != nil {
		return "", &DecodeError{"chain name", err}
	}
	return name, nil
}
