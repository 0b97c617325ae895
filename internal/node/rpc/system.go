package rpc

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
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

// Runtime asks for the runtime on the state of the block with that hash, or of the
// newest one where none is given: the one that executes the block after it
// (state_getRuntimeVersion). It is [chain.ErrNoBlock] where the node answers with null.
func (c *Client) Runtime(ctx context.Context, block chain.Optional[chain.Hash]) (chain.Runtime, error) {
	const method = "state_getRuntimeVersion"
	v, err := c.Call(ctx, method, at(block)...)
	if err != nil {
		return chain.Runtime{}, err
	}
	if v.Kind() == jsonscan.Null {
		return chain.Runtime{}, noBlock(method, block)
	}
	r, err := readRuntime(v)
	if err != nil {
		return chain.Runtime{}, &DecodeError{"runtime version", err}
	}
	return r, nil
}

func readRuntime(v jsonscan.Value) (r chain.Runtime, err error) {
	if r.SpecName, err = readText(v.Member("specName")); err != nil {
		return chain.Runtime{}, fmt.Errorf("specName: %w", err)
	}
	version, err := chain.ReadUint64(v.Member("specVersion"))
	if err != nil {
		return chain.Runtime{}, fmt.Errorf("specVersion: %w", err)
	}
	if version > math.MaxUint32 {
		return chain.Runtime{}, fmt.Errorf("specVersion: %d is more than 32 bits", version)
	}
	r.SpecVersion = uint32(version)
	return r, nil
}
