package rpc

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Methods returns the names of the node's methods (rpc_methods).
func (c *Client) Methods(ctx context.Context) ([]string, error) {
	return ask(ctx, c, "list of methods", func(v jsonscan.Value) ([]string, error) {
		names, err := readList(v.Member("methods"), readText)
		if err != nil {
			err = fmt.Errorf("methods%w", err)
		}
		return names, err
	}, "rpc_methods")
}

// Chain returns the name of the node's chain (system_chain).
func (c *Client) Chain(ctx context.Context) (string, error) {
	return ask(ctx, c, "chain name", readText, "system_chain")
}

// Runtime returns the runtime after the block with a hash, or after the newest one: the one that executes the next
// block (state_getRuntimeVersion). It returns [chain.ErrNoBlock] if the node answers null.
func (c *Client) Runtime(ctx context.Context, block chain.Optional[chain.Hash]) (chain.Runtime, error) {
	return askAt(ctx, c, "runtime version", readRuntime, "state_getRuntimeVersion", block)
}

func readRuntime(v jsonscan.Value) (r chain.Runtime, err error) {
	if r.SpecName, err = readText(v.Member("specName")); err != nil {
		return chain.Runtime{}, fmt.Errorf("specName: %w", err)
	}
	version, err := jsonread.Uint64(v.Member("specVersion"))
	if err != nil {
		return chain.Runtime{}, fmt.Errorf("specVersion: %w", err)
	}
	if version > math.MaxUint32 {
		return chain.Runtime{}, fmt.Errorf("specVersion: %d is more than 32 bits", version)
	}
	r.SpecVersion = uint32(version)
	return r, nil
}
