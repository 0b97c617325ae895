package rpc

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Stored is the state of a block at a key.
type Stored struct {
	Block chain.Hash
	Value []byte // nil if absent
	key   string // 0x-hex
}

// SubscribeStorage yields the value at a key: at once, and after each change on the node's best branch
// (state_subscribeStorage). A slow caller gets only the latest value. A change may be reverted with its block, and come
// again; for final values call [Client.Storage] with a final block. It ends as [Client.SubscribeFinalizedHeads]
// does.
func (c *Client) SubscribeStorage(ctx context.Context, key []byte) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if c.socket == nil {
			yield(Stored{}, ErrNoSubscriptions)
			return
		}
		if err := c.listenToStorage(ctx, "0x"+hex.EncodeToString(key), yield); err != nil && ctx.Err() == nil {
			yield(Stored{}, c.reason(err))
		}
	}
}

func (c *Client) listenToStorage(ctx context.Context, key string, yield func(Stored, error) bool) error {
	connection, s, err := c.subscribe(ctx, storageChanges, []any{[]string{key}})
	if err != nil {
		return err
	}
	defer connection.unsubscribe(s)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-connection.broken:
			return connection.err
		case a := <-s.newest:
			if a.err == nil && !strings.EqualFold(a.stored.key, key) {
				a.err = &DecodeError{"storage", fmt.Errorf("changes: want those of the key %s, have %q", key, jsonscan.Excerpt(a.stored.key))}
			}
			if a.err != nil {
				return a.err
			}
			if !yield(a.stored, nil) {
				return nil
			}
		case <-time.After(c.asker.Options().Timeout): // check that the node still answers
			if _, err := c.FinalizedHead(ctx); err != nil {
				return err
			}
		}
	}
}

// readChange parses a change of the subscribed key.
func readChange(v jsonscan.Value) (a announcement) {
	wrong := func(err error) announcement { return announcement{err: &DecodeError{"storage", err}} }
	var err error
	if a.stored.Block, err = jsonread.Hash(v.Member("block")); err != nil {
		return wrong(fmt.Errorf("block: %w", err))
	}
	change := v.Member("changes").Index(0)
	key, ok := change.Index(0).Text()
	if !ok || v.Member("changes").Index(1).Kind() != jsonscan.Absent {
		return wrong(fmt.Errorf("changes: want one pair of a key and 0x-hex or null: %s", jsonscan.Excerpt(v.Member("changes").Raw())))
	}
	a.stored.key = key
	if a.stored.Value, err = readBytes(change.Index(1)); err != nil {
		return announcement{err: err}
	}
	return a
}
