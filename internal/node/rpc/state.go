package rpc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Hashes returns the hashes of blocks in one request (chain_getBlockHash), on the node's best branch. A hash is unknown if the
// node does not have the block.
func (c *Client) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	v, err := c.Call(ctx, "chain_getBlockHash", heights)
	if err != nil {
		return nil, err
	}
	hashes, err := readAtMost(len(heights), v, func(v jsonscan.Value) (none chain.Optional[chain.Hash], err error) {
		if v.Kind() == jsonscan.Null {
			return none, nil
		}
		hash, err := jsonread.Hash(v)
		return chain.Some(hash), err
	})
	if err == nil && len(hashes) != len(heights) {
		err = fmt.Errorf(": %d for %d heights", len(hashes), len(heights))
	}
	if err != nil {
		return nil, &DecodeError{"list of block hashes", fmt.Errorf("hashes%w", err)}
	}
	return hashes, nil
}

// Storage returns the state of a block at some keys, nil for absent values: in one request (state_queryStorageAt,
// whose answer names the block), or in one for each key if the node does not have that method.
func (c *Client) Storage(ctx context.Context, block chain.Hash, keys ...[]byte) ([][]byte, error) {
	texts := hexKeys(keys)
	if !c.noQueryStorage.Load() {
		v, err := c.Call(ctx, queryStorage, texts, block)
		if err == nil {
			return readChanges(v, block, texts)
		}
		if !errors.Is(err, ErrNoMethod) {
			return nil, err
		}
		c.noQueryStorage.Store(true)
	}
	stored := make([][]byte, len(keys))
	for i, text := range texts {
		v, err := c.Call(ctx, "state_getStorage", text, block)
		if err == nil {
			stored[i], err = readBytes(v)
		}
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

const queryStorage = "state_queryStorageAt"

func hexKeys(keys [][]byte) []string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = "0x" + hex.EncodeToString(key)
	}
	return texts
}

// readChanges finds the value of each key in the set of changes.
func readChanges(v jsonscan.Value, block chain.Hash, keys []string) ([][]byte, error) {
	var at, changes jsonscan.Value
	for name, member := range v.Index(0).Members() { // in one pass: the events are long
		switch name {
		case "block":
			at = member
		case "changes":
			changes = member
		}
	}
	if of, err := jsonread.Hash(at); err != nil || of != block {
		return nil, &DecodeError{"storage", fmt.Errorf("changes: want those of block %v, have %s", block, jsonscan.Excerpt(at.Raw()))}
	}
	if changes.Kind() != jsonscan.Array {
		return nil, &DecodeError{"storage", fmt.Errorf("changes: want an array, have %v", changes.Kind())}
	}
	told := map[string][]byte{}
	for change := range changes.Elements() {
		key, ok := change.Index(0).Text()
		value, err := readBytes(change.Index(1))
		if !ok || err != nil {
			return nil, &DecodeError{"storage", fmt.Errorf("changes: want pairs of a key and 0x-hex or null: %v", jsonscan.Excerpt(change.Raw()))}
		}
		told[strings.ToLower(key)] = value
	}
	stored := make([][]byte, len(keys))
	for i, key := range keys {
		value, asked := told[key]
		if !asked {
			return nil, &DecodeError{"storage", fmt.Errorf("changes: the key %s is missing", key)}
		}
		stored[i] = value
	}
	return stored, nil
}

// Metadata returns the metadata of the runtime after a block (state_getMetadata).
func (c *Client) Metadata(ctx context.Context, block chain.Hash) ([]byte, error) {
	v, err := c.Call(ctx, "state_getMetadata", block)
	if err != nil {
		return nil, err
	}
	bytes, err := readBytes(v)
	if err == nil && bytes == nil {
		err = &DecodeError{"metadata", fmt.Errorf("none for block %v", block)}
	}
	return bytes, err
}

// readBytes parses 0x-hex; it returns nil for null.
func readBytes(v jsonscan.Value) ([]byte, error) {
	if v.Kind() == jsonscan.Null {
		return nil, nil
	}
	bytes, err := decodeHex(v)
	if err != nil {
		return nil, &DecodeError{"bytes", err}
	}
	return bytes, nil
}
